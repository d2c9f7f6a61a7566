"""Benchmarks from elsewhere, made into benchmark folders: one format a module."""
