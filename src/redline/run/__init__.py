"""The engine: stages, records, blobs, cache, limits, budget, resume.

It knows a track only by its interface (redline.track)."""
