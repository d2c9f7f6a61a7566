"""The image track: regions, picture measures, turns, questions, baselines, stages, results."""
