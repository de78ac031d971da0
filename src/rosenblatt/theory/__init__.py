"""What can be proved and explained about a run: mistake bounds, separating directions, explanations."""
