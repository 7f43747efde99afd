"""Makes a graph that fails smaller: what led to the failing operator becomes its inputs, what follows goes."""

from . import definition as definitions


def needed(definition, outputs):
    """The definition of some outputs alone."""
    wanted, operators = set(outputs), []
    for step in reversed(definition["operators"]):
        if wanted.intersection(step["outputs"]):
            wanted.update(definitions.operands_of(step))
            operators.insert(0, step)
    inputs = {name: tensor for name, tensor in definition["inputs"].items() if name in wanted}
    return {"inputs": inputs, "operators": operators, "outputs": list(outputs)}


def without(definition, step, values):
    """The definition with the results of one operator given as inputs."""
    given = {name: definitions.tensor(values[name]) for name in step["outputs"]}
    operators = [other for other in definition["operators"] if other is not step]
    return needed({"inputs": {**definition["inputs"], **given}, "operators": operators}, definition["outputs"])


def smaller(definition, fails):
    """The smallest graph found of which fails(definition) is true; it is true of `definition`."""
    best = {**definition, "outputs": definitions.output_names(definition)}
    for name in [name for step in definition["operators"] for name in step["outputs"]]:
        candidate = needed(definition, [name])
        if len(candidate["operators"]) < len(best["operators"]) and fails(candidate):
            best = candidate
    values = definitions.run_reference(best)
    tried = 0
    while tried < len(best["operators"]):
        step = best["operators"][tried]
        final = set(step["outputs"]).intersection(best["outputs"])
        candidate = None if final else without(best, step, values)
        if candidate is not None and fails(candidate):
            best = candidate
        else:
            tried += 1
    return best
