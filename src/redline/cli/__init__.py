"""The command line: one file a command group, thin; rooms are imported where they are used."""

from redline.cli.app import main

__all__ = ["main"]
