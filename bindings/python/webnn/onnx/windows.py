"""What convolutions and pools share: kernel sizes, strides, paddings; and one axis made two."""

import math


class Window:
    """Kernel, strides, dilations and paddings of a node along its spatial axes."""

    def __init__(self, n, sizes, kernel):
        rank = len(sizes)
        self.kernel = kernel
        self.fitted = False  # pools: whether the ends are such that rounding down is right
        self.strides = n.attr("strides", [1] * rank)
        self.dilations = n.attr("dilations", [1] * rank)
        self.auto_pad = n.choice("auto_pad", "NOTSET", ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))
        pads = n.attr("pads", [0] * (2 * rank))
        for name, values in (("kernel_shape", kernel), ("strides", self.strides), ("dilations", self.dilations)):
            if len(values) != rank or any(value < 1 for value in values):
                n.fail(f"{name} = {values} doesn't fit {rank} spatial axes")
        if len(pads) != 2 * rank or any(value < 0 for value in pads):
            n.fail(f"attribute pads = {pads} is not supported for {rank} spatial axes")
        self.begins, self.ends = pads[:rank], pads[rank:]
        self.extents = [(k - 1) * d + 1 for k, d in zip(kernel, self.dilations)]
        if self.auto_pad == "VALID":
            self.begins, self.ends = [0] * rank, [0] * rank
        elif self.auto_pad != "NOTSET":
            self._pad_same(sizes)

    def _pad_same(self, sizes):
        """As many outputs as strides fit in: the odd cell goes to the end, with SAME_LOWER to the beginning."""
        for axis, (size, stride, extent) in enumerate(zip(sizes, self.strides, self.extents)):
            total = max(0, (-(-size // stride) - 1) * stride + extent - size)
            small, large = total // 2, total - total // 2
            upper = self.auto_pad == "SAME_UPPER"
            self.begins[axis], self.ends[axis] = (small, large) if upper else (large, small)

    def outputs(self, sizes):
        """How often the window fits into axes of these sizes, padded; below 1 where it doesn't."""
        return [(size + begin + end - extent) // stride + 1 for size, begin, end, extent, stride
                in zip(sizes, self.begins, self.ends, self.extents, self.strides)]

    def padding(self):
        """In WebNN's order."""
        return [self.begins[0], self.ends[0], self.begins[1], self.ends[1]]

    def widened(self):
        """The same with an axis of size 1 put before the only one."""
        self.kernel, self.strides, self.dilations = [1, *self.kernel], [1, *self.strides], [1, *self.dilations]
        self.begins, self.ends, self.extents = [0, *self.begins], [0, *self.ends], [1, *self.extents]
        return self


def widen(n, x):
    """[n, c, l] as [n, c, 1, l]"""
    batch, channels, length = x.shape
    return n.reshape(x, [batch, channels, 1, length])


def narrow(n, x):
    """[n, c, 1, l] as [n, c, l]"""
    batch, channels, _, length = x.shape
    return n.reshape(x, [batch, channels, length])


def merge_spatial(n, x):
    """Any number of spatial axes as two; [n, c] too."""
    if n.rank(x) < 2:
        n.fail(f"an input of rank {n.rank(x)} is not supported")
    batch, channels, *spatial = x.shape
    return n.reshape(x, [batch, channels, 1, math.prod(spatial)])
