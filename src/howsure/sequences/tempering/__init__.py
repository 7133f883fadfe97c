"""Temperatures of taggers, fitted to gold tags."""
