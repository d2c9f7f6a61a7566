"""Redline builds, runs and trusts benchmarks of models that edit pictures."""

from redline.version import __version__

__all__ = ["__version__"]
