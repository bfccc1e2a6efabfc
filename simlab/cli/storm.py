"""``simlab storm``: sweep a runtime of your own, or replay one schedule of it."""

from typing import Annotated

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError


@app.command("storm")
def storm(
    target: Annotated[
        str | None, typer.Argument(help="MODULE:CLASS of the runtime; the working directory is searched.")
    ] = None,
    *,
    policy: Annotated[
        list[str] | None, typer.Option(help="How the product uses it; may be repeated. Default: all five.")
    ] = None,
    events: Annotated[str, typer.Option(help="What arrives: 'one anywhere', 'two anywhere', ...")] = "one anywhere",
    sweep: Annotated[bool, typer.Option("--sweep", help="Every place, not 40 evenly spread ones.")] = False,
    workload: Annotated[str | None, typer.Option(help="THINKxCHUNKS-MS.MS-MS, such as 1000x2-2000.3000-1500.")] = None,
    replay: Annotated[str | None, typer.Option(help="Tell one run, from the token that a storm printed.")] = None,
    real_clock: Annotated[
        bool, typer.Option("--real-clock", help="Replay in plain asyncio on the real clock.")
    ] = False,
) -> None:
    """Interrupt a runtime at every point of a turn and judge what it leaves behind."""
    if replay is not None:
        raise typer.Exit(_replay(replay, real_clock=real_clock))
    if target is None:
        raise SimlabError("storm: expected MODULE:CLASS, such as my_agent:MyRuntime, or --replay TOKEN")
    raise typer.Exit(_sweep(target, policy, events, None if sweep else 40, workload))


def _sweep(target: str, policies: list[str] | None, events: str, limit: int | None, workload: str | None) -> int:
    from simlab.testing import storm as storms
    from simlab.testing.contract import POLICIES
    from simlab.testing.fakes import Workload
    from simlab.testing.placement import policy_named

    make = storms.load_target(target)
    work = Workload.parse(workload) if workload else Workload()
    survived = True
    for policy in [policy_named(name) for name in policies] if policies else POLICIES:
        report = storms.sweep(make, policy, events=storms.events_named(events), workload=work, limit=limit)
        print(report.summary(), flush=True)
        survived = survived and report.survived
    return 0 if survived else 1


def _replay(token: str, *, real_clock: bool) -> int:
    from simlab.testing import storm as storms
    from simlab.testing.confirm import run_on_the_real_clock
    from simlab.testing.session import run_schedule
    from simlab.testing.story import story

    target, schedule = storms.split_token(token)
    make = storms.load_target(target)
    run = run_on_the_real_clock(make, schedule) if real_clock else run_schedule(make, schedule)
    print("\n".join(story(run)))
    return 1 if run.faults else 0
