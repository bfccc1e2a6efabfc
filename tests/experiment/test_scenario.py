"""Scenario files: everything can be said, and whatever is wrong is told in one line with file and key."""

import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from simlab.core.events import EventType, Handling
from simlab.core.messages import ToolKind, ToolSpec
from simlab.core.record import IntentKind
from simlab.experiment import scenario_file as form
from simlab.experiment.scenario import (
    SHIPPED,
    ScenarioError,
    find_scenarios,
    load_scenario,
    load_scenarios,
    read_scenario,
    scenario_schema,
    shipped_scenarios,
)
from simlab.experiment.scenario_sources import unsourced
from simlab.sim import spec
from simlab.sim.laws import Constant, Empirical, Exponential, Lognormal, Uniform

HEAD = 'title = "A title"\ndescription = "Who meets it"\n'
REQUEST = '[[events]]\nid = "U1"\nat_ms = 0\ntype = "user.input"\nintent = { kind = "request" }\n'
TOOL = "[tools.t]\nrun_ms = 1000\n"
PLANNED = (
    '[[events]]\nid = "U1"\nat_ms = 0\ntype = "user.input"\nintent = { kind = "request", plan = "p" }\n'
    "[tools.t]\nrun_ms = 1000\n"
    '[tools.start]\nacts = "start"\n'
    '[tools.status]\nacts = "status"\n'
)

EVERYTHING = """
title = "Everything"
description = "Every key once"
horizon_ms = 600000
model_concurrency = 2
resample = true
tool_attempts = 5
acknowledge_ms = 800
acknowledge_usd = 0.0002

[sources]
"tools.post" = "assumption"
"model.ttft_ms" = "a public trace"
"events.U1.at_ms" = "assumption"
"events[1].at_ms" = "assumption"
"streams.chat.gap_ms" = "assumption"

[model]
ttft_ms = { law = "lognormal", median_s = 1.2, sigma = 0.5 }
prefill_tok_s = 4000
prefill_cached_tok_s = 40000
decode_tok_s = { law = "exponential", mean = 60 }
step_tokens = 150
answer_tokens = 300
final_tokens = 500
idle_tokens = 5
system_tokens = 2000
system_cached = true
event_tokens = 40
cache_ttl_ms = 300000
price_in_usd = 3
price_cached_usd = 0.3
price_out_usd = 15
failure = 0.01
retry_ms = 2000
thinking_share = 0.4
slowdown_per_100k = 0.1

[tools.post]
kind = "effect"
can_be_cancelled = false
irreversible = true
idempotent = true
typical_ms = 4000
light = true
undo = "compensate"
run_ms = 4000
prepare_ms = 0
commit_share = 0.5
cancel_points = "steps"
cancel_every_ms = 500
signal_ms = 10
ack_ms = 20
timeout_ms = 60000
failure = 0.1
result_tokens = { law = "exponential", mean_tokens = 400 }

[tools.start]
acts = "start"
[tools.status]
acts = "status"

[plans.p]
final_needs = ["post", "job:begin"]
final_tokens = 900
[[plans.p.steps]]
id = "begin"
tool = "start"
run_ms = 9000
output_tokens = 50
[[plans.p.steps]]
id = "look"
tool = "status"
job = "begin"
needs = ["begin"]
[[plans.p.steps]]
id = "post"
tool = "post"
needs = ["look"]
guard = { step = "look", at_least = 10.5 }

[plans.drawn]
rounds = { law = "lognormal", median = 4, sigma = 1, cap = 20 }
calls = 2
mix = [{ tool = "post", weight = 3 }, { tool = "status" }]
last_tool = "post"

[[events]]
id = "U1"
at_ms = 0
type = "user.input"
text = "go"
source = "ana"
channel = "mail"
patience_ms = 60000
repeats = 1
retry_ms = 1000
intent = { kind = "request", plan = "p", handling = "queue" }
[[events]]
id = "U2"
at_ms = 5
type = "external.trigger"
marked_urgent = true
intent = { kind = "amend", task = "U1", step = "post" }
[[events]]
id = "U3"
at_ms = 6
type = "user.input"
intent = { kind = "question", task = "@latest", needs = ["look", "job:begin"] }

[[placed]]
task = "U1"
share = { law = "uniform", low = 0, high = 1 }
chance = 0.5
variants = [{ id = "late", type = "user.input", intent = { kind = "correct", task = "U1", step = "post" } }]

[[sessions]]
name = "day"
think_ms = { law = "exponential", mean_s = 60 }
requests = 3
start_ms = 50
variants = [{ id = "task", type = "user.input", intent = { kind = "request", plan = "drawn" } }]

[[streams]]
name = "chat"
gap_ms = { law = "exponential", mean_s = 60 }
start_ms = 100
until_ms = 500000
burst = 2
burst_gap_ms = 50
[[streams.variants]]
weight = 3
id = "q"
type = "user.input"
intent = { kind = "light" }
[[streams.variants]]
id = "stop"
type = "user.interrupt"
text = "stop"
intent = { kind = "correct", task = "U1" }
"""


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def told(folder: Path, text: str) -> str:
    """Return what is said of a bad file: one line that begins with its path."""
    path = written(folder, text)
    with pytest.raises(ScenarioError) as caught:
        read_scenario(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


# --- everything can be said -------------------------------------------------------------------------------------


def test_every_key_reaches_the_world(tmp_path: Path) -> None:
    world = read_scenario(written(tmp_path, EVERYTHING)).world
    for name in ("horizon_ms", "model_concurrency", "tool_attempts"):
        assert type(getattr(world, name)) is int
    assert (world.horizon_ms, world.model_concurrency, world.resample, world.tool_attempts) == (600000, 2, True, 5)
    assert world.acknowledge_ms == Constant(value=800.0)
    assert world.model.ttft_ms == Lognormal(median=1200.0, sigma=0.5)
    assert world.model.decode_tok_s == Exponential(scale=60.0)
    post = world.tools[0]
    assert post.spec == ToolSpec(
        name="post",
        kind=ToolKind.EFFECT,
        can_be_cancelled=False,
        irreversible=True,
        idempotent=True,
        typical_ms=4000,
        light=True,
        prepares=True,
        undo="compensate",
    )
    assert (post.commit_share, post.cancel_points, post.cancel_every_ms) == (0.5, spec.CancelPoints.STEPS, 500)
    plan = world.plans["p"]
    assert isinstance(plan, spec.Plan)
    begin, look, step = plan.steps
    assert begin.run_ms == Constant(value=9000.0)
    assert look.job == "begin"
    assert step.guard == spec.Guard(step="look", at_least=10.5)
    assert plan.final_needs == ("post", "job:begin")
    first, second, third = world.events
    assert first.intent == spec.Intent(kind=IntentKind.REQUEST, plan="p", handling=Handling.QUEUE)
    assert (second.type, second.marked_urgent) == (EventType.EXTERNAL_TRIGGER, True)
    assert third.intent.needs == ("look", "job:begin")
    assert (first.patience_ms, first.repeats, first.retry_ms) == (Constant(value=60000.0), 1, Constant(value=1000.0))
    drawn = world.plans["drawn"]
    assert isinstance(drawn, spec.RandomPlan)
    assert (drawn.calls, drawn.mix, drawn.last_tool) == (Constant(value=2.0), ((3.0, "post"), (1.0, "status")), "post")
    (placed,) = world.placed
    assert (placed.task, placed.share, placed.chance) == ("U1", Uniform(low=0.0, high=1.0), 0.5)
    assert [template.id for _, template in placed.variants] == ["late"]
    (session,) = world.sessions
    assert (session.name, session.requests, session.start_ms) == ("day", 3, 50)
    assert session.think_ms == Exponential(scale=60000.0)
    (stream,) = world.streams
    assert [(weight, template.id, template.at_ms) for weight, template in stream.variants] == [
        (3.0, "q", 0),
        (1.0, "stop", 0),
    ]


def test_every_key_occurs_in_the_example_of_every_key() -> None:
    document = tomllib.loads(EVERYTHING)
    used: dict[type[form.Table], dict[str, Any]] = {
        form.ScenarioFile: document,
        form.ModelTable: {**document["model"], "call_ms": 0},
        form.ToolTable: {**document["tools"]["post"], "acts": 0},
        form.PlanTable: {**document["plans"]["p"], **document["plans"]["drawn"]},
        form.MixTable: document["plans"]["drawn"]["mix"][0],
        form.PlacedTable: document["placed"][0],
        form.SessionTable: document["sessions"][0],
        form.StepTable: {key: 0 for step in document["plans"]["p"]["steps"] for key in step},
        form.IntentTable: {key: 0 for event in document["events"] for key in event["intent"]},
        form.EventTable: {key: 0 for event in document["events"] for key in event},
        form.StreamTable: document["streams"][0],
        form.VariantTable: {
            **dict.fromkeys(("source", "channel", "marked_urgent", "patience_ms", "repeats", "retry_ms", "texts")),
            **{key: 0 for variant in document["streams"][0]["variants"] for key in variant},
        },
    }
    for table, keys in used.items():
        assert keys.keys() == table.model_fields.keys(), table


@pytest.mark.parametrize(
    ("table", "values", "elsewhere"),
    [
        (form.ToolTable, spec.ToolModel, {"spec"}),
        (form.GuardTable, spec.Guard, set()),
        (form.StepTable, spec.Step, set()),
        (form.PlanTable, spec.Plan, {"remedies"}),
        (form.IntentTable, spec.Intent, {"repeats"}),
        (form.PlacedTable, spec.PlacedSpec, set()),
        (form.SessionTable, spec.SessionSpec, set()),
        (form.EventTable, spec.EventSpec, set()),
        (form.StreamTable, spec.StreamSpec, set()),
        (form.ModelTable, spec.ModelSpec, set()),
        (form.ScenarioFile, spec.WorldSpec, {"name", "hazards"}),
    ],
)
def test_a_table_has_every_field_of_its_value_with_the_same_default(
    table: type[form.Table], values: Any, elsewhere: set[str]
) -> None:
    known = {field.name: field.default for field in fields(values) if field.init}
    assert known.keys() - elsewhere <= table.model_fields.keys()
    for name, field in table.model_fields.items():
        if field.default is not None and type(field.default) in (bool, int, float, str) and name in known:
            assert known[name] is MISSING or field.default == known[name], name


def test_declared_facts_of_tools_have_the_same_defaults() -> None:
    known = {field.name: field.default for field in fields(ToolSpec)}
    for name in ("can_be_cancelled", "irreversible", "idempotent", "typical_ms", "light", "undo"):
        assert form.ToolTable.model_fields[name].default == known[name]


def test_what_is_left_out_takes_the_worlds_defaults(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, HEAD + REQUEST, "my-case.toml"))
    event = spec.EventSpec(id="U1", at_ms=0, type=EventType.USER_INPUT, intent=spec.Intent(kind=IntentKind.REQUEST))
    assert scenario.world == spec.WorldSpec(name="my-case", events=(event,))
    assert (scenario.title, scenario.description, scenario.sources) == ("A title", "Who meets it", {})


def test_a_tool_with_a_side_effect_is_declared_so_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    text = HEAD + REQUEST + "[tools.a]\ncommit_share = 1\n[tools.b]\n[tools.c]\ncommit_share = 1\nkind = 'read'\n"
    tools = read_scenario(written(tmp_path, text)).world.tools
    assert [tool.spec.kind for tool in tools] == [ToolKind.EFFECT, ToolKind.READ, ToolKind.READ]


def test_a_column_of_measurements_lies_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("wait_s\n1\n2\n")
    law = '{ law = "empirical", file = "times.csv", column = "wait_s" }'
    tool = read_scenario(written(tmp_path, f"{HEAD}{REQUEST}[tools.t]\nrun_ms = {law}\n")).world.tools[0]
    assert tool.run_ms == Empirical(values=(1000.0, 2000.0))


# --- what is wrong is told in one line --------------------------------------------------------------------------

STEP = '[[plans.p.steps]]\nid = "{id}"\ntool = "{tool}"\n'


def plan(*steps: tuple[str, str, str]) -> str:
    return HEAD + PLANNED + "".join(STEP.format(id=name, tool=tool) + rest for name, tool, rest in steps)


def event(rest: str) -> str:
    return HEAD + PLANNED + STEP.format(id="a", tool="t") + f'[[events]]\nid = "U2"\nat_ms = 5\n{rest}\n'


def stream(rest: str, horizon: str = "horizon_ms = 9\n") -> str:
    variant = '[[streams.variants]]\nid = "q"\ntype = "user.input"\nintent = { kind = "light" }\n'
    return f'{HEAD}{horizon}{REQUEST}[[streams]]\nname = "s"\n{rest}\n{variant}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "not TOML: Invalid value (at end of document)"),
        (REQUEST, "title: missing (and 1 more)"),
        (HEAD, "events: at least one event, stream or session must be given"),
        (HEAD + REQUEST + "[tool.t]\n", "tool: unknown key; allowed: title, description, sources, tools, plans, "),
        ("seed = 3\n" + HEAD + REQUEST, "seed: unknown key; allowed: title, description, sources, tools, plans, "),
        (HEAD + REQUEST + "seed = 3\n", "events[0].seed: unknown key; allowed: id, type, intent, text, "),
        (HEAD + REQUEST + "[tools.t]\nrun_s = 3\n", "tools.t.run_s: unknown key; allowed: kind, can_be_cancelled, "),
        (HEAD + REQUEST + "[tools.t]\nrun_ms = -1\n", "tools.t.run_ms: must be a finite number from 0 up, not -1"),
        (HEAD + REQUEST + "[tools.t]\nrun_ms = nan\n", "tools.t.run_ms: must be a finite number from 0 up, not nan"),
        (HEAD + REQUEST + "[tools.t]\nack_ms = -1\n", "tools.t.ack_ms: must be greater than or equal to 0, not -1"),
        (HEAD + REQUEST + "[tools.t]\nack_ms = nan\n", "tools.t.ack_ms: must be a valid integer, not nan"),
        (HEAD + REQUEST + "[tools.t]\nack_ms = '1'\n", "tools.t.ack_ms: must be a valid integer, not '1'"),
        (HEAD + REQUEST + "[tools.t]\nack_ms = true\n", "tools.t.ack_ms: must be a valid integer, not True"),
        (HEAD + REQUEST + "[tools.t]\nfailure = nan\n", "tools.t.failure: must be a finite number, not nan"),
        (HEAD + REQUEST + "[tools.t]\nfailure = 2\n", "tools.t.failure: must be less than or equal to 1, not 2"),
        (HEAD + REQUEST + "[tools.t]\nkind = 'x'\n", "tools.t.kind: must be 'read' or 'effect', not 'x'"),
        (HEAD + REQUEST + "[tools.'a b']\n", "tools.a b: must match pattern "),
        (HEAD + REQUEST.replace("0", "-5"), "events[0].at_ms: must be greater than or equal to 0, not -5"),
        (HEAD + REQUEST.replace("user.input", "user"), "events[0].type: must be 'user.interrupt', 'supervisor.in"),
        (HEAD + REQUEST + REQUEST, "events[1].id: 'U1' is taken; each must be unique"),
        (HEAD + REQUEST.replace("request", "wish"), "events[0].intent.kind: must be 'request', 'amend', 'correct', "),
        (HEAD + REQUEST + "[model]\ncall_ms = {law = 'x'}\n", "model.call_ms.law: no law 'x'; known: constant, exp"),
        (
            HEAD + REQUEST + "[model]\ncall_ms = 1\nttft_ms = 1\n",
            "model.ttft_ms: has no effect beside call_ms; give one or the other",
        ),
        (HEAD + REQUEST + TOOL + "cancel_points = 'steps'", "tools.t.cancel_every_ms: must be above 0 with cancel_p"),
        (
            HEAD + REQUEST + "[tools.t]\nacts = 'status'\nrun_ms = 5\n",
            "tools.t.run_ms: a tool that acts as 'status' answers at once; leave it out",
        ),
        (HEAD + REQUEST.replace(' }', ', plan = "x" }'), "events[0].intent.plan: no plan 'x'; known: none"),
        (plan(("a", "hammer", "")), "plans.p.steps[0].tool: no tool 'hammer'; known: t, start, status"),
        (plan(("a", "t", ""), ("a", "t", "")), "plans.p.steps[1].id: 'a' is taken; each must be unique"),
        (plan(("final", "t", "")), "plans.p.steps[0].id: 'final' means the final answer; take another name"),
        (plan(("a", "t", 'needs = ["b"]\n')), "plans.p.steps[0].needs[0]: no step 'b' in this plan; known: a"),
        (
            plan(("a", "t", ""), ("b", "t", 'needs = ["job:a"]\n')),
            "plans.p.steps[1].needs[0]: step 'a' starts no job; only a tool that acts as 'start' does",
        ),
        (
            plan(("a", "t", 'needs = ["c"]\n'), ("b", "t", 'needs = ["a"]\n'), ("c", "t", 'needs = ["b"]\n')),
            "plans.p.steps: a cycle: a -> c -> b -> a; needs must lead to earlier steps only",
        ),
        (plan(("a", "t", 'needs = ["a"]\n')), "plans.p.steps: a cycle: a -> a; needs must lead to earlier steps only"),
        (plan(("a", "t", 'job = "a"\n')), "plans.p.steps[0].job: tool 't' acts on no job; leave it out"),
        (
            plan(("a", "status", "")),
            "plans.p.steps[0].job: missing; tool 'status' acts on the job of another step",
        ),
        (plan(("a", "status", 'job = "b"\n')), "plans.p.steps[0].job: no step 'b' in this plan; known: a"),
        (
            plan(("a", "t", 'guard = { step = "b", below = 1 }\n')),
            "plans.p.steps[0].guard.step: no step 'b' in this plan; known: a",
        ),
        (
            plan(("a", "t", ""), ("b", "t", 'needs = ["a"]\nguard = { step = "a", below = 1 }\n')),
            "plans.p.steps[1].guard.step: the result of 'a' holds no number; that of a status or cancel tool does",
        ),
        (
            plan(("s", "start", ""), ("a", "status", 'job = "s"\n'), ("b", "t", 'guard = { step = "a", below = 1 }\n')),
            "plans.p.steps[2].guard.step: 'a' must stand in needs, so that its result is known",
        ),
        (
            plan(("a", "t", 'guard = { step = "a" }\n')),
            "plans.p.steps[0].guard: give exactly one of below and at_least",
        ),
        (
            HEAD + PLANNED + STEP.format(id="a", tool="t") + "[plans.q]\nfinal_needs = ['a']\n",
            "plans.q.final_needs[0]: no step 'a' in this plan; known: none",
        ),
        (
            event('type = "user.input"\nintent = { kind = "amend" }'),
            "events[1].intent.task: missing; the kind 'amend' is about a request",
        ),
        (
            event('type = "user.input"\nintent = { kind = "amend", task = "U9" }'),
            "events[1].intent.task: no request 'U9'; known: U1, @latest",
        ),
        (
            event('type = "user.input"\nintent = { kind = "correct", task = "U1", step = "z" }'),
            "events[1].intent.step: no step 'z' in the plan of 'U1'; known: a",
        ),
        (
            event('type = "user.input"\nintent = { kind = "light", task = "U1" }'),
            "events[1].intent.task: has no meaning for the kind 'light'; allowed: none",
        ),
        (
            event('type = "user.input"\nmarked_urgent = true\nintent = { kind = "light" }'),
            "events[1].marked_urgent: counts for 'external.trigger' only; its type decides here",
        ),
        (
            (HEAD + REQUEST.replace("at_ms = 0", "at_ms = 10") + REQUEST.replace("U1", "U2"))
            .replace('intent = { kind = "request" }', 'intent = { kind = "correct", task = "U1" }')
            .replace('"correct", task = "U1"', '"request"', 1),
            "events[1].intent.task: request 'U1' comes at 10 ms, after this event (0 ms)",
        ),
        (stream("gap_ms = 0"), "streams[0].gap_ms: must be above 0 on average, or time stands still"),
        (
            stream("gap_ms = 5", horizon=""),
            "streams[0].until_ms: missing; without it, or a horizon_ms of the scenario, the stream never ends",
        ),
        (
            stream("gap_ms = 5\nstart_ms = 7\nuntil_ms = 7"),
            "streams[0].until_ms: must be after start_ms (7), not 7",
        ),
        (stream("gap_ms = 5\nburst_gap_ms = 7"), "streams[0].burst_gap_ms: has no effect without burst"),
        (
            stream("gap_ms = 5").replace('"U1"', '"q-2"'),
            "events[0].id: 'q-2' may come from stream 's' too",
        ),
        (
            HEAD + '[sources]\n"tools.t.run_s" = "assumption"\n' + TOOL + REQUEST,
            'sources."tools.t.run_s": leads to no value of this file',
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_file_and_key_and_what_is_allowed(tmp_path: Path, text: str, message: str) -> None:
    assert told(tmp_path, text).startswith(message)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(ScenarioError, match=r"mine\.toml: not UTF-8 text \(byte 9\)$"):
        read_scenario(path)


def test_a_scenario_that_is_not_there_is_told_with_the_nearest_name() -> None:
    with pytest.raises(ScenarioError, match=r"^01-email-wether: no such scenario.*mean '01-email-weather'\?$"):
        load_scenario("01-email-wether")
    with pytest.raises(ScenarioError, match=r"^nowhere/x\.toml: no such scenario.*`simlab list` shows"):
        load_scenario("nowhere/x.toml")


# --- finding ----------------------------------------------------------------------------------------------------


def test_a_scenario_goes_by_path_by_name_and_by_the_end_of_its_name() -> None:
    name = "worked/01-email-weather"
    by_path = load_scenario(SHIPPED / f"{name}.toml")
    assert by_path.name == load_scenario(name).name == load_scenario("01-email-weather").name == name
    assert by_path.world.name == name
    assert load_scenario("email-weather").name == name
    assert load_scenario("stop-said-it-wrong").name == "worked/02-stop-said-it-wrong"


def test_a_file_in_the_present_folder_goes_by_its_name_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the command which shows a run again, which names the scenario, can be typed."""
    written(tmp_path, HEAD + REQUEST, "mine.toml")
    monkeypatch.chdir(tmp_path)
    assert load_scenario("mine").name == "mine"


def test_a_model_that_writes_nothing_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "[model]\ndecode_tok_s = 0\n" + REQUEST, "slow.toml")
    with pytest.raises(ScenarioError, match=r"model\.decode_tok_s: must be greater than 0"):
        load_scenario(path)


def test_a_folder_stands_for_every_scenario_in_it(tmp_path: Path) -> None:
    worked = [name.partition("/")[2] for name in shipped_scenarios() if name.startswith("worked/")]
    assert [path.stem for path in find_scenarios("worked")] == worked
    for name in ("b.toml", "a.toml"):
        written(tmp_path, HEAD + REQUEST, name)
    assert [each.name for each in load_scenarios([str(tmp_path), str(tmp_path / "a.toml")])] == ["a", "b"]
    with pytest.raises(ScenarioError, match="a folder of 2 scenarios; name one of them"):
        load_scenario(tmp_path)


def test_the_top_level_folder_is_the_shipped_one() -> None:
    assert (Path(__file__).parents[2] / "scenarios").resolve() == SHIPPED.resolve()


@pytest.mark.parametrize("name", shipped_scenarios())
def test_every_shipped_scenario_loads_and_says_where_each_number_comes_from(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.name == name
    assert unsourced(tomllib.loads(scenario.path.read_text())) == []


def test_a_number_without_a_source_is_found() -> None:
    text = HEAD + REQUEST + '[tools.t]\nrun_ms = 5\nack_ms = 2\n[sources]\n"tools.t.run_ms" = "assumption"\n'
    assert unsourced(tomllib.loads(text)) == ["events.U1.at_ms", "tools.t.ack_ms"]
    assert unsourced(tomllib.loads(text + '"tools.t" = "a"\n"events[0].at_ms" = "b"\n')) == []


def test_the_same_bytes_have_the_same_hash_wherever_they_lie(tmp_path: Path) -> None:
    one, two = (read_scenario(written(tmp_path, HEAD + REQUEST, name)) for name in ("a.toml", "b.toml"))
    other = read_scenario(written(tmp_path, HEAD + REQUEST + "\n", "c.toml"))
    assert one.sha256 == two.sha256 != other.sha256


def validator() -> Any:
    import jsonschema  # type: ignore[import-untyped]

    return jsonschema.Draft202012Validator(scenario_schema())


# --- schema -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped_scenarios())
def test_shipped_scenarios_satisfy_the_json_schema(name: str) -> None:
    validator().validate(tomllib.loads((SHIPPED / f"{name}.toml").read_text()))


def test_the_example_of_every_key_satisfies_the_json_schema_and_mistakes_do_not() -> None:
    checker = validator()
    checker.check_schema(scenario_schema())
    document = tomllib.loads(EVERYTHING)
    checker.validate(document)
    for section, key, value in (
        ("model", "ttft", 5),
        ("model", "ttft_ms", -5),
        ("model", "ttft_ms", {"law": "lognormal", "median_ms": 5}),
        ("model", "ttft_ms", {"law": "cauchy"}),
        ("model", "failure", 1),
        ("tools", "a b", {}),
    ):
        assert not checker.is_valid({**document, section: {**document[section], key: value}}), (section, key)
    assert not checker.is_valid({**document, "seed": 3})


def test_the_written_schema_is_fresh() -> None:
    from simlab.experiment.scenario import schema_text

    written_schema = Path(__file__).parents[2] / "docs" / "scenario.schema.json"
    assert written_schema.read_text(encoding="utf-8") == schema_text(), "run `make docs`"
