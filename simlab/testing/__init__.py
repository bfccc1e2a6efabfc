"""Kit for a user's own runtime: generators, explorer, pytest plug-in, virtual-time loop, adapters."""
