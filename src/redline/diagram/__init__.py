"""The diagram track: prompts, conditions, reading replies, measures, baselines, stages."""
