"""Measurements against peers, each run by `python -m benchmarks.NAME --json`."""
