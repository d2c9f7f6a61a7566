"""What is measured: samples, the folder format, importers; pure, compiles nothing."""
