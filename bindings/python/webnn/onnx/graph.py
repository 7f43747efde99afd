"""The walk through a model's graph: which nodes are needed, in which order, and what their values are."""

import numpy as np
import webnn

from . import fold, tensors
from .errors import ModelError
from .node import CONVERTERS, Emitter, Node, is_constant

_OLDEST_OPSET = 6
_MAX_DEPTH = 64          # of graphs and functions within each other
_MAX_NODES = 100_000   # converted, loops unrolled
_SPARSE_LIMIT = 1 << 26  # elements of one sparse tensor, written out


class Scope:
    """The names of one graph: the model's, a branch's, a loop body's or a function's."""

    def __init__(self, importer, graph, parent, opsets=None, attributes=None):
        self.importer, self.graph, self.parent = importer, graph, parent
        self.depth = parent.depth + 1 if parent else 0
        self.opsets = opsets if opsets is not None else parent.opsets
        self.attributes = attributes if attributes is not None else parent.attributes
        self.values = {}
        self.producers = {}
        if self.depth > _MAX_DEPTH:
            raise ModelError(f"graphs and functions are nested more than {_MAX_DEPTH} deep")
        for node in graph.node:
            for name in filter(None, node.output):
                if name in self.producers:
                    raise ModelError(f"two nodes have the output {name!r}")
                self.producers[name] = node
        self._add_initializers(graph)

    def _add_initializers(self, graph):
        """Registers them unread: a tensor is looked at when something uses it."""
        dense = [(tensor.name, tensor) for tensor in getattr(graph, "initializer", ())]
        sparse = [(tensor.values.name, tensor) for tensor in getattr(graph, "sparse_initializer", ())]
        self.initializers = dict(dense + sparse)
        if len(self.initializers) != len(dense) + len(sparse):
            raise ModelError("two initializers have the same name")
        for name in self.initializers:
            if name in self.producers:
                raise ModelError(f"{name!r} is an initializer and the output of a node")

    def opset(self, domain):
        if domain not in self.opsets and domain == "":
            raise ModelError("the model doesn't say which opset of the default domain it uses")
        return self.opsets.get(domain, 1)

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
        tensor = self.initializers[name]
        if hasattr(tensor, "values"):
            return tensors.sparse_to_array(self.importer.source, tensor, _SPARSE_LIMIT)
        return tensors.to_array(self.importer.source, tensor)


class Importer:
    """One import: a model, the builder it goes to, and what is shared by its graphs."""

    def __init__(self, builder, source):
        self.source = source
        self.emitter = Emitter(builder)
        self.functions = {(f.domain, f.name, getattr(f, "overload", "")): f for f in source.proto.functions}
        self.n_converted = 0

    def run(self, shapes, constants):
        """Adds the model; gives its outputs by name."""
        graph = self.source.proto.graph
        scope = Scope(self, graph, None, _opsets(self.source.proto.opset_import), {})
        if not graph.output:
            raise ModelError("the model has no outputs")
        self._bind_inputs(scope, graph, dict(shapes or {}), dict(constants or {}))
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
                raise TypeError(f"the model has no input {given!r}: it has {', '.join(map(repr, names))}")
        for value in inputs:
            if value.name in scope.producers:
                raise ModelError(f"{value.name!r} is an input and the output of a node")
            if value.name in constants:
                scope.values[value.name] = _constant_input(value, constants[value.name])
                continue
            elem_type, shape = _described(value, shapes.get(value.name))
            scope.values[value.name] = self.emitter.input(value.name, shape, tensors.GRAPH_TYPES[elem_type],
                                                          elem_type == tensors.BOOL)

    def _output(self, name, value):
        """An operand that may be an output: what the graph doesn't compute passes through an identity."""
        if isinstance(value, list) or value is None:
            raise ModelError(f"output {name!r} is a sequence or optional value, not a tensor")
        if is_constant(value) or self.emitter.is_leaf(value):
            self.emitter.label = name
            return self.emitter.identity(value)
        return value

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
                raise ModelError(f"{name!r} is used in a graph within the node that makes it")
            producer = self._start(home or scope, name)
            if producer is None:
                continue
            if id(producer) in active:
                raise ModelError(f"the graph has a cycle through {name!r} (node {producer.name!r}, "
                                 f"{producer.op_type})")
            active.add(id(producer))
            stack.append((producer, self._dependencies(scope, producer)))

    def _start(self, scope, name):
        """The node that makes `name`; None when it is an initializer, which is then read."""
        if name in scope.producers:
            return scope.producers[name]
        if name not in scope.initializers:
            raise ModelError(f"{name!r} is used, but nothing makes it")
        scope.values[name] = scope.initializer(name)
        return None

    def _dependencies(self, scope, node):
        """The names that a node needs, one after the other: of an If whose condition is known, one branch's."""
        yield from filter(None, node.input)
        graphs = {a.name: a.g for a in node.attribute if a.type == a.GRAPH}
        if node.op_type == "If" and not node.domain and any(node.input[:1]):
            condition = scope.home(node.input[0]).values[node.input[0]]
            if is_constant(condition):
                graphs = {"": graphs.get("then_branch" if condition.size and condition.flat[0] else "else_branch")}
        for graph in filter(None, graphs.values()):
            for name in sorted(captured(graph)):
                if scope.home(name) is not None:
                    yield name

    def _convert(self, scope, proto):
        self.n_converted += 1
        if self.n_converted > _MAX_NODES:
            raise ModelError(f"the model has more than {_MAX_NODES} nodes, loops unrolled")
        inputs = [scope.home(name).values[name] if name else None for name in proto.input]
        node = Node(self, scope, proto, inputs)
        if node.domain == "" and node.opset < _OLDEST_OPSET and _changed(node.op_type, node.opset):
            raise ModelError(f"{node}: opset {node.opset} is older than {_OLDEST_OPSET}")
        self.emitter.label = proto.name or next(filter(None, proto.output), "")
        results = self._results(node)
        for name, value in zip(proto.output, results):
            if name:
                scope.values[name] = value
        for name in filter(None, proto.output[len(results):]):
            node.fail(f"output {name!r} is not supported")
        self._let_go(scope, proto)

    def _let_go(self, scope, proto):
        """Big arrays that are constants of the graph now aren't held here any longer."""
        for name in filter(None, proto.input):
            values = scope.home(name).values
            if is_constant(values[name]):
                values[name] = self.emitter.taken(values[name])

    def _results(self, node):
        try:
            results = fold.fold(node)
            if results is None:
                results = self._converter(node)(node)
                node.check_attributes()
        except (webnn.OperationError, webnn.InvalidStateError):
            raise  # ours, or the context's
        except RecursionError:
            raise ModelError("the model's graphs are nested too deeply") from None
        except MemoryError:
            raise
        except Exception as error:
            raise ModelError(f"{node}: {error}") from error
        results = results if isinstance(results, tuple) else (results,)
        return tuple(np.asarray(value) if isinstance(value, np.generic) else value for value in results)

    def _converter(self, node):
        function = self.functions.get((node.proto.domain, node.op_type, getattr(node.proto, "overload", "")))
        if function is not None:
            return lambda n: self._call_function(n, function)
        converter = CONVERTERS.get((node.domain, node.op_type))
        if converter is None and node.domain == "" and node.op_type in fold.FOLDERS:
            for index in range(len(node.inputs)):
                if node.has(index):
                    node.array(index)
            node.fail("it is too large to be computed while importing")
        if converter is None:
            node.fail(f"the operation {node.op_type} of domain {node.domain or 'ai.onnx'!r} is not supported")
        return converter

    def _call_function(self, node, function):
        attributes = {a.name: a for a in function.attribute_proto}
        attributes.update(node.scope.attributes_of(node.proto))
        node.ignore(*attributes)
        scope = Scope(self, function, None, _opsets(function.opset_import), attributes)
        scope.depth = node.scope.depth + 1
        if scope.depth > _MAX_DEPTH:
            node.fail(f"functions are nested more than {_MAX_DEPTH} deep")
        for index, name in enumerate(function.input):
            scope.values[name] = node.optional(index)
        return self._run_scope(scope, list(function.output))

    def run_graph(self, node, graph, arguments=()):
        """The outputs of a graph in an attribute of `node`, its inputs bound to values."""
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


def captured(graph, depth=0):
    """The names that a graph uses and doesn't define."""
    if depth > _MAX_DEPTH:
        raise ModelError(f"graphs are nested more than {_MAX_DEPTH} deep")
    used = {output.name for output in graph.output}
    defined = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    defined |= {tensor.values.name for tensor in graph.sparse_initializer}
    for node in graph.node:
        used.update(filter(None, node.input))
        defined.update(node.output)
        for attribute in node.attribute:
            if attribute.type == attribute.GRAPH:
                used |= captured(attribute.g, depth + 1)
    return used - defined


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

    try:
        then, now = (defs.get_schema(op_type, version).since_version for version in (opset, _OLDEST_OPSET))
    except defs.SchemaError:
        return True
    return then != now


def _declared(value):
    """Element type of a model's input, and its shape as far as the model says it."""
    name = value.name
    if not value.type.HasField("tensor_type"):
        raise ModelError(f"input {name!r} is not a tensor")
    elem_type = value.type.tensor_type.elem_type
    if elem_type not in tensors.GRAPH_TYPES:
        kind = tensors.NAMES.get(elem_type, elem_type)
        raise ModelError(f"input {name!r} has elements of type {kind}, which have no counterpart")
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
        raise TypeError(f"{what}: input {name!r} is declared as {declared}, which {shape} doesn't fit")


def _dimension(dim):
    """A size, or how the model calls an unknown one; some exporters write 0 or −1 for that."""
    if dim.HasField("dim_value") and dim.dim_value > 0:
        return dim.dim_value
    return dim.dim_param or "?"


def _known(name, declared):
    if declared is None:
        raise ModelError(f"input {name!r} has no shape: give one as shapes={{{name!r}: […]}}")
    for axis, size in enumerate(declared):
        if not isinstance(size, int):
            raise ModelError(f"input {name!r}: dimension {axis} ({size}) of {declared} is unknown: give "
                             f"shapes={{{name!r}: […]}}")
    return declared


def _checked_shape(name, given):
    shape = list(given) if not isinstance(given, (str, bytes, int)) else [None]
    for size in shape:
        if isinstance(size, bool) or not hasattr(size, "__index__") or not 0 < size < 1 << 31:
            raise TypeError(f"shapes: input {name!r} needs a list of positive whole numbers, not {given!r}")
    return [int(size) for size in shape]


def _constant_input(value, given):
    elem_type, declared = _declared(value)
    array = np.asarray(given)
    numbers = array.dtype.kind in "biuf" or array.dtype.name == "bfloat16"
    if not numbers or array.size > 1 << 28:
        raise TypeError(f"constants: input {value.name!r} needs numbers, not {given!r}")
    _check_fit("constants", value.name, declared, list(array.shape))
    return array.astype(tensors.numpy_type(elem_type))
