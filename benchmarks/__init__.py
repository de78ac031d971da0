"""What is measured, against whom, and how: `make bench` runs all of it and writes RESULTS.md."""
