# The operation methods of GraphBuilder. Generated from the operation table by tools/opgen.c.
from collections.abc import Sequence
from typing import Literal

from . import Operand

DataType = Literal["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"]

class OpMethods:
    def arg_min(
        self,
        input: Operand,
        axis: int,
        *,
        keep_dimensions: bool = False,
        output_data_type: DataType = "int32",
        label: str = "",
    ) -> Operand:
        """Index of the smallest value along one axis; the first one of equals, the first NaN before
        all.

        input: Input.
        axis: The axis to look along.
        keep_dimensions: Keeps the axis, with size 1.
        output_data_type: Element type of the indices: int32 or int64.
        label: Shown in messages about this operation.
        """

    def arg_max(
        self,
        input: Operand,
        axis: int,
        *,
        keep_dimensions: bool = False,
        output_data_type: DataType = "int32",
        label: str = "",
    ) -> Operand:
        """Index of the largest value along one axis; the first one of equals, the first NaN before
        all.

        input: Input.
        axis: The axis to look along.
        keep_dimensions: Keeps the axis, with size 1.
        output_data_type: Element type of the indices: int32 or int64.
        label: Shown in messages about this operation.
        """

    def batch_normalization(
        self,
        input: Operand,
        mean: Operand,
        variance: Operand,
        *,
        scale: Operand | None = None,
        bias: Operand | None = None,
        axis: int = 1,
        epsilon: float | int = 1e-05,
        activation: Literal["none", "relu", "sigmoid", "tanh", "clamp", "leakyRelu", "hardSigmoid", "hardSwish", "elu", "gelu", "softplus", "softsign", "linear"] = "none",
        activation_alpha: float | int | None = None,
        activation_beta: float | int | None = None,
        activation_min_value: float | int | None = None,
        activation_max_value: float | int | None = None,
        label: str = "",
    ) -> Operand:
        """Shifts and scales each slice along one axis by the mean and variance given for it.

        input: Input.
        mean: Means [size of the axis].
        variance: Variances [size of the axis].
        scale: Factors [size of the axis]; 1 by default.
        bias: Summands [size of the axis]; 0 by default.
        axis: The axis that the statistics belong to.
        epsilon: Added to the variance, against division by 0.
        activation: Extension: the operation of this name is applied to the result. One of 'none',
            'relu', 'sigmoid', 'tanh', 'clamp', 'leakyRelu', 'hardSigmoid', 'hardSwish', 'elu',
            'gelu', 'softplus', 'softsign', 'linear'.
        activation_alpha: Extension: alpha of elu, hardSigmoid, leakyRelu and linear as activation;
            by default that operation's own.
        activation_beta: Extension: beta of hardSigmoid and linear as activation; by default that
            operation's own.
        activation_min_value: Extension: minValue of clamp as activation; by default that
            operation's own.
        activation_max_value: Extension: maxValue of clamp as activation; by default that
            operation's own.
        label: Shown in messages about this operation.
        """

    def cast(
        self,
        input: Operand,
        data_type: DataType,
        *,
        label: str = "",
    ) -> Operand:
        """Converts the elements to another type; float to integer truncates towards zero and
        saturates.

        input: Input of any shape.
        data_type: Element type of the output.
        label: Shown in messages about this operation.
        """

    def clamp(
        self,
        input: Operand,
        *,
        min_value: float | int | None = None,
        max_value: float | int | None = None,
        label: str = "",
    ) -> Operand:
        """Limits each element to the range from min_value to max_value; an absent or NaN bound is
        none.

        input: Input of any shape.
        min_value: Lower bound; absent or NaN: none.
        max_value: Upper bound, not below the lower one; absent or NaN: none.
        label: Shown in messages about this operation.
        """

    def concat(
        self,
        inputs: Sequence[Operand],
        axis: int,
        *,
        label: str = "",
    ) -> Operand:
        """Joins operands along one axis.

        inputs: Operands to join, of one type and, off the axis, one shape.
        axis: Axis along which they are joined.
        label: Shown in messages about this operation.
        """

    def conv2d(
        self,
        input: Operand,
        filter: Operand,
        *,
        padding: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        groups: int = 1,
        input_layout: Literal["nchw", "nhwc"] = "nchw",
        filter_layout: Literal["oihw", "hwio", "ohwi", "ihwo"] = "oihw",
        bias: Operand | None = None,
        auto_pad: Literal["explicit", "same-upper", "same-lower"] = "explicit",
        activation: Literal["none", "relu", "sigmoid", "tanh", "clamp", "leakyRelu", "hardSigmoid", "hardSwish", "elu", "gelu", "softplus", "softsign", "linear"] = "none",
        activation_alpha: float | int | None = None,
        activation_beta: float | int | None = None,
        activation_min_value: float | int | None = None,
        activation_max_value: float | int | None = None,
        label: str = "",
    ) -> Operand:
        """2-D convolution of an image with a filter, with padding, strides, dilations and groups.

        input: Input [batch, channels, height, width], in the order of input_layout.
        filter: Filter, its axes in the order of filter_layout.
        padding: Padding [top, bottom, left, right]; none by default.
        strides: Strides [height, width]; [1, 1] by default.
        dilations: Dilations [height, width]; [1, 1] by default.
        groups: Number of groups into which the channels are divided.
        input_layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.
        filter_layout: Order of the filter's axes: o output channels, i input channels of a group,
            h, w. One of 'oihw', 'hwio', 'ohwi', 'ihwo'.
        bias: Bias [output_channels].
        auto_pad: Extension: same-upper and same-lower compute the padding, the odd element at the
            end or at the beginning; padding is then ignored. One of 'explicit', 'same-upper',
            'same-lower'.
        activation: Extension: the operation of this name is applied to the result. One of 'none',
            'relu', 'sigmoid', 'tanh', 'clamp', 'leakyRelu', 'hardSigmoid', 'hardSwish', 'elu',
            'gelu', 'softplus', 'softsign', 'linear'.
        activation_alpha: Extension: alpha of elu, hardSigmoid, leakyRelu and linear as activation;
            by default that operation's own.
        activation_beta: Extension: beta of hardSigmoid and linear as activation; by default that
            operation's own.
        activation_min_value: Extension: minValue of clamp as activation; by default that
            operation's own.
        activation_max_value: Extension: maxValue of clamp as activation; by default that
            operation's own.
        label: Shown in messages about this operation.
        """

    def conv_transpose2d(
        self,
        input: Operand,
        filter: Operand,
        *,
        padding: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        output_padding: Sequence[int] | None = None,
        output_sizes: Sequence[int] | None = None,
        groups: int = 1,
        input_layout: Literal["nchw", "nhwc"] = "nchw",
        filter_layout: Literal["iohw", "hwoi", "ohwi"] = "iohw",
        bias: Operand | None = None,
        auto_pad: Literal["explicit", "same-upper", "same-lower"] = "explicit",
        activation: Literal["none", "relu", "sigmoid", "tanh", "clamp", "leakyRelu", "hardSigmoid", "hardSwish", "elu", "gelu", "softplus", "softsign", "linear"] = "none",
        activation_alpha: float | int | None = None,
        activation_beta: float | int | None = None,
        activation_min_value: float | int | None = None,
        activation_max_value: float | int | None = None,
        label: str = "",
    ) -> Operand:
        """Transposed 2-D convolution: spreads each input element over a window of the output.

        input: Input [batch, channels, height, width], in the order of input_layout.
        filter: Filter, its axes in the order of filter_layout.
        padding: Padding [top, bottom, left, right]; none by default.
        strides: Strides [height, width]; [1, 1] by default.
        dilations: Dilations [height, width]; [1, 1] by default.
        output_padding: Rows and columns added at the end [height, width], each below its stride;
            [0, 0] by default.
        output_sizes: Output sizes [height, width], instead of output_padding.
        groups: Number of groups into which the channels are divided.
        input_layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.
        filter_layout: Order of the filter's axes: i input channels, o output channels of a group,
            h, w. One of 'iohw', 'hwoi', 'ohwi'.
        bias: Bias [output_channels].
        auto_pad: Extension: same-upper and same-lower compute the padding, the odd element at the
            end or at the beginning; padding is then ignored. One of 'explicit', 'same-upper',
            'same-lower'.
        activation: Extension: the operation of this name is applied to the result. One of 'none',
            'relu', 'sigmoid', 'tanh', 'clamp', 'leakyRelu', 'hardSigmoid', 'hardSwish', 'elu',
            'gelu', 'softplus', 'softsign', 'linear'.
        activation_alpha: Extension: alpha of elu, hardSigmoid, leakyRelu and linear as activation;
            by default that operation's own.
        activation_beta: Extension: beta of hardSigmoid and linear as activation; by default that
            operation's own.
        activation_min_value: Extension: minValue of clamp as activation; by default that
            operation's own.
        activation_max_value: Extension: maxValue of clamp as activation; by default that
            operation's own.
        label: Shown in messages about this operation.
        """

    def cumulative_sum(
        self,
        input: Operand,
        axis: int,
        *,
        exclusive: bool = False,
        reversed: bool = False,
        label: str = "",
    ) -> Operand:
        """Running sum along one axis, without the element itself when exclusive, from the end when
        reversed.

        input: Input.
        axis: The axis to sum along.
        exclusive: Leaves the element itself out of its sum.
        reversed: Sums from the end.
        label: Shown in messages about this operation.
        """

    def add(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Sum of two tensors, with broadcasting; integers wrap.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def sub(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Difference of two tensors, with broadcasting; integers wrap.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def mul(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Product of two tensors, with broadcasting; integers wrap.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def div(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Quotient of two tensors, with broadcasting; integers truncate, division by 0 gives 0.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def max(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """The larger of two elements, with broadcasting; NaN wins.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def min(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """The smaller of two elements, with broadcasting; NaN wins.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def pow(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """The first tensor to the power of the second, with broadcasting; integers wrap.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def equal(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where two elements are equal, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def not_equal(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where two elements differ, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def greater(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where a is greater than b, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def greater_or_equal(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where a is greater than or equal to b, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def lesser(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where a is less than b, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def lesser_or_equal(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where a is less than or equal to b, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def logical_not(
        self,
        a: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where an element is 0, else 0.

        a: Input of any shape.
        label: Shown in messages about this operation.
        """

    def logical_and(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where both elements are other than 0, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def logical_or(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where at least one of two elements is other than 0, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def logical_xor(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where exactly one of two elements is other than 0, else 0, with broadcasting.

        a: First operand.
        b: Second operand; broadcast with the first.
        label: Shown in messages about this operation.
        """

    def is_nan(
        self,
        a: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where an element is NaN, else 0.

        a: Input of any shape.
        label: Shown in messages about this operation.
        """

    def is_infinite(
        self,
        a: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 where an element is infinite, else 0.

        a: Input of any shape.
        label: Shown in messages about this operation.
        """

    def abs(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Absolute value of each element; the smallest integer stays as it is.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def ceil(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Rounds each element up to a whole number.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def cos(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Cosine of each element, in radians.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def erf(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Gauss error function of each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def exp(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """e to the power of each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def floor(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Rounds each element down to a whole number.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def identity(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """A copy of the tensor: the way to make an input or a constant an output.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def log(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Natural logarithm of each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def neg(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Each element with the opposite sign; the smallest integer stays as it is.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def reciprocal(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 divided by each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def round_even(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Rounds each element to the nearest whole number, halves to the even one.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def sin(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Sine of each element, in radians.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def sign(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """-1, 0 or 1 by the sign of each element; 0 for NaN.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def sqrt(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Square root of each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def tan(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Tangent of each element, in radians.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def dequantize_linear(
        self,
        input: Operand,
        scale: Operand,
        zero_point: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """(input - zero_point) * scale, with scale and zero point repeated over blocks.

        input: Quantized values.
        scale: Scales: every axis divides the input's, and each element serves a block. Its type is
            the output's.
        zero_point: Zero points, of the shape of scale.
        label: Shown in messages about this operation.
        """

    def quantize_linear(
        self,
        input: Operand,
        scale: Operand,
        zero_point: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Rounds input / scale to even, adds zero_point and saturates to its type, block by block.

        input: Values to quantize.
        scale: Scales: every axis divides the input's, and each element serves a block.
        zero_point: Zero points, of the shape of scale. Its type is the output's.
        label: Shown in messages about this operation.
        """

    def elu(
        self,
        input: Operand,
        *,
        alpha: float | int = 1,
        label: str = "",
    ) -> Operand:
        """max(0, x) + alpha * (exp(min(0, x)) - 1) for each element.

        input: Input of any shape.
        alpha: Factor of the negative part.
        label: Shown in messages about this operation.
        """

    def expand(
        self,
        input: Operand,
        new_shape: Sequence[int],
        *,
        label: str = "",
    ) -> Operand:
        """Repeats axes of size 1 until the tensor has the new shape.

        input: Operand to be repeated.
        new_shape: Shape to which the input broadcasts.
        label: Shown in messages about this operation.
        """

    def gather(
        self,
        input: Operand,
        indices: Operand,
        *,
        axis: int = 0,
        label: str = "",
    ) -> Operand:
        """Picks slices along one axis by their indices.

        input: Operand from which slices are taken.
        indices: Positions along the axis; negative ones count from the end.
        axis: Axis that the positions replace.
        label: Shown in messages about this operation.
        """

    def gather_elements(
        self,
        input: Operand,
        indices: Operand,
        *,
        axis: int = 0,
        label: str = "",
    ) -> Operand:
        """Picks single elements: the index replaces the position along one axis.

        input: Operand from which elements are taken.
        indices: Positions along the axis, with the input's shape off the axis; negative ones count
            from the end.
        axis: Axis along which the positions count.
        label: Shown in messages about this operation.
        """

    def gather_nd(
        self,
        input: Operand,
        indices: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Picks slices by tuples of indices into the leading axes.

        input: Operand from which slices are taken.
        indices: Coordinates [..., n] into the first n axes; negative ones count from the end.
        label: Shown in messages about this operation.
        """

    def gelu(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """0.5 * x * (1 + erf(x / sqrt(2))) for each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def gemm(
        self,
        a: Operand,
        b: Operand,
        *,
        c: Operand | None = None,
        alpha: float | int = 1,
        beta: float | int = 1,
        a_transpose: bool = False,
        b_transpose: bool = False,
        label: str = "",
    ) -> Operand:
        """alpha * A * B + beta * C for matrices, which may be transposed first.

        a: Left matrix [M, K], [K, M] when transposed.
        b: Right matrix [K, N], [N, K] when transposed.
        c: Added to the product; broadcast to [M, N].
        alpha: Factor of the product.
        beta: Factor of c.
        a_transpose: Transposes a first.
        b_transpose: Transposes b first.
        label: Shown in messages about this operation.
        """

    def gru(
        self,
        input: Operand,
        weight: Operand,
        recurrent_weight: Operand,
        steps: int,
        hidden_size: int,
        *,
        bias: Operand | None = None,
        recurrent_bias: Operand | None = None,
        initial_hidden_state: Operand | None = None,
        reset_after: bool = True,
        return_sequence: bool = False,
        direction: Literal["forward", "backward", "both"] = "forward",
        layout: Literal["zrn", "rzn"] = "zrn",
        activations: Sequence[Literal["relu", "sigmoid", "tanh"]] | None = None,
        label: str = "",
    ) -> tuple[Operand, ...]:
        """Gated recurrent unit over a sequence, in one or both directions.

        input: Input [steps, batch, features].
        weight: Weight [directions, 3 * hidden_size, features].
        recurrent_weight: Recurrent weight [directions, 3 * hidden_size, hidden_size].
        steps: Time steps: the input's first dimension.
        hidden_size: Features of the hidden state.
        bias: Bias [directions, 3 * hidden_size].
        recurrent_bias: Recurrent bias [directions, 3 * hidden_size].
        initial_hidden_state: Hidden state before the first step [directions, batch, hidden_size]; 0
            by default.
        reset_after: Whether the reset gate acts after the product with the recurrent weight or
            before it.
        return_sequence: Whether a last output [steps, directions, batch, hidden_size] holds the
            hidden state of every step.
        direction: Order of the steps; both runs two networks: directions is 2, else 1. One of
            'forward', 'backward', 'both'.
        layout: Order of the gates in weights and biases: z update, r reset, n new. One of 'zrn',
            'rzn'.
        activations: Functions of the update and reset gates and of the new gate; ['sigmoid',
            'tanh'] by default. Each is one of 'relu', 'sigmoid', 'tanh'.
        label: Shown in messages about this operation.
        """

    def gru_cell(
        self,
        input: Operand,
        weight: Operand,
        recurrent_weight: Operand,
        hidden_state: Operand,
        hidden_size: int,
        *,
        bias: Operand | None = None,
        recurrent_bias: Operand | None = None,
        reset_after: bool = True,
        layout: Literal["zrn", "rzn"] = "zrn",
        activations: Sequence[Literal["relu", "sigmoid", "tanh"]] | None = None,
        label: str = "",
    ) -> Operand:
        """One step of a gated recurrent unit.

        input: Input [batch, features].
        weight: Weight [3 * hidden_size, features].
        recurrent_weight: Recurrent weight [3 * hidden_size, hidden_size].
        hidden_state: Hidden state [batch, hidden_size].
        hidden_size: Features of the hidden state.
        bias: Bias [3 * hidden_size].
        recurrent_bias: Recurrent bias [3 * hidden_size].
        reset_after: Whether the reset gate acts after the product with the recurrent weight or
            before it.
        layout: Order of the gates in weights and biases: z update, r reset, n new. One of 'zrn',
            'rzn'.
        activations: Functions of the update and reset gates and of the new gate; ['sigmoid',
            'tanh'] by default. Each is one of 'relu', 'sigmoid', 'tanh'.
        label: Shown in messages about this operation.
        """

    def hard_sigmoid(
        self,
        input: Operand,
        *,
        alpha: float | int = 0.2,
        beta: float | int = 0.5,
        label: str = "",
    ) -> Operand:
        """max(0, min(1, alpha * x + beta)) for each element.

        input: Input of any shape.
        alpha: Slope.
        beta: Value at 0.
        label: Shown in messages about this operation.
        """

    def hard_swish(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """x * max(0, min(6, x + 3)) / 6 for each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def instance_normalization(
        self,
        input: Operand,
        *,
        scale: Operand | None = None,
        bias: Operand | None = None,
        epsilon: float | int = 1e-05,
        layout: Literal["nchw", "nhwc"] = "nchw",
        label: str = "",
    ) -> Operand:
        """Normalizes each channel of each image by its own mean and variance; equal numbers have
        none.

        input: Input [batch, channels, height, width], in the order of layout.
        scale: Factors [channels]; 1 by default.
        bias: Summands [channels]; 0 by default.
        epsilon: Added to the variance, against division by 0.
        layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.
        label: Shown in messages about this operation.
        """

    def layer_normalization(
        self,
        input: Operand,
        *,
        scale: Operand | None = None,
        bias: Operand | None = None,
        axes: Sequence[int] | None = None,
        epsilon: float | int = 1e-05,
        label: str = "",
    ) -> Operand:
        """Normalizes by mean and variance over the given axes; equal numbers have none.

        input: Input.
        scale: Factors, one axis for each of axes, in their order; 1 by default.
        bias: Summands, one axis for each of axes, in their order; 0 by default.
        axes: The axes that share mean and variance, in any order; all but the first by default.
        epsilon: Added to the variance, against division by 0.
        label: Shown in messages about this operation.
        """

    def leaky_relu(
        self,
        input: Operand,
        *,
        alpha: float | int = 0.01,
        label: str = "",
    ) -> Operand:
        """x where it is at least 0, else alpha * x.

        input: Input of any shape.
        alpha: Slope below 0.
        label: Shown in messages about this operation.
        """

    def linear(
        self,
        input: Operand,
        *,
        alpha: float | int = 1,
        beta: float | int = 0,
        label: str = "",
    ) -> Operand:
        """alpha * x + beta for each element.

        input: Input of any shape.
        alpha: Factor.
        beta: Summand.
        label: Shown in messages about this operation.
        """

    def lstm(
        self,
        input: Operand,
        weight: Operand,
        recurrent_weight: Operand,
        steps: int,
        hidden_size: int,
        *,
        bias: Operand | None = None,
        recurrent_bias: Operand | None = None,
        peephole_weight: Operand | None = None,
        initial_hidden_state: Operand | None = None,
        initial_cell_state: Operand | None = None,
        return_sequence: bool = False,
        direction: Literal["forward", "backward", "both"] = "forward",
        layout: Literal["iofg", "ifgo"] = "iofg",
        activations: Sequence[Literal["relu", "sigmoid", "tanh"]] | None = None,
        label: str = "",
    ) -> tuple[Operand, ...]:
        """Long short-term memory over a sequence, in one or both directions.

        input: Input [steps, batch, features].
        weight: Weight [directions, 4 * hidden_size, features].
        recurrent_weight: Recurrent weight [directions, 4 * hidden_size, hidden_size].
        steps: Time steps: the input's first dimension.
        hidden_size: Features of the hidden state.
        bias: Bias [directions, 4 * hidden_size].
        recurrent_bias: Recurrent bias [directions, 4 * hidden_size].
        peephole_weight: Peephole weight [directions, 3 * hidden_size], in the order i, o, f
            whatever the layout.
        initial_hidden_state: Hidden state before the first step [directions, batch, hidden_size]; 0
            by default.
        initial_cell_state: Cell state before the first step [directions, batch, hidden_size]; 0 by
            default.
        return_sequence: Whether a last output [steps, directions, batch, hidden_size] holds the
            hidden state of every step.
        direction: Order of the steps; both runs two networks: directions is 2, else 1. One of
            'forward', 'backward', 'both'.
        layout: Order of the gates in weights and biases: i input, o output, f forget, g cell. One
            of 'iofg', 'ifgo'.
        activations: Functions of the input, output and forget gates, of the cell gate and of the
            new cell state; ['sigmoid', 'tanh', 'tanh'] by default. Each is one of 'relu',
            'sigmoid', 'tanh'.
        label: Shown in messages about this operation.
        """

    def lstm_cell(
        self,
        input: Operand,
        weight: Operand,
        recurrent_weight: Operand,
        hidden_state: Operand,
        cell_state: Operand,
        hidden_size: int,
        *,
        bias: Operand | None = None,
        recurrent_bias: Operand | None = None,
        peephole_weight: Operand | None = None,
        layout: Literal["iofg", "ifgo"] = "iofg",
        activations: Sequence[Literal["relu", "sigmoid", "tanh"]] | None = None,
        label: str = "",
    ) -> tuple[Operand, ...]:
        """One step of a long short-term memory.

        input: Input [batch, features].
        weight: Weight [4 * hidden_size, features].
        recurrent_weight: Recurrent weight [4 * hidden_size, hidden_size].
        hidden_state: Hidden state [batch, hidden_size].
        cell_state: Cell state [batch, hidden_size].
        hidden_size: Features of the hidden state.
        bias: Bias [4 * hidden_size].
        recurrent_bias: Recurrent bias [4 * hidden_size].
        peephole_weight: Peephole weight [3 * hidden_size], in the order i, o, f whatever the
            layout.
        layout: Order of the gates in weights and biases: i input, o output, f forget, g cell. One
            of 'iofg', 'ifgo'.
        activations: Functions of the input, output and forget gates, of the cell gate and of the
            new cell state; ['sigmoid', 'tanh', 'tanh'] by default. Each is one of 'relu',
            'sigmoid', 'tanh'.
        label: Shown in messages about this operation.
        """

    def matmul(
        self,
        a: Operand,
        b: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Matrix product over the last two axes, with broadcasting of the others.

        a: Left matrices [..., M, K].
        b: Right matrices [..., K, N]; leading axes broadcast.
        label: Shown in messages about this operation.
        """

    def pad(
        self,
        input: Operand,
        beginning_padding: Sequence[int],
        ending_padding: Sequence[int],
        *,
        mode: Literal["constant", "edge", "reflection", "symmetric"] = "constant",
        value: float | int = 0,
        label: str = "",
    ) -> Operand:
        """Makes the tensor larger at its borders by a constant or by its own elements.

        input: Operand to be padded.
        beginning_padding: Elements added before each axis.
        ending_padding: Elements added after each axis.
        mode: What is added: value, the border, or a mirror image without the border (reflection)
            or, an extension, with it (symmetric). One of 'constant', 'edge', 'reflection',
            'symmetric'.
        value: Number added in constant mode.
        label: Shown in messages about this operation.
        """

    def average_pool2d(
        self,
        input: Operand,
        *,
        window_dimensions: Sequence[int] | None = None,
        padding: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        layout: Literal["nchw", "nhwc"] = "nchw",
        output_shape_rounding: Literal["floor", "ceil"] = "floor",
        output_sizes: Sequence[int] | None = None,
        auto_pad: Literal["explicit", "same-upper", "same-lower"] = "explicit",
        label: str = "",
    ) -> Operand:
        """Mean of each window of an image; padding doesn't count.

        input: Input [batch, channels, height, width], in the order of layout.
        window_dimensions: Window [height, width]; the input's whole plane by default.
        padding: Padding [top, bottom, left, right]; none by default.
        strides: Strides [height, width]; [1, 1] by default.
        dilations: Dilations [height, width]; [1, 1] by default.
        layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.
        output_shape_rounding: Whether a last window that doesn't fit is dropped (floor) or kept
            (ceil). One of 'floor', 'ceil'.
        output_sizes: Output sizes [height, width], those of floor or those of ceil, instead of the
            rounding.
        auto_pad: Extension: same-upper and same-lower compute the padding, the odd element at the
            end or at the beginning; padding is then ignored. One of 'explicit', 'same-upper',
            'same-lower'.
        label: Shown in messages about this operation.
        """

    def l2_pool2d(
        self,
        input: Operand,
        *,
        window_dimensions: Sequence[int] | None = None,
        padding: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        layout: Literal["nchw", "nhwc"] = "nchw",
        output_shape_rounding: Literal["floor", "ceil"] = "floor",
        output_sizes: Sequence[int] | None = None,
        auto_pad: Literal["explicit", "same-upper", "same-lower"] = "explicit",
        label: str = "",
    ) -> Operand:
        """Square root of the sum of squares of each window of an image.

        input: Input [batch, channels, height, width], in the order of layout.
        window_dimensions: Window [height, width]; the input's whole plane by default.
        padding: Padding [top, bottom, left, right]; none by default.
        strides: Strides [height, width]; [1, 1] by default.
        dilations: Dilations [height, width]; [1, 1] by default.
        layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.
        output_shape_rounding: Whether a last window that doesn't fit is dropped (floor) or kept
            (ceil). One of 'floor', 'ceil'.
        output_sizes: Output sizes [height, width], those of floor or those of ceil, instead of the
            rounding.
        auto_pad: Extension: same-upper and same-lower compute the padding, the odd element at the
            end or at the beginning; padding is then ignored. One of 'explicit', 'same-upper',
            'same-lower'.
        label: Shown in messages about this operation.
        """

    def max_pool2d(
        self,
        input: Operand,
        *,
        window_dimensions: Sequence[int] | None = None,
        padding: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        layout: Literal["nchw", "nhwc"] = "nchw",
        output_shape_rounding: Literal["floor", "ceil"] = "floor",
        output_sizes: Sequence[int] | None = None,
        auto_pad: Literal["explicit", "same-upper", "same-lower"] = "explicit",
        label: str = "",
    ) -> Operand:
        """Largest element of each window of an image; padding never wins.

        input: Input [batch, channels, height, width], in the order of layout.
        window_dimensions: Window [height, width]; the input's whole plane by default.
        padding: Padding [top, bottom, left, right]; none by default.
        strides: Strides [height, width]; [1, 1] by default.
        dilations: Dilations [height, width]; [1, 1] by default.
        layout: Order of the axes of input and output. One of 'nchw', 'nhwc'.
        output_shape_rounding: Whether a last window that doesn't fit is dropped (floor) or kept
            (ceil). One of 'floor', 'ceil'.
        output_sizes: Output sizes [height, width], those of floor or those of ceil, instead of the
            rounding.
        auto_pad: Extension: same-upper and same-lower compute the padding, the odd element at the
            end or at the beginning; padding is then ignored. One of 'explicit', 'same-upper',
            'same-lower'.
        label: Shown in messages about this operation.
        """

    def prelu(
        self,
        input: Operand,
        slope: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """x where it is at least 0, else slope * x, with broadcasting.

        input: Input of any shape.
        slope: Slope below 0; broadcast with the input, in both directions.
        label: Shown in messages about this operation.
        """

    def reduce_l1(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Sum of the absolute values along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_l2(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Square root of the sum of squares along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_log_sum(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Natural logarithm of the sum along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_log_sum_exp(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Natural logarithm of the sum of exponentials along axes, without overflow.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_max(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Largest value along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_mean(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Mean along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_min(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Smallest value along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_product(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Product along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_sum(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Sum along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def reduce_sum_square(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        keep_dimensions: bool = False,
        label: str = "",
    ) -> Operand:
        """Sum of squares along axes.

        input: Input.
        axes: The axes to reduce, all by default; with none the function is still applied.
        keep_dimensions: Keeps the axes, with size 1.
        label: Shown in messages about this operation.
        """

    def relu(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """max(0, x) for each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def resample2d(
        self,
        input: Operand,
        *,
        mode: Literal["nearest-neighbor", "linear"] = "nearest-neighbor",
        scales: Sequence[float] | None = None,
        sizes: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        label: str = "",
    ) -> Operand:
        """Scales an image along two axes, by nearest neighbors (halves go down) or linear
        interpolation; integers in float32, the lower axis first, rounded to even at the end.

        input: Operand to be resized along two axes.
        mode: How values between elements are found. One of 'nearest-neighbor', 'linear'.
        scales: Factor for each of the axes; [1, 1] by default, unused when sizes is given.
        sizes: Output size along each of the axes.
        axes: The two axes, in the order of scales and sizes; [2, 3] by default.
        label: Shown in messages about this operation.
        """

    def reshape(
        self,
        input: Operand,
        new_shape: Sequence[int],
        *,
        label: str = "",
    ) -> Operand:
        """The same elements in another shape.

        input: Operand whose elements are kept, in row-major order.
        new_shape: Shape of the output, with as many elements.
        label: Shown in messages about this operation.
        """

    def reverse(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        label: str = "",
    ) -> Operand:
        """Turns the order of elements round along axes.

        input: Operand to be reversed.
        axes: Axes to reverse; all by default, none if empty.
        label: Shown in messages about this operation.
        """

    def scatter_elements(
        self,
        input: Operand,
        indices: Operand,
        updates: Operand,
        *,
        axis: int = 0,
        label: str = "",
    ) -> Operand:
        """A copy with single elements replaced: the index replaces the position along one axis.

        input: Operand that is copied, then overwritten in places.
        indices: Positions along the axis, with the input's shape off the axis; negative ones count
            from the end.
        updates: New elements, in the shape of indices.
        axis: Axis along which the positions count.
        label: Shown in messages about this operation.
        """

    def scatter_nd(
        self,
        input: Operand,
        indices: Operand,
        updates: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """A copy with slices replaced, chosen by tuples of indices into the leading axes.

        input: Operand that is copied, then overwritten in places.
        indices: Coordinates [..., n] into the first n axes; negative ones count from the end.
        updates: New slices: the shape of indices but its last axis, then the input's axes from n
            on.
        label: Shown in messages about this operation.
        """

    def sigmoid(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """1 / (1 + exp(-x)) for each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def slice(
        self,
        input: Operand,
        starts: Sequence[int],
        sizes: Sequence[int],
        *,
        strides: Sequence[int] | None = None,
        label: str = "",
    ) -> Operand:
        """A part of the tensor: from starts on, as long as sizes, every strides-th element.

        input: Operand of which a part is taken.
        starts: First element along each axis.
        sizes: Elements of the input that are covered along each axis, before strides.
        strides: Step along each axis; 1 by default.
        label: Shown in messages about this operation.
        """

    def softmax(
        self,
        input: Operand,
        axis: int,
        *,
        label: str = "",
    ) -> Operand:
        """exp(x - max) divided by its sum along one axis.

        input: Input.
        axis: The axis whose elements sum to 1.
        label: Shown in messages about this operation.
        """

    def softplus(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """ln(1 + exp(x)) for each element, without overflow.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def softsign(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """x / (1 + |x|) for each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def split(
        self,
        input: Operand,
        splits: int | Sequence[int],
        *,
        axis: int = 0,
        label: str = "",
    ) -> tuple[Operand, ...]:
        """Cuts the tensor into parts along one axis.

        input: Operand to be cut into pieces.
        splits: Number of equal pieces, or the size of each.
        axis: Axis that is cut.
        label: Shown in messages about this operation.
        """

    def tanh(
        self,
        input: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """Hyperbolic tangent of each element.

        input: Input of any shape.
        label: Shown in messages about this operation.
        """

    def tile(
        self,
        input: Operand,
        repetitions: Sequence[int],
        *,
        label: str = "",
    ) -> Operand:
        """Repeats the whole tensor along each axis.

        input: Operand to be repeated.
        repetitions: Number of repetitions along each axis.
        label: Shown in messages about this operation.
        """

    def transpose(
        self,
        input: Operand,
        *,
        permutation: Sequence[int] | None = None,
        label: str = "",
    ) -> Operand:
        """Exchanges axes by a permutation.

        input: Operand whose axes are permuted.
        permutation: Axis of the input for each axis of the output; reversed order by default.
        label: Shown in messages about this operation.
        """

    def triangular(
        self,
        input: Operand,
        *,
        upper: bool = True,
        diagonal: int = 0,
        label: str = "",
    ) -> Operand:
        """Keeps the upper or lower triangle of the last two axes and clears the rest.

        input: Matrices [..., rows, columns].
        upper: Whether the upper or the lower triangle is kept; the rest becomes 0.
        diagonal: Diagonal where the triangle ends: 0 the main one, positive above, negative below.
        label: Shown in messages about this operation.
        """

    def where(
        self,
        condition: Operand,
        true_value: Operand,
        false_value: Operand,
        *,
        label: str = "",
    ) -> Operand:
        """true_value where condition is other than 0, else false_value, with broadcasting.

        condition: Chooses, element by element; broadcast with the values.
        true_value: Taken where the condition is other than 0.
        false_value: Taken where the condition is 0.
        label: Shown in messages about this operation.
        """

    def squeeze(
        self,
        input: Operand,
        *,
        axes: Sequence[int] | None = None,
        label: str = "",
    ) -> Operand:
        """Drops axes of size 1.

        input: Operand whose axes of size 1 are dropped.
        axes: Axes to drop; by default all of size 1.
        label: Shown in messages about this operation.
        """
