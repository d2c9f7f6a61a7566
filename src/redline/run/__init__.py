"""The engine: stages, records, blobs, cache, limits, budget, resume; knows a track only by its interface."""
