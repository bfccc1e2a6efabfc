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
        "langgraph-reject": "simlab.strategies.products.langgraph_reject:LanggraphReject",
        "langgraph-enqueue": "simlab.strategies.products.langgraph_enqueue:LanggraphEnqueue",
        "langgraph-interrupt": "simlab.strategies.products.langgraph_interrupt:LanggraphInterrupt",
        "deepagents-interrupt": "simlab.strategies.products.deepagents_interrupt:DeepagentsInterrupt",
        "langgraph-rollback": "simlab.strategies.products.langgraph_rollback:LanggraphRollback",
        "langgraph-rollback-concat": "simlab.strategies.products.langgraph_rollback:LanggraphRollbackConcat",
        "codex-steer": "simlab.strategies.products.codex_steer:CodexSteer",
        "codex-interrupt": "simlab.strategies.products.codex_interrupt:CodexInterrupt",
        "pi-v1-steer-seq": "simlab.strategies.products.pi_v1_steer_seq:PiV1SteerSeq",
        "pi-v2-steer": "simlab.strategies.products.pi_v2_steer:PiV2Steer",
        "openclaw-collect": "simlab.strategies.products.openclaw_collect:OpenclawCollect",
        "claude-reminder": "simlab.strategies.products.claude_reminder:ClaudeReminder",
        "book-cancel": "simlab.strategies.products.book_cancel:BookCancel",
    },
    needed=("name", "traits", "on_event", "at_safe_point", "on_open_calls"),
)

LEAVES_CALLS_OPEN = frozenset({"hard-cancel", "langgraph-interrupt"})
"""Shipped on purpose although they break the first rule: a naive loop, and a product that the field reports for it."""
