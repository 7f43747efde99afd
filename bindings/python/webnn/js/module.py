"""The text of a module: one statement for each operand, in the order in which the graph was made."""

from .. import __version__
from .._definition import snake
from . import literals
from .calls import calls

_BYTES = """
// The bytes behind base64 text.
function bytes(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}
"""

_OPEN = """
// Opens a safetensors file, given by its URL or as its bytes: a function from a tensor's name to its bytes.
async function openTensors(source) {
  let file = source;
  if (!(source instanceof ArrayBuffer || ArrayBuffer.isView(source))) {
    const response = await fetch(source);
    if (!response.ok) throw new Error(`${source}: ${response.status} ${response.statusText}`);
    file = await response.arrayBuffer();
  }
  if (ArrayBuffer.isView(file)) file = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
  const begin = 8 + Number(new DataView(file).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.slice(8, begin)));
  return (name) => file.slice(...header[name].data_offsets.map((offset) => begin + offset));
}
"""


class Module:
    """`tensors`, filled by `text`, are the constants that the module expects in the file `weights`, by name."""

    def __init__(self, definition, inline=None, weights=None):
        self.definition = definition
        self.inline = inline
        self.weights = weights
        self.tensors = {}
        self.names = literals.Names()
        self.called = {}  # identifiers by operand id
        self.counts = {}
        self.outputs = {}
        for name, operand in definition.outputs:
            self.outputs.setdefault(operand.id, name)

    def text(self):
        inputs = [self.input(operand) for operand in self.definition.inputs]
        body = [line for operator in self.definition.operators for line in self.operator(operator)]
        tensors = ["  const tensor = await openTensors(weights);"] if self.tensors else []
        lines = [
            *self.head(),
            "  const builder = new MLGraphBuilder(context);",
            *tensors,
            "",
            *inputs,
            *([""] if inputs else []),
            *body,
            "",
            *self.tail(),
            "}",
        ]
        text = "\n".join(lines) + "\n"
        if ' bytes("' in text:
            text += _BYTES
        return text + _OPEN if self.tensors else text

    def head(self):
        listed = lambda operands: ", ".join(literals.string(name) for name in operands) or "nothing"
        n, inputs = len(self.definition.operators), listed(operand.name for operand in self.definition.inputs)
        yield f"// A graph of {n} operation{'' if n == 1 else 's'}, from {inputs}"
        yield f"// to {listed(name for name, _ in self.definition.outputs)}. Written by webnn.js {__version__}."
        yield ""
        yield "// Builds the graph on an MLContext. Resolves to {graph, inputs, outputs}; two are descriptors by name."
        if self.tensors:
            yield "// `weights`: a URL, or the bytes of that file."
        more = f", weights = new URL({literals.string(self.weights)}, import.meta.url)" if self.tensors else ""
        yield f"export default async function buildGraph(context{more}) {{"

    def tail(self):
        outputs = self.definition.outputs
        built = [literals.entry(name, self.called[operand.id]) for name, operand in outputs]
        yield from literals.statement(["graph"], "await builder.build(", built)
        yield "  return {"
        yield "    graph,"
        yield from self.descriptors("inputs", [(operand.name, operand) for operand in self.definition.inputs])
        yield from self.descriptors("outputs", outputs)
        yield "  };"

    @staticmethod
    def descriptors(what, named):
        lines = [f"      {literals.key(name)}: {literals.descriptor(operand)}," for name, operand in named]
        return [f"    {what}: {{", *lines, "    },"] if lines else [f"    {what}: {{}},"]

    def input(self, operand):
        name = self.called[operand.id] = self.names.unique(operand.name)
        return f"  const {name} = builder.input({literals.string(operand.name)}, {literals.descriptor(operand)});"

    # ---- operations

    def wish(self, operator):
        """What the results of a call would like to be called."""
        if operator.label:
            return operator.label
        if operator.outputs[0].id in self.outputs:
            return self.outputs[operator.outputs[0].id]
        n = self.counts[operator.op] = self.counts.get(operator.op, 0) + 1
        return f"{operator.op}_{n}"

    def operator(self, operator):
        base = self.wish(operator)
        several = len(operator.outputs) > 1
        for i, operand in enumerate(operator.outputs):
            name = self.outputs.get(operand.id) or f"{base}_{i}" if several else base
            self.called[operand.id] = self.names.unique(name)
        yield from self.constants(operator)
        for call in calls(operator, lambda part: self.names.unique(f"{base}_{part}")):
            yield from self.call(call)

    def constants(self, operator):
        """Those that are used here for the first time."""
        owner = self.called[operator.outputs[0].id]
        for field, operand in operator.operands():
            if operand.data is None or operand.id in self.called:
                continue
            name = self.called[operand.id] = self.names.unique(f"{owner}_{snake(field)}")
            data = literals.data(operand)
            if self.inline is not None and len(operand.data) > self.inline:
                self.tensors[name] = operand
                data = f"tensor({literals.string(name)})"
            yield f"  const {name} = builder.constant({literals.descriptor(operand)}, {data});"

    def call(self, call):
        """A call's statement; what is not in `called` has brought its own name."""
        known = self.called | call.names
        args = ", ".join(literals.value(value, known) for value in call.args)
        options = [f"{key}: {literals.value(value, known)}" for key, value in call.options.items()]
        if call.label:
            options.append(f"label: {literals.string(call.label)}")
        targets = [known[operand.id] for operand in call.outputs]
        if call.is_list and len(targets) == 1:
            targets = [f"[{targets[0]}]"]
        return literals.statement(targets, f"builder.{call.op}({args}", options)

