"""Statistics of terminating simulations: small pure functions over numpy arrays.

The replication is the unit of everything. Every estimator turns its data into one *influence value* per replication
(``influence``), and one set of rules turns influence values into intervals, tests and paired comparisons
(``student``, ``paired``). So means, ratios per event and quantiles are all compared in the same way.

- ``values``: what the functions return
- ``laws``: tails and quantiles of the normal, Student and binomial laws
- ``student``: t intervals and tests, guarded against skewness
- ``paired``: paired differences, correlation, variance factor of common random numbers, win / tie / loss
- ``intervals``: rates and order statistics
- ``ratio``, ``quantiles``: per-event means and quantiles, replications as clusters
- ``multiple``, ``verdict``: Holm, Benjamini-Hochberg; better / worse / equivalent / undecided
- ``sequential``, ``selection``: when to stop, and which strategy is best
- ``sensitivity``: Morris and Sobol indices (extra ``simlab[sensitivity]``)

Nothing here is imported at the start of the command line; SciPy is loaded when a quantile is first needed.
"""
