"""Photographs, and the exact edits made of each."""
