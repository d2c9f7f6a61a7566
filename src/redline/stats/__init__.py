"""Means, intervals and paired comparison."""
