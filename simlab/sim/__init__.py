"""The simulated world: driver, named random streams, latency, mocked model, tools, ledger, workload."""
