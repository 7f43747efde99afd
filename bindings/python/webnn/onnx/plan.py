"""What can be said of a graph before anything in it is converted; bodies of loops are walked many times."""

from .errors import ModelError, quoted

MAX_DEPTH = 64  # of graphs and functions within each other
_GRAPH = 5      # onnx.AttributeProto's number of the kind


class Plan:
    """Who makes which name of a graph, what is stored in it, and how many nodes need each name."""

    def __init__(self, graph, plans):
        self.graph = graph
        self.producers = {}
        for node in graph.node:
            for name in filter(None, node.output):
                if name in self.producers:
                    raise ModelError(f"two nodes have the output {quoted(name)}")
                self.producers[name] = node
        self.initializers = self._find_initializers()
        self.stored = {}  # tensors that were read
        self._needs = {}  # id of a node → (the node, which keeps the id its own; its names; its graphs)
        self.uses = {}    # by name, how many nodes need it; an output counts as one
        for node in graph.node:
            names, graphs = plans.needs(node)
            self._needs[id(node)] = node, names, graphs
            for name in names:
                self.uses[name] = self.uses.get(name, 0) + 1
        for output in graph.output:
            name = output if isinstance(output, str) else output.name
            self.uses[name] = self.uses.get(name, 0) + 1

    def needs(self, node):
        """The names that a node takes, or a graph within it; and these graphs by attribute."""
        return self._needs[id(node)][1:]

    def _find_initializers(self):
        """Initializers, unread: a tensor is looked at when something uses it."""
        dense = [(tensor.name, tensor) for tensor in getattr(self.graph, "initializer", ())]
        sparse = [(tensor.values.name, tensor) for tensor in getattr(self.graph, "sparse_initializer", ())]
        found = dict(dense + sparse)
        if len(found) != len(dense) + len(sparse):
            raise ModelError("two initializers have the same name")
        for name in found:
            if name in self.producers:
                raise ModelError(f"{quoted(name)} is an initializer and the output of a node")
        return found


class Plans:
    """The plans of all graphs of a model, each made once."""

    def __init__(self):
        self._plans = {}     # id of a graph → (the graph, which keeps the id its own; its plan)
        self._captured = {}  # the same, with the names that it uses and doesn't define

    def of(self, graph):
        if id(graph) not in self._plans:
            self._plans[id(graph)] = graph, Plan(graph, self)
        return self._plans[id(graph)][1]

    def needs(self, node):
        """Each once: the names that a node takes, in order, and those that graphs within it capture."""
        names = dict.fromkeys(filter(None, node.input))
        graphs = {attribute.name: attribute.g for attribute in node.attribute if attribute.type == _GRAPH}
        for graph in graphs.values():
            names.update(dict.fromkeys(self.captured(graph)))
        return tuple(names), graphs

    def captured(self, graph, depth=0):
        """The names that a graph uses and doesn't define."""
        if depth > MAX_DEPTH:
            raise ModelError(f"graphs are nested more than {MAX_DEPTH} deep")
        if id(graph) not in self._captured:
            self._captured[id(graph)] = graph, self._find_captured(graph, depth)
        return self._captured[id(graph)][1]

    def _find_captured(self, graph, depth):
        used = {output.name for output in graph.output}
        defined = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
        defined |= {tensor.values.name for tensor in graph.sparse_initializer}
        for node in graph.node:
            used.update(filter(None, node.input))
            defined.update(node.output)
            for attribute in node.attribute:
                if attribute.type == _GRAPH:
                    used |= self.captured(attribute.g, depth + 1)
        return used - defined
