"""The server of the page: matches over HTTP, on this machine only."""
