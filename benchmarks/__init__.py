"""The benchmarks: `make bench` runs them and writes RESULTS.md."""
