"""A report as one self-contained page: values in, HTML out. Nothing here reads a file or runs a simulation."""
