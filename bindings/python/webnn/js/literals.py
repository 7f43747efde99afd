"""JavaScript's words: names, strings, numbers, lists."""

import base64
import re
import struct
import unicodedata

from .._definition import Operand, visible

_SAFE = 2**53
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_LINE = 100

# Words of the language, and what the module itself calls by name.
_TAKEN = frozenset(
    """
    arguments await async break case catch class const continue debugger default delete do else enum eval export
    extends false finally for from function if implements import in instanceof interface let new null of package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    Infinity NaN ArrayBuffer BigInt64Array BigUint64Array DataView Error Float32Array Int32Array Int8Array JSON
    MLGraphBuilder Number Promise TextDecoder URL Uint32Array Uint8Array atob fetch globalThis
    buildGraph builder bytes context file graph inputs openTensors outputs tensor weights
    """.split()
)

_ARRAYS = {  # float16 has no array that is everywhere
    "float32": ("Float32Array", "f"),
    "int64": ("BigInt64Array", "q"),
    "uint64": ("BigUint64Array", "Q"),
    "int32": ("Int32Array", "i"),
    "uint32": ("Uint32Array", "I"),
    "int8": ("Int8Array", "b"),
    "uint8": ("Uint8Array", "B"),
}
_LARGEST = (2 - 2**-23) * 2.0**127  # of float32
_FEW = 8  # elements that are written as numbers


class Names:
    """Gives out identifiers that say what they are and never twice the same one."""

    def __init__(self):
        self.used = set(_TAKEN)

    def unique(self, wish):
        base = re.sub(r"[^A-Za-z0-9]+", "_", wish).strip("_")[:48].rstrip("_") or "value"
        if base[0].isdigit():
            base = f"_{base}"
        name, n = base, 1
        while name in self.used:
            n += 1
            name = f"{base}_{n}"
        self.used.add(name)
        return name


def string(text):
    """A string literal without surprises: nothing invisible, nothing that a page would take for a tag."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    escaped = visible(escaped).replace("<", "\\x3c")
    right_to_left = ("R", "AL")
    return '"%s"' % "".join(
        f"\\u{{{ord(one):x}}}" if unicodedata.bidirectional(one) in right_to_left else one for one in escaped
    )


def key(name):
    """A property's name in an object literal; __proto__ would mean something else there."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if _NAME.fullmatch(name) else string(name)


def entry(name, variable):
    """A property whose value is a variable."""
    return name if name == variable else f"{key(name)}: {variable}"


def number(value):
    if isinstance(value, int):
        return str(value) if abs(value) <= _SAFE else f"{value}n"
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "Infinity" if value > 0 else "-Infinity"
    if value.is_integer() and abs(value) <= _SAFE:
        return "-0" if str(value) == "-0.0" else str(int(value))
    return repr(_shortest(value))


def value(what, names):
    """Any argument; operands by their names."""
    if isinstance(what, Operand):
        return names[what.id]
    if isinstance(what, bool):
        return "true" if what else "false"
    if isinstance(what, str):
        return string(what)
    if isinstance(what, list):
        return "[%s]" % ", ".join(value(item, names) for item in what)
    return number(what)


def descriptor(operand):
    return f'{{dataType: "{operand.data_type}", shape: [{", ".join(map(str, operand.shape))}]}}'


def _shortest(value):
    """The shortest decimal that is the same float32; numbers that are none stay as they are."""
    if not abs(value) <= _LARGEST or struct.unpack("<f", struct.pack("<f", value)) != (value,):
        return value
    for digits in range(1, 9):
        candidate = float(f"{value:.{digits}g}")
        if abs(candidate) <= _LARGEST and struct.pack("<f", candidate) == struct.pack("<f", value):
            return candidate
    return value


def data(operand):
    """The bytes of a constant: numbers where they are few, else base64."""
    array, code = _ARRAYS.get(operand.data_type, (None, None))
    n = len(operand.data) // struct.calcsize(code) if code else _FEW + 1
    if n <= _FEW:
        values = struct.unpack(f"<{n}{code}", operand.data)
        if struct.pack(f"<{n}{code}", *values) == operand.data:  # a NaN may have more to tell
            words = [f"{one}n" for one in values] if code in "qQ" else map(number, values)
            return f"new {array}([{', '.join(words)}])"
    return f'bytes("{base64.b64encode(operand.data).decode()}")'


def statement(targets, call, options):
    """`const target = call(…, {options});`, on several lines where one is too long."""
    target = targets[0] if len(targets) == 1 else f"[{', '.join(targets)}]"
    head = f"  const {target} = {call}"
    if not options:
        return [f"{head});"]
    comma = "" if head.endswith("(") else ", "
    line = f"{head}{comma}{{{', '.join(options)}}});"
    if len(line) <= _LINE:
        return [line]
    return [f"{head}{comma}{{", *(f"    {option}," for option in options), "  });"]
