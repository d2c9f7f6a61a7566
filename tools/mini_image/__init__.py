"""Makes the bundled benchmark mini-image: its pictures, golds, masks, overlays and lines."""
