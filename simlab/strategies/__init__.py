"""What an agent does with an event that arrives while it is busy: one plug-in a file, found by name."""

from simlab.core.registry import Registry

STRATEGIES = Registry(
    kind="strategy",
    group="simlab.strategies",
    shipped={
        "queue": "simlab.strategies.queue:QueueAll",
        "queue-first-return": "simlab.strategies.queue_first_return:QueueFirstReturn",
        "queue-join": "simlab.strategies.queue_join:QueueJoin",
        "queue-turn": "simlab.strategies.queue_turn:QueueTurn",
        "cancel": "simlab.strategies.cancel:Cancel",
        "cancel-background": "simlab.strategies.cancel:CancelBackground",
        "parallel": "simlab.strategies.parallel:Parallel",
        "routed": "simlab.strategies.routed:Routed",
        "routed-background": "simlab.strategies.routed:RoutedBackground",
        "hard-cancel": "simlab.strategies.hard_cancel:HardCancel",
    },
    needed=("name", "traits", "on_event", "at_safe_point", "on_open_calls"),
)
