// An MLGraphBuilder that checks its arguments and writes down the calls.
//
//     node runner.mjs module.js [module.js ...]
//
// prints, for each module, a line of JSON: {inputs, constants, operators, outputs, returned} or {error}. Weights are
// read from the safetensors file beside the module where there is one.
import {existsSync, readFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const OPERATIONS = JSON.parse(readFileSync(new URL("operations.json", import.meta.url)));
const DATA_TYPES = ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"];
const ARRAYS = {
  float32: Float32Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array,
  int8: Int8Array, uint8: Uint8Array, float16: Uint16Array,
};

class MLContext {}

class MLOperand {
  constructor(builder, name) {
    Object.assign(this, {builder, name});
  }
}

function check(right, what) {
  if (!right) throw new TypeError(what);
}

// ---- conversions, as the bindings do them; what they give is what is written down

function unsigned(value, what) {
  check(Number.isInteger(value) && value >= 0 && value < 2 ** 32, `${what} is ${value}`);
  return value;
}

function list(value, what, convert) {
  check(Array.isArray(value), `${what} is no list`);
  return value.map((item, i) => convert(item, `${what}[${i}]`));
}

function number(value, what) {
  check(typeof value === "number" || typeof value === "bigint", `${what} is ${typeof value}`);
  if (typeof value === "bigint" || !Number.isFinite(value)) return String(value);
  return Object.is(value, -0) ? "-0" : value;
}

function oneOf(words) {
  return (value, what) => {
    check(words.includes(value), `${what} is ${value}, not one of ${words}`);
    return value;
  };
}

function converter(kind, builder) {
  const operand = (value, what) => {
    check(value instanceof MLOperand && value.builder === builder, `${what} is no operand of this builder`);
    return {operand: value.name};
  };
  const unsigneds = (value, what) => list(value, what, unsigned);
  if (Array.isArray(kind)) {
    if (!Array.isArray(kind[0])) return oneOf(kind);
    return (value, what) => list(value, what, oneOf(kind[0]));
  }
  return {
    "operand": operand,
    "operand list": (value, what) => list(value, what, operand),
    "unsigned long": unsigned,
    "unsigned long list": unsigneds,
    "unsigned long or unsigned long list": (value, what) => (Array.isArray(value) ? unsigneds : unsigned)(value, what),
    "long": (value, what) => {
      check(Number.isInteger(value) && Math.abs(value) < 2 ** 31, `${what} is ${value}`);
      return value;
    },
    "number": number,
    "number list": (value, what) => list(value, what, (item) => {
      check(typeof item === "number" && Number.isFinite(item), `${what} has ${item}`);
      return item;
    }),
    "bool": (value, what) => {
      check(typeof value === "boolean", `${what} is ${value}`);
      return value;
    },
    "data type": oneOf(DATA_TYPES),
    "string": (value, what) => {
      check(typeof value === "string", `${what} is ${value}`);
      return value;
    },
  }[kind];
}

function descriptor(value) {
  check(Object.keys(value).sort().join() === "dataType,shape", `a descriptor has ${Object.keys(value)}`);
  return {
    dataType: oneOf(DATA_TYPES)(value.dataType, "dataType"),
    shape: list(value.shape, "shape", unsigned),
  };
}

// ---- the builder

class MLGraphBuilder {
  constructor(context) {
    check(context instanceof MLContext, "no MLContext");
    this.calls = {inputs: [], constants: [], operators: [], outputs: []};
    this.n = 0;
    MLGraphBuilder.last = this;
  }

  make() {
    return new MLOperand(this, `v${this.n++}`);
  }

  input(name, description) {
    check(typeof name === "string" && name !== "", "an input has no name");
    check(this.calls.inputs.every((other) => other.name !== name), `input ${name} is there twice`);
    const operand = this.make();
    this.calls.inputs.push({name, operand: operand.name, ...descriptor(description)});
    return operand;
  }

  constant(description, data) {
    const {dataType, shape} = descriptor(description);
    check(data instanceof ArrayBuffer || data instanceof ARRAYS[dataType], `data for ${dataType} is ${data}`);
    const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);
    const n = shape.reduce((product, size) => product * size, ARRAYS[dataType].BYTES_PER_ELEMENT);
    check(bytes.length === n, `a constant of ${n} bytes has ${bytes.length}`);
    const operand = this.make();
    this.calls.constants.push({operand: operand.name, dataType, shape, data: Buffer.from(bytes).toString("base64")});
    return operand;
  }

  async build(outputs) {
    for (const [name, operand] of Object.entries(outputs)) {
      check(operand instanceof MLOperand && operand.builder === this, `output ${name} is no operand`);
      this.calls.outputs.push({name, operand: operand.name});
    }
    check(this.calls.outputs.length > 0, "there are no outputs");
    return {};
  }
}

// How many operands a call gives, in a list; undefined where it gives one operand.
const COUNTS = {
  split: ({splits}) => (Array.isArray(splits) ? splits.length : splits),
  gru: (_, {returnSequence}) => (returnSequence ? 2 : 1),
  lstm: (_, {returnSequence}) => (returnSequence ? 3 : 2),
  lstmCell: () => 2,
};

for (const [op, about] of Object.entries(OPERATIONS)) {
  const names = Object.keys(about.args);
  MLGraphBuilder.prototype[op] = function (...given) {
    check(given.length === names.length || given.length === names.length + 1, `${op} has ${given.length} arguments`);
    const args = {}, options = {};
    names.forEach((name, i) => {
      args[name] = converter(about.args[name], this)(given[i], `${op}: ${name}`);
    });
    for (const [name, value] of Object.entries(given[names.length] ?? {})) {
      const kind = name === "label" ? "string" : about.options[name]?.[0];
      check(kind !== undefined, `${op} has no option ${name}`);
      options[name] = converter(kind, this)(value, `${op}: ${name}`);
    }
    const n = COUNTS[op]?.(args, options);
    const results = Array.from({length: n ?? 1}, () => this.make());
    this.calls.operators.push({op, args, options, outputs: results.map((operand) => operand.name)});
    return n === undefined ? results[0] : results;
  };
}

// ---- modules

globalThis.MLGraphBuilder = MLGraphBuilder;

for (const path of process.argv.slice(2)) {
  let line;
  try {
    const {default: buildGraph} = await import(pathToFileURL(path));
    const weights = path.replace(/\.m?js$/, ".safetensors");
    const more = existsSync(weights) ? [readFileSync(weights)] : [];
    const {graph, ...returned} = await buildGraph(new MLContext(), ...more);
    check(typeof graph === "object", "there is no graph");
    line = {...MLGraphBuilder.last.calls, returned};
  } catch (error) {
    line = {error: String(error.stack)};
  }
  console.log(JSON.stringify(line));
}
