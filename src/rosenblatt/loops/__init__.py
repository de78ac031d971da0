"""The compiled inner loops: plain arrays in, plain arrays out, the GIL released, nothing else."""
