"""Generated graphs on all backends, with passes and without, against NumPy. The same ones each time, for some
80 seconds; `make fuzz` looks further."""

import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, Phase, configuration, given, seed, settings

from test_wpt import DATA

from webnn import testing
from webnn.testing import strategies

FOUND = DATA / "found"


@pytest.fixture(scope="module", autouse=True)
def hypothesis_home(tmp_path_factory):
    """Its notes go where pytest's do."""
    configuration.set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))


def bounded(examples):
    """A fixed number of fixed examples."""
    def decorate(function):
        quick = settings(max_examples=examples, deadline=None, database=None, phases=[Phase.generate],
                         suppress_health_check=list(HealthCheck))
        return seed(0)(quick(function))

    return decorate


@pytest.fixture(scope="module")
def contexts():
    with testing.contexts(["reference", "onednn"]) as found:
        assert "reference" in found
        yield found


def check(definition, contexts, directory):
    found = testing.differ(definition, contexts)
    if found is None:
        return
    name, _ = found
    only = {name: contexts[name]}
    _, outcome = testing.differ(testing.smaller(definition, lambda it: testing.differ(it, only)), only)
    path = directory / "difference.json"
    outcome.save(path)
    pytest.fail(f"{name}: {outcome}\npython -m webnn replay {path}", pytrace=False)


@pytest.mark.parametrize("op", sorted(strategies.OPERATIONS))
def test_operation(op, contexts, tmp_path_factory):
    whole = {name: context for name, context in contexts.items() if not name.endswith("off")}

    @bounded(12)
    @given(strategies.calls(op))
    def run(definition):
        check(definition, whole, tmp_path_factory.getbasetemp())

    run()


def test_graphs(contexts, tmp_path_factory):
    @bounded(150)
    @given(strategies.graphs())
    def run(definition):
        check(definition, contexts, tmp_path_factory.getbasetemp())

    run()


@pytest.fixture(scope="module")
def opencl():
    with testing.contexts(["opencl"]) as found:
        if not found:
            pytest.skip("no OpenCL here")
        yield found


def test_graphs_on_opencl(opencl, tmp_path_factory):
    """Few: each is new to the compiler."""
    @bounded(10)
    @given(strategies.graphs())
    def run(definition):
        check(definition, opencl, tmp_path_factory.getbasetemp())

    run()


@pytest.mark.parametrize("op", sorted(strategies.OPERATIONS))
def test_operation_on_opencl(op, opencl, tmp_path_factory):
    whole = {name: context for name, context in opencl.items() if not name.endswith("off")}

    @bounded(1)
    @given(strategies.calls(op))
    def run(definition):
        check(definition, whole, tmp_path_factory.getbasetemp())

    run()


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.json")), ids=lambda path: path.stem)
def test_found_once(path):
    outcomes = testing.replay(path)
    assert len(outcomes) >= 2
    assert not [f"{name}: {outcome}" for name, outcome in outcomes if not outcome]


def test_invalid_calls(contexts):
    @bounded(400)
    @given(strategies.invalid_calls())
    def run(call):
        with pytest.raises(call.error):
            call.attempt(contexts["reference"])

    run()


def test_finds_a_wrong_operation(contexts):
    """The campaign can fail: an engine whose relu keeps small negative numbers is found out, in a small graph."""
    def engine(definition, inputs, outputs):
        values = testing.definition.values_of(definition, inputs)
        for step in definition["operators"]:
            results = testing.definition.run_operator(step, values)
            if step["op"] == "relu":
                (x,) = (values[name] for name in testing.definition.operands_of(step))
                results = [results[0] + (x < 0) * (x > -1) * x]
            values.update(zip(step["outputs"], results))
        return {name: values[name] for name in outputs}

    found = []

    @bounded(100)
    @given(strategies.graphs(["relu", "add", "transpose"], data_types=["float32"]))
    def run(definition):
        if not testing.compare(definition, context=engine):
            found.append(definition)

    run()
    assert found
    small = testing.smaller(found[0], lambda definition: not testing.compare(definition, context=engine))
    outcome = testing.compare(small, context=engine)
    assert [step["op"] for step in small["operators"]] == ["relu"] and outcome.mismatch.op == "relu"
