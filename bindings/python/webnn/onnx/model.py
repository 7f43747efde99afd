"""Reading a model: the protobuf without its weights, which stay views on the file.

A protobuf message owns every byte it was parsed from until the whole tree is gone. So the file is mapped, the
data of big tensors is cut out before parsing, and a marker is left in `raw_data` that leads to the bytes in
the map. They are touched once, when they become a constant of the graph.
"""

import mmap
import os
import secrets
import stat

from .errors import ModelError, quoted

_CUT_FROM = 1024  # bytes: smaller tensors aren't worth a marker
_MAX_DEPTH = 64   # of graphs in attributes of nodes of graphs …

# Messages on the way to a TensorProto: field number → kind of the message in it.
_CHILDREN = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
_DATA_FIELDS = (4, 9, 10)  # float_data, raw_data, double_data: little-endian bytes when packed
_RAW_DATA_TAG = b"\x4a"    # field 9, length-delimited


class Source:
    """A parsed model, and where the bytes of its tensors are."""

    def __init__(self, model):
        self._marker = secrets.token_bytes(16)  # no file can hold it by intent
        self._cuts = []
        self._folder = None
        self._external = {}
        self.given = None  # bytes that were given, which views are on
        if isinstance(model, (str, os.PathLike)):
            path = _checked_path(model)
            self._folder = os.path.dirname(os.path.abspath(path))
            self.proto = self._parse(_map(path))
        elif isinstance(model, (bytes, bytearray, memoryview)):
            view = _plain_bytes(model)
            self.given = view.obj
            self.proto = self._parse(view)
        else:
            self.proto = _checked_proto(model)

    def raw(self, tensor):
        """The little-endian bytes of a tensor that has them so; else None."""
        if tensor.data_location == tensor.EXTERNAL:
            return self._external_bytes(tensor)
        if not tensor.HasField("raw_data"):
            return None
        data = tensor.raw_data
        if len(data) == 20 and data.startswith(self._marker):
            return self._cuts[int.from_bytes(data[16:], "little")]
        return memoryview(data)

    def _parse(self, view):
        from onnx import ModelProto
        pieces, _ = self._cut(view, 0, len(view), "model", 0)
        try:
            proto = ModelProto.FromString(b"".join(pieces))
        except Exception as error:  # protobuf's DecodeError, whose module differs by version
            raise ModelError(f"the model can't be parsed: {error}") from None
        return _checked_proto(proto)

    def _cut(self, view, pos, end, kind, depth):
        """The message at [pos, end) in pieces, big tensor data replaced, and its new length."""
        if depth > 4 * _MAX_DEPTH:
            raise ModelError("the model's graphs are nested too deeply")
        pieces, length, kept_from = [], 0, pos
        children = _CHILDREN[kind]
        while pos < end:
            start = pos
            tag, pos = _varint(view, pos, end)
            if tag & 7 != 2:
                pos = _skip(view, pos, end, tag & 7)
                continue
            size, body = _varint(view, pos, end)
            pos = body + size
            if pos > end:
                raise ModelError(f"the model is truncated: a field of {size} bytes, {end - body} are left")
            child = children.get(tag >> 3)
            if size < _CUT_FROM or child is None:
                continue
            if child == "tensor":
                inner, inner_length = self._cut_tensor(view, body, pos)
            else:
                inner, inner_length = self._cut(view, body, pos, child, depth + 1)
            header = view[start:start + _varint_length(tag)].tobytes() + _encode(inner_length)
            pieces += [view[kept_from:start], header, *inner]
            length += start - kept_from + len(header) + inner_length
            kept_from = pos
        pieces.append(view[kept_from:end])
        return pieces, length + end - kept_from

    def _cut_tensor(self, view, pos, end):
        """A TensorProto with its one big data field replaced by a marker; as it is when it has several."""
        found = []
        begin = pos
        while pos < end:
            start = pos
            tag, pos = _varint(view, pos, end)
            if tag & 7 != 2:
                pos = _skip(view, pos, end, tag & 7)
                found += [None] if tag >> 3 in _DATA_FIELDS else []
                continue
            size, body = _varint(view, pos, end)
            pos = body + size
            if pos > end:
                raise ModelError(f"the model is truncated: a tensor's field of {size} bytes, {end - body} are left")
            if tag >> 3 in _DATA_FIELDS:
                found.append((start, body, pos))
        if len(found) != 1 or found[0] is None or found[0][2] - found[0][1] < _CUT_FROM:
            return [view[begin:end]], end - begin
        start, body, stop = found[0]
        marker = _RAW_DATA_TAG + _encode(20) + self._marker + len(self._cuts).to_bytes(4, "little")
        self._cuts.append(view[body:stop])
        return [view[begin:start], marker, view[stop:end]], end - begin - (stop - start) + len(marker)

    def _external_bytes(self, tensor):
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = entries.get("location", "")
        if self._folder is None:
            raise ModelError(f"tensor {quoted(tensor.name)} is in the file {quoted(location)}: give the model by its path")
        if location not in self._external:
            self._external[location] = _map(self._external_path(tensor.name, location))
        data = self._external[location]
        try:
            offset = int(entries.get("offset", 0))
            length = int(entries.get("length", len(data) - offset))
        except ValueError:
            raise ModelError(f"tensor {quoted(tensor.name)}: offset or length of its data is no number") from None
        if offset < 0 or length < 0 or offset + length > len(data):
            raise ModelError(f"tensor {quoted(tensor.name)}: bytes {offset} … {offset + length} are outside "
                             f"{quoted(location)}, which has {len(data)}")
        return data[offset:offset + length]

    def _external_path(self, name, location):
        """Only files in the model's folder or below it are read, links followed."""
        if "\0" in location:
            raise ModelError(f"tensor {quoted(name)}: its data {quoted(location)} has no possible name")
        folder = os.path.realpath(self._folder)
        path = os.path.realpath(os.path.join(folder, location))
        inside = path.startswith(os.path.join(folder, ""))
        if not location or os.path.isabs(location) or not inside:
            raise ModelError(f"tensor {quoted(name)}: its data {quoted(location)} is outside the model's folder")
        if not os.path.isfile(path):
            raise ModelError(f"tensor {quoted(name)}: its data {quoted(location)} is missing")
        return path


def _checked_proto(proto):
    from onnx import ModelProto
    if not isinstance(proto, ModelProto):
        raise TypeError(f"model must be a path, bytes or an onnx.ModelProto, not {type(proto).__name__}")
    if not proto.HasField("graph"):
        raise ModelError("the model holds no graph: it is empty, or not an ONNX file")
    return proto


def _checked_path(model):
    """A path as text: one that the system can't have is a wrong argument."""
    path = os.fspath(model)
    try:
        path = os.fsdecode(path)
        impossible = b"\0" in os.fsencode(path)
    except UnicodeError:
        impossible = True
    if impossible:
        raise TypeError(f"model: {quoted(path)} can't be a path")
    return path


def _plain_bytes(model):
    view = memoryview(model)
    if not view.c_contiguous:
        raise TypeError("model: its bytes must lie one behind the other")
    return view.cast("B")


def _map(path):
    """The bytes of a regular file. The map lives as long as views on it do."""
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ModelError(f"{os.fspath(path)!r} is not a regular file")
        if status.st_size == 0:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _open_at_once(path, flags):
    """Opening a pipe would wait for who writes it; what it is shows only then."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _varint(view, pos, end):
    value = shift = 0
    while pos < end and shift < 64:
        byte = view[pos]
        pos += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, pos
        shift += 7
    raise ModelError("the model is truncated or damaged: it ends inside a number")


def _skip(view, pos, end, wire_type):
    if wire_type == 0:
        return _varint(view, pos, end)[1]
    size = {1: 8, 5: 4}.get(wire_type)
    if size is None or pos + size > end:
        raise ModelError("the model is truncated, or not an ONNX file")
    return pos + size


def _encode(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _varint_length(value):
    return max(1, (value.bit_length() + 6) // 7)
