"""Model calls in the world."""

from dataclasses import replace

from simlab.sim.spec import ModelSpec
from tests.validation.building import constant, request, run, world


def test_a_call_under_way_at_the_horizon_has_generated_tokens_up_to_the_horizon() -> None:
    model = ModelSpec(decode_tok_s=constant(100), answer_tokens=constant(1_000))
    spec = replace(world(events=(request(),), model=model), horizon_ms=4_000)
    (call,) = run(spec, "queue").model_calls
    assert (call.ended_ms, call.output_tokens, call.kept) == (4_000, 400, False)
