"""Pictures in and out: one loader, one resize, hashes."""
