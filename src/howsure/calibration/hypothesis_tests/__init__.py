"""Tests of calibration: could predictions that are right have such labels?"""
