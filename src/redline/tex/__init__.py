"""TikZ to pixels, safely; knows nothing of benchmarks."""
