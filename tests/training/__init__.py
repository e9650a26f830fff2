"""Training: its data, models, sampler, trainer."""
