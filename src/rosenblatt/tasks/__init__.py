"""The three problems: how user data becomes rounds, and scores become answers."""
