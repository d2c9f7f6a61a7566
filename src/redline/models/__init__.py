"""Models that edit or judge: one protocol, one file a provider."""
