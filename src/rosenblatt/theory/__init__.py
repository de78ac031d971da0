"""Theory of a run: mistake bounds, separating directions, explanations."""
