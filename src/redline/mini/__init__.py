"""The bundled mini benchmarks (data)."""
