"""Scenes that are drawn whole: what is in them, and what each edit changes."""
