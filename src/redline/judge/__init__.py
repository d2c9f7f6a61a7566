"""Asking a judge and reading its verdict; rubrics are files."""
