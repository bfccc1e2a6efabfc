"""The STRESS-DES checklist has its twenty items, all answered."""

from simlab.analysis.report.checklist import Study, checklist

STUDY = Study(
    question="What now?",
    scenarios=["a"],
    strategies=["queue", "cancel"],
    routers=["by_type"],
    baseline="queue",
    metrics=["model calls", "response, correct"],
    entities="Entities: events (correct).",
    tools=["shell"],
    sources=7,
    assumptions=3,
    horizon="60 s",
    replications=200,
    seed=4,
    margin=0.02,
    resample=False,
    packages={"numpy": "2.0"},
    version="0.1.0",
    command="simlab compare a -n 200",
    design="abc",
)


def test_there_are_twenty_items_in_their_order_and_each_has_an_answer() -> None:
    rows = checklist(STUDY).rows
    numbers = [row[0].text for row in rows]
    assert len(numbers) == 20
    assert numbers == sorted(numbers)
    assert all(row[2].text for row in rows)


def test_answers_are_those_of_the_study() -> None:
    told = {row[0].text: row[2].text for row in checklist(STUDY).rows}
    assert "model calls, response, correct" in told["1.2"]
    assert told["3.1"].startswith("7 values")
    assert told["3.4"].startswith("3 values")
    assert "60 s" in told["4.2"]
    assert "200 independent replications" in told["4.3"]
    assert "margin 2% of the baseline" in told["4.3"]
    assert "Root seed 4" in told["5.2"]
    assert "simlab compare a -n 200" in told["6.1"]
