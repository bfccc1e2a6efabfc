"""Which handling an event gets: one plug-in a file, found by name."""

from simlab.core.registry import Registry

ROUTERS = Registry(
    kind="router",
    group="simlab.routers",
    shipped={
        "by_type": "simlab.routers.by_type:ByType",
        "oracle": "simlab.routers.oracle:Oracle",
    },
    needed=("name", "route"),
)
