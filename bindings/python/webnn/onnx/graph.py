"""The walk through a model's graph: which nodes are needed, in which order, and what their values are."""

import operator

import numpy as np
import webnn

from . import fold, tensors
from .errors import ModelError, fitted, quoted, shown
from .ledger import Ledger
from .node import CONVERTERS, Emitter, Node, is_constant
from .plan import MAX_DEPTH, Plans

_OLDEST_OPSET = 6
_MAX_NODES = 100_000  # converted, and rounds of loops


class Scope:
    """The names of one graph: the model's, a branch's, a loop body's or a function's."""

    def __init__(self, importer, graph, parent, opsets=None, attributes=None):
        self.importer, self.parent = importer, parent
        self.depth = parent.depth + 1 if parent else 0
        self.opsets = opsets if opsets is not None else parent.opsets
        self.attributes = attributes if attributes is not None else parent.attributes
        if self.depth > MAX_DEPTH:
            raise ModelError(f"graphs and functions are nested more than {MAX_DEPTH} deep")
        self.plan = importer.plans.of(graph)
        self.producers, self.initializers = self.plan.producers, self.plan.initializers
        self.values = {}
        self.left = self.plan.uses.copy()  # by name, how many nodes still need it

    def opset(self, domain):
        if domain not in self.opsets and domain == "":
            raise ModelError("the model doesn't say which opset of the default domain it uses")
        return self.opsets.get(domain, 1)

    def is_last(self, name):
        """One node less needs a value: whether it was the last."""
        self.left[name] -= 1
        return self.left[name] == 0

    def attributes_of(self, node):
        """A node's attributes by name; in a function, references to the call's are resolved."""
        found = {}
        for attribute in node.attribute:
            name = attribute.name
            if attribute.ref_attr_name:
                attribute = self.attributes.get(attribute.ref_attr_name)
            if attribute is not None:
                found[name] = attribute
        return found

    def knows(self, name):
        return name in self.values or name in self.producers or name in self.initializers

    def home(self, name):
        """The scope that has a name: this one or one around it; None."""
        scope = self
        while scope is not None and not scope.knows(name):
            scope = scope.parent
        return scope

    def initializer(self, name):
        tensor, importer = self.initializers[name], self.importer
        if not hasattr(tensor, "values"):
            return self.stored(name, tensor)
        array = tensors.sparse_to_array(importer.source, tensor, importer.ledger.claim)
        importer.ledger.count(array)
        return array

    def stored(self, key, tensor):
        """The array of a tensor in this graph, `key` telling it from others. In graphs that may be walked again it
        stays the same, so that it becomes one constant."""
        array = self.plan.stored.get(key)
        if array is None:
            array = tensors.to_array(self.importer.source, tensor)
            self.importer.ledger.allow(array.nbytes)
            if self.depth > 0:
                self.plan.stored[key] = array
        self.importer.ledger.count(array)
        return array


class Importer:
    """One import: a model, the builder it goes to, and what is shared by its graphs."""

    def __init__(self, builder, source):
        self.source = source
        self.ledger = Ledger(source.given)
        self.plans = Plans()
        self.emitter = Emitter(builder, self.ledger)
        self.functions = {(f.domain, f.name, getattr(f, "overload", "")): f for f in source.proto.functions}
        self._n_converted = 0

    def run(self, shapes, constants):
        """Adds the model; gives its outputs by name."""
        graph = self.source.proto.graph
        scope = Scope(self, graph, None, _opsets(self.source.proto.opset_import), {})
        if not graph.output:
            raise ModelError("the model has no outputs")
        self._bind_inputs(scope, graph, _by_name("shapes", shapes), _by_name("constants", constants))
        names = [output.name for output in graph.output]
        if len(set(names)) != len(names):
            raise ModelError("two outputs of the model have the same name")
        self.evaluate(scope, names)
        return {name: self._output(name, scope.values[name]) for name in names}

    def _bind_inputs(self, scope, graph, shapes, constants):
        inputs = [value for value in graph.input if value.name not in scope.initializers]
        names = [value.name for value in inputs]
        _check_names([*names, *(output.name for output in graph.output)])
        if len(set(names)) != len(names):
            raise ModelError("two inputs of the model have the same name")
        for given in (*shapes, *constants):
            if given not in names:
                raise TypeError(fitted(f"the model has no input {given!r}: it has {', '.join(map(quoted, names))}"))
        for value in inputs:
            if value.name in scope.producers:
                raise ModelError(f"{quoted(value.name)} is an input and the output of a node")
            if value.name in constants:
                scope.values[value.name] = _constant_input(value, constants[value.name])
                self.ledger.allow(scope.values[value.name].nbytes)
                continue
            elem_type, shape = _described(value, shapes.get(value.name))
            try:
                operand = self.emitter.input(value.name, shape, tensors.GRAPH_TYPES[elem_type],
                                             elem_type == tensors.BOOL)
            except TypeError as error:
                if value.name in shapes:
                    raise
                raise ModelError(f"input {quoted(value.name)}: {error}") from error
            scope.values[value.name] = operand

    def _output(self, name, value):
        """An operand that may be an output: what the graph doesn't compute passes through an identity."""
        if isinstance(value, list) or value is None:
            raise ModelError(f"output {quoted(name)} is a sequence or optional value, not a tensor")
        if not is_constant(value) and not self.emitter.is_leaf(value):
            return value
        self.emitter.label = name
        try:
            return self.emitter.identity(value)
        except ModelError as error:
            raise ModelError(f"output {quoted(name)}: {error}") from error

    def evaluate(self, scope, names):
        """Converts what `names` need, depth first and without recursion; fills scope.values."""
        for name in names:
            if name not in scope.values:
                self._evaluate_one(scope, name)

    def _evaluate_one(self, scope, wanted):
        node = self._start(scope, wanted)
        if node is None:
            return
        stack, active = [(node, self._dependencies(scope, node))], {id(node)}
        while stack:
            node, dependencies = stack[-1]
            name = next(dependencies, None)
            if name is None:
                stack.pop()
                active.discard(id(node))
                self._convert(scope, node)
                continue
            home = scope.home(name)
            if home is not None and name in home.values:
                continue
            if home is not None and home is not scope and name not in home.initializers:
                raise ModelError(f"{quoted(name)} is used in a graph within the node that makes it")
            producer = self._start(home or scope, name)
            if producer is None:
                continue
            if id(producer) in active:
                raise ModelError(f"the graph has a cycle through {quoted(name)} (node {quoted(producer.name)}, "
                                 f"{shown(producer.op_type)})")
            active.add(id(producer))
            stack.append((producer, self._dependencies(scope, producer)))

    def _start(self, scope, name):
        """The node that makes `name`; None when it is an initializer, which is then read."""
        if name in scope.producers:
            return scope.producers[name]
        if name not in scope.initializers:
            raise ModelError(f"{quoted(name)} is used, but nothing makes it")
        scope.values[name] = scope.initializer(name)
        return None

    def _dependencies(self, scope, node):
        """The names that a node needs, one after the other: of an If whose condition is known, one branch's."""
        yield from filter(None, node.input)
        _, graphs = scope.plan.needs(node)
        if not graphs:
            return
        if node.op_type == "If" and not node.domain and any(node.input[:1]):
            condition = scope.home(node.input[0]).values[node.input[0]]
            if is_constant(condition):
                graphs = {"": graphs.get("then_branch" if condition.size and condition.flat[0] else "else_branch")}
        for graph in filter(None, graphs.values()):
            for name in sorted(self.plans.captured(graph), key=str):  # damaged names are bytes
                if scope.home(name) is not None:
                    yield name

    def _convert(self, scope, proto):
        self._count()
        inputs = [scope.home(name).values[name] if name else None for name in proto.input]
        node = Node(self, scope, proto, inputs)
        if node.domain == "" and node.opset < _OLDEST_OPSET and _changed(node.op_type, node.opset):
            raise ModelError(f"{node}: opset {node.opset} is older than {_OLDEST_OPSET}")
        self.emitter.label = proto.name or next(filter(None, proto.output), "")
        results = self._results(node)
        for name, value in zip(proto.output, results):
            if name in scope.left:
                scope.values[name] = value
        for name in filter(None, proto.output[len(results):]):
            node.fail(f"output {quoted(name)} is not supported")
        self._let_go(scope, proto)

    def _count(self):
        self._n_converted += 1
        if self._n_converted > _MAX_NODES:
            raise ModelError(f"the model has more than {_MAX_NODES} nodes, loops unrolled")

    def _let_go(self, scope, proto):
        """Values that nothing needs any longer, and big arrays that are constants of the graph now."""
        for name in scope.plan.needs(proto)[0]:
            home = scope.home(name)
            if home is scope and scope.is_last(name):
                scope.values.pop(name, None)
            elif home is not None and is_constant(home.values.get(name)):
                home.values[name] = self.emitter.taken(home.values[name])

    def _results(self, node):
        try:
            return self._converted(node)
        except ModelError as error:
            if error.located:
                raise
            raise ModelError(f"{node}: {error}", located=True) from error
        except (webnn.OperationError, webnn.InvalidStateError):
            raise  # the context's
        except RecursionError:
            raise ModelError("the model's graphs are nested too deeply") from None
        except MemoryError:
            raise
        except Exception as error:  # what no converter has thought of
            raise ModelError(f"{node}: its inputs, {node.described()}, or its attributes don't fit each other "
                             f"({type(error).__name__}: {error})", located=True) from error

    def _converted(self, node):
        results = fold.fold(node)
        if results is None:
            results = self._converter(node)(node)
            node.check_attributes()
        results = results if isinstance(results, tuple) else (results,)
        results = [np.asarray(value) if isinstance(value, np.generic) else value for value in results]
        for value in results:
            if is_constant(value):
                self.ledger.count(value)
        return results

    def _converter(self, node):
        function = self.functions.get((node.proto.domain, node.op_type, getattr(node.proto, "overload", "")))
        if function is not None:
            return lambda n: self._call_function(n, function)
        converter = CONVERTERS.get((node.domain, node.op_type))
        if converter is None and node.domain == "" and node.op_type in fold.FOLDERS:
            for index in range(len(node.inputs)):
                if node.has(index):
                    node.array(index)
            node.fail(f"with inputs {node.described()} it can't be computed while importing")
        if converter is None:
            node.fail(f"the operation {shown(node.op_type)} of domain {quoted(node.domain or 'ai.onnx')} is not "
                      "supported")
        return converter

    def _call_function(self, node, function):
        attributes = {a.name: a for a in function.attribute_proto}
        attributes.update(node.scope.attributes_of(node.proto))
        node.ignore(*attributes)
        scope = Scope(self, function, None, _opsets(function.opset_import), attributes)
        scope.depth = node.scope.depth + 1
        if scope.depth > MAX_DEPTH:
            node.fail(f"functions are nested more than {MAX_DEPTH} deep")
        for index, name in enumerate(function.input):
            scope.values[name] = node.inputs[index] if node.has(index) else None
        return self._run_scope(scope, list(function.output))

    def run_graph(self, node, graph, arguments=()):
        """The outputs of a graph in an attribute of `node`, its inputs bound to values."""
        self._count()
        scope = Scope(self, graph, node.scope)
        if len(arguments) != len(graph.input):
            node.fail(f"its graph has {len(graph.input)} inputs, {len(arguments)} are expected")
        scope.values.update(zip((value.name for value in graph.input), arguments))
        return self._run_scope(scope, [output.name for output in graph.output])

    def _run_scope(self, scope, names):
        label = self.emitter.label
        for name in names:
            home = scope.home(name)
            if home is scope or home is None:
                self.evaluate(scope, [name])
        self.emitter.label = label
        return tuple(scope.home(name).values[name] for name in names)


def _by_name(argument, given):
    """An argument that is a dict by names of inputs."""
    try:
        return dict(given or {})
    except (TypeError, ValueError):
        raise TypeError(f"{argument} must be a dict by names of inputs, not {type(given).__name__!r}") from None


def _check_names(names):
    """Damaged text comes as bytes; an empty name is none."""
    for name in names:
        if not isinstance(name, str) or not name:
            raise ModelError(f"an input or output is named {name!r}")


def _opsets(imports):
    return {"" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in imports}


def _changed(op_type, opset):
    """Whether an operation was another one before the oldest opset that is read here."""
    from onnx import defs

    if opset < 1:
        return True
    try:
        then, now = (defs.get_schema(op_type, version).since_version for version in (opset, _OLDEST_OPSET))
    except (defs.SchemaError, TypeError):  # TypeError: a damaged name
        return True
    return then != now


def _declared(value):
    """Element type of a model's input, and its shape as far as the model says it."""
    name = value.name
    if not value.type.HasField("tensor_type"):
        raise ModelError(f"input {quoted(name)} is not a tensor")
    elem_type = value.type.tensor_type.elem_type
    if elem_type not in tensors.GRAPH_TYPES:
        kind = tensors.NAMES.get(elem_type, elem_type)
        raise ModelError(f"input {quoted(name)} has elements of type {kind}, which have no counterpart")
    declared = None
    if value.type.tensor_type.HasField("shape"):
        declared = [_dimension(dim) for dim in value.type.tensor_type.shape.dim]
    return elem_type, declared


def _described(value, given):
    """Element type and static shape of a model's input."""
    elem_type, declared = _declared(value)
    if given is None:
        return elem_type, _known(value.name, declared)
    shape = _checked_shape(value.name, given)
    _check_fit("shapes", value.name, declared, shape)
    return elem_type, shape


def _check_fit(what, name, declared, shape):
    fits = declared is None or len(declared) == len(shape) and all(
        not isinstance(known, int) or known == size for known, size in zip(declared, shape))
    if not fits:
        raise TypeError(fitted(f"{what}: input {quoted(name)} is declared as {declared}, which {shape} doesn't fit"))


def _dimension(dim):
    """A size, or how the model calls an unknown one; some exporters write 0 or −1 for that."""
    if dim.HasField("dim_value") and dim.dim_value > 0:
        return dim.dim_value
    return dim.dim_param or "?"


def _known(name, declared):
    if declared is None:
        raise ModelError(f"input {quoted(name)} has no shape: give one as shapes={{{quoted(name)}: […]}}")
    for axis, size in enumerate(declared):
        if not isinstance(size, int):
            raise ModelError(f"input {quoted(name)}: dimension {axis} ({shown(size)}) of {shown(str(declared))} is "
                             f"unknown: give shapes={{{quoted(name)}: […]}}")
    return declared


def _checked_shape(name, given):
    try:
        shape = [_whole(size) for size in given] if not isinstance(given, (str, bytes)) else [0]
    except TypeError:
        shape = [0]
    if not all(0 < size < 1 << 31 for size in shape):
        raise TypeError(fitted(f"shapes: input {quoted(name)} needs a list of positive whole numbers, not {given!r}"))
    return shape


def _whole(size):
    return 0 if isinstance(size, bool) else operator.index(size)


def _constant_input(value, given):
    elem_type, declared = _declared(value)
    try:
        array = np.asarray(given)
        numbers = array.dtype.kind in "biuf" or array.dtype.name == "bfloat16"
    except (TypeError, ValueError):  # lists of different lengths
        numbers = False
    if not numbers or array.size > 1 << 28:
        raise TypeError(fitted(f"constants: input {quoted(value.name)} needs numbers, not {given!r}"))
    _check_fit("constants", value.name, declared, list(array.shape))
    return array.astype(tensors.numpy_type(elem_type))
