"""Which handling an event gets: one plug-in a file, found by name."""

from simlab.core.registry import Registry

ROUTERS = Registry(
    kind="router",
    group="simlab.routers",
    shipped={
        "by_type": "simlab.routers.by_type:ByType",
        "keyword": "simlab.routers.keyword:Keyword",
        "classifier": "simlab.routers.classifier:Classifier",
        "oracle": "simlab.routers.oracle:Oracle",
        "random": "simlab.routers.random:Random",
    },
    needed=("name", "service", "route", "latency_ms"),
)
