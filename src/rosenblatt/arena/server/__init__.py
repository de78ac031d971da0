"""The page: matches behind a few requests, on this machine only."""
