"""`howsure quantiles`: are posterior draws of continuous quantities calibrated?"""
from __future__ import annotations
import click
@click.command("quantiles")
def command() -> None:
    """x"""
