"""Calls of convolutions, pools, resampling, products, normalisations and recurrent networks."""

from ..reference.conv import extent
from .elementwise import axes_of, axis_of, partner
from .scope import draws, ref
from .values import doubles


def image(scope, op, channels, layout):
    """A batch of images: an operand that is there, or a new one."""
    spatial = [scope.integer(1, scope.largest + 3) for _ in range(2)]
    batch = scope.integer(1, 2)
    shape = [batch, *spatial, channels] if layout == "nhwc" else [batch, channels, *spatial]
    return scope.some(op, low=4, high=4, shape=shape)


def planes(scope, name, layout):
    """(channels, height, width)."""
    dims = scope.dims(name)
    return (dims[3], *dims[1:3]) if layout == "nhwc" else (dims[1], *dims[2:])


def existing_image(scope, op, layout, channels):
    """Mostly what an earlier call made."""
    known = [name for name, value in scope.values.items() if value.ndim == 4 and value.dtype.kind == "f"]
    if known and scope.reuse and scope.chance(75):
        return scope.one_of(known)
    return image(scope, op, channels, layout)


def sliding(scope, sizes, padded=True):
    """Windows, padding, strides and dilations that leave at least one place."""
    window, padding, strides, dilations = [], [], [], []
    for size in sizes:
        pads = [scope.integer(0, 2), scope.integer(0, 2)] if padded and scope.chance(50) else [0, 0]
        cells = scope.integer(1, min(size + sum(pads), 4))
        most = (size + sum(pads) - 1) // max(cells - 1, 1)
        window.append(cells)
        padding += pads
        dilations.append(scope.integer(1, max(min(most, 3), 1)) if scope.chance(30) else 1)
        strides.append(scope.integer(1, 3) if scope.chance(40) else 1)
    return window, padding, strides, dilations


def channel_counts(scope, channels):
    """(groups, features): depthwise and grouped ones among them."""
    groups = scope.one_of([1, 1, channels, *[d for d in range(1, channels + 1) if channels % d == 0]])
    most = scope.one_of([8, 8, 32])
    return groups, groups * scope.integer(1, max(1, most // groups))


@draws("conv2d")
def conv2d(scope, op):
    layout = scope.one_of(["nchw", "nhwc"])
    x = existing_image(scope, op, layout, scope.one_of([1, 2, 3, 4, 8, 16, 24, 32]))
    channels, height, width = planes(scope, x, layout)
    groups, features = channel_counts(scope, channels)
    window, padding, strides, dilations = sliding(scope, (height, width))
    order = scope.one_of(["oihw", "hwio", "ohwi", "ihwo"])
    sizes = dict(zip("oihw", [features, channels // groups, *window]))
    dtype = scope.dtype(x)
    w = scope.like(dtype, [sizes[axis] for axis in order])
    scope.call(op, {"input": ref(x), "filter": ref(w)}, padding=padding, strides=strides, dilations=dilations,
               groups=groups, input_layout=layout, filter_layout=order, bias=scope.maybe_like(dtype, [features]))


@draws("conv_transpose2d")
def conv_transpose2d(scope, op):
    layout = scope.one_of(["nchw", "nhwc"])
    x = existing_image(scope, op, layout, scope.one_of([1, 2, 4, 8, 16]))
    channels, *places = planes(scope, x, layout)
    groups, features = channel_counts(scope, channels)
    order = scope.one_of(["iohw", "hwoi", "ohwi"])
    window = [scope.integer(1, 4), scope.integer(1, 4)]
    strides = [scope.integer(1, 3), scope.integer(1, 3)]
    dilations = [scope.integer(1, 2), scope.integer(1, 2)]
    padding, sizes = [], []
    for n, stride, cells, dilation in zip(places, strides, window, dilations):
        whole = (n - 1) * stride + extent(cells, dilation)
        before = scope.integer(0, min(2, whole - 1))
        padding += [before, scope.integer(0, min(2, whole - 1 - before))]
        sizes.append(whole - padding[-1] - padding[-2])
    more = [scope.integer(0, stride - 1) for stride in strides]
    options = {}
    if scope.chance(30):
        options["output_sizes"] = [size + extra for size, extra in zip(sizes, more)]
    else:
        options["output_padding"] = more
    shape = dict(zip("iohw", [channels, features // groups, *window]))
    dtype = scope.dtype(x)
    w = scope.like(dtype, [shape[axis] for axis in order])
    scope.call(op, {"input": ref(x), "filter": ref(w)}, padding=padding, strides=strides, dilations=dilations,
               groups=groups, input_layout=layout, filter_layout=order, bias=scope.maybe_like(dtype, [features]),
               **options)


@draws("average_pool2d", "l2_pool2d", "max_pool2d")
def pool(scope, op):
    layout = scope.one_of(["nchw", "nhwc"])
    x = existing_image(scope, op, layout, scope.one_of([1, 2, 3, 8, 16]))
    _, height, width = planes(scope, x, layout)
    if scope.chance(15):
        scope.call(op, {"input": ref(x)}, layout=layout)
        return
    window, padding, strides, dilations = sliding(scope, (height, width))
    rounding = scope.maybe(lambda: scope.one_of(["floor", "ceil"]))
    scope.call(op, {"input": ref(x)}, window_dimensions=window, padding=padding, strides=strides,
               dilations=dilations, layout=layout, output_shape_rounding=rounding)


@draws("resample2d")
def resample2d(scope, op):
    x = scope.some(op, low=4, high=4)
    axes = scope.permutation(4)[:2]
    options = {"axes": axes}
    if scope.chance(50):
        options["sizes"] = [scope.integer(1, 9), scope.integer(1, 9)]
    else:
        least = [1 / scope.dims(x)[axis] for axis in axes]
        choices = [0.5, 0.75, 1.0, 1.5, 2.0, 2.3, 3.0]
        options["scales"] = [scope.one_of([s for s in choices if s >= low]) for low in least]
    scope.call(op, {"input": ref(x)}, mode=scope.maybe(lambda: scope.one_of(["nearest-neighbor", "linear"])),
               **options)


@draws("matmul")
def matmul(scope, op):
    a = scope.some(op, "a", low=2)
    *batch, _, depth = scope.dims(a)
    columns = scope.one_of([1, 2, 3, 5, 8, 17, 64])
    b = scope.like(scope.dtype(a), [*partner(scope, batch), depth, columns])
    scope.call(op, {"a": ref(a), "b": ref(b)})


@draws("gemm")
def gemm(scope, op):
    a = scope.some(op, "a", low=2, high=2)
    dtype = scope.dtype(a)
    turn_a, turn_b = scope.chance(50), scope.chance(50)
    rows, depth = reversed(scope.dims(a)) if turn_a else scope.dims(a)
    columns = scope.one_of([1, 2, 3, 5, 8, 17, 64])
    b = scope.like(dtype, [columns, depth] if turn_b else [depth, columns])
    c = scope.maybe(lambda: ref(scope.like(dtype, partner(scope, [rows, columns], enlarges=False))))
    scope.call(op, {"a": ref(a), "b": ref(b)}, c=c, a_transpose=turn_a, b_transpose=turn_b,
               alpha=scope.maybe(lambda: scope.draw(doubles(("plain",)))),
               beta=scope.maybe(lambda: scope.draw(doubles(("plain",)))))


# Normalisations


def epsilon(scope):
    return scope.maybe(lambda: scope.one_of([1e-5, 1e-3, 0, 1, 1e-12]))


@draws("batch_normalization")
def batch_normalization(scope, op):
    x = scope.some(op, low=1)
    axis = axis_of(scope, x)
    dtype, size = scope.dtype(x), [scope.dims(x)[axis]]
    mean, variance = scope.like(dtype, size), scope.like(dtype, size)
    scope.call(op, {"input": ref(x), "mean": ref(mean), "variance": ref(variance)}, axis=axis,
               scale=scope.maybe_like(dtype, size), bias=scope.maybe_like(dtype, size), epsilon=epsilon(scope))


@draws("instance_normalization")
def instance_normalization(scope, op):
    layout = scope.one_of(["nchw", "nhwc"])
    x = existing_image(scope, op, layout, scope.one_of([1, 2, 3, 8]))
    dtype, size = scope.dtype(x), [planes(scope, x, layout)[0]]
    scope.call(op, {"input": ref(x)}, layout=layout, scale=scope.maybe_like(dtype, size),
               bias=scope.maybe_like(dtype, size), epsilon=epsilon(scope))


@draws("layer_normalization")
def layer_normalization(scope, op):
    x = scope.some(op)
    axes = scope.maybe(lambda: axes_of(scope, x))
    chosen = list(range(1, len(scope.dims(x)))) if axes is None else axes
    dtype, shape = scope.dtype(x), [scope.dims(x)[axis] for axis in chosen]
    scope.call(op, {"input": ref(x)}, axes=axes, scale=scope.maybe_like(dtype, shape),
               bias=scope.maybe_like(dtype, shape), epsilon=epsilon(scope))


# Recurrent


ACTIVATIONS = ("relu", "sigmoid", "tanh")
QUIET = ("ordinary", "whole", "equal")


def recurrent_input(scope, op, shape, count):
    """(input, activations); states without a bound get no wild inputs."""
    chosen = scope.maybe(lambda: [scope.one_of(ACTIVATIONS) for _ in range(count)])
    kinds = QUIET if "relu" in (chosen or ()) else None
    return scope.fresh(scope.data_type(op, "input"), shape, kinds), chosen


@draws("gru_cell", "lstm_cell")
def cell(scope, op):
    gates, layouts = (3, ("zrn", "rzn")) if op == "gru_cell" else (4, ("iofg", "ifgo"))
    hidden, size, batch = scope.integer(1, 5), scope.integer(1, 5), scope.integer(1, 3)
    x, chosen = recurrent_input(scope, op, [batch, size], gates - 1)
    dtype = scope.dtype(x)

    def part(*shape):
        return ref(scope.like(dtype, shape, QUIET))

    args = {"input": ref(x), "weight": part(gates * hidden, size),
            "recurrent_weight": part(gates * hidden, hidden), "hidden_state": part(batch, hidden)}
    options = {"layout": scope.one_of(layouts), "activations": chosen}
    for name in ("bias", "recurrent_bias"):
        options[name] = scope.maybe(lambda: part(gates * hidden))
    if op == "gru_cell":
        options["reset_after"] = scope.chance(50)
    else:
        args["cell_state"] = part(batch, hidden)
        options["peephole_weight"] = scope.maybe(lambda: part(3 * hidden))
    scope.call(op, {**args, "hidden_size": hidden}, **options)


@draws("gru", "lstm")
def network(scope, op):
    gates, layouts = (3, ("zrn", "rzn")) if op == "gru" else (4, ("iofg", "ifgo"))
    steps, batch, size, hidden = (scope.integer(1, n) for n in (4, 3, 5, 5))
    direction = scope.one_of(["forward", "backward", "both"])
    count = 2 if direction == "both" else 1
    x, chosen = recurrent_input(scope, op, [steps, batch, size], gates - 1)
    dtype = scope.dtype(x)

    def part(*shape):
        return ref(scope.like(dtype, shape, QUIET))

    options = {"direction": direction, "layout": scope.one_of(layouts), "return_sequence": scope.chance(50),
               "activations": chosen}
    for name in ("bias", "recurrent_bias"):
        options[name] = scope.maybe(lambda: part(count, gates * hidden))
    options["initial_hidden_state"] = scope.maybe(lambda: part(count, batch, hidden))
    if op == "gru":
        options["reset_after"] = scope.chance(50)
    else:
        options["peephole_weight"] = scope.maybe(lambda: part(count, 3 * hidden))
        options["initial_cell_state"] = scope.maybe(lambda: part(count, batch, hidden))
    args = {"input": ref(x), "weight": part(count, gates * hidden, size),
            "recurrent_weight": part(count, gates * hidden, hidden), "steps": steps, "hidden_size": hidden}
    scope.call(op, args, **options)
