"""Training real networks with the losses, mining and weights of the core: data, models, sampler, trainer."""
