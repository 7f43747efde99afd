---@meta
-- The operation methods of GraphBuilder. Generated from the operation table by tools/opgen.c.

---@class webnn.GraphBuilder
local GraphBuilder = {}

---@class webnn.options.arg_min
---@field keep_dimensions? boolean Keeps the axis, with size 1. Default: false
---@field output_data_type? webnn.DataType Element type of the indices: int32 or int64. Default: 'int32'
---@field label? string Shown in messages about this operation. Default: ''

--- Index of the smallest value along one axis; the first one of equals, the first NaN before all.
---@param input webnn.Operand Input.
---@param axis integer The axis to look along.
---@param options? webnn.options.arg_min
---@return webnn.Operand
function GraphBuilder:arg_min(input, axis, options) end

---@class webnn.options.arg_max
---@field keep_dimensions? boolean Keeps the axis, with size 1. Default: false
---@field output_data_type? webnn.DataType Element type of the indices: int32 or int64. Default: 'int32'
---@field label? string Shown in messages about this operation. Default: ''

--- Index of the largest value along one axis; the first one of equals, the first NaN before all.
---@param input webnn.Operand Input.
---@param axis integer The axis to look along.
---@param options? webnn.options.arg_max
---@return webnn.Operand
function GraphBuilder:arg_max(input, axis, options) end

---@class webnn.options.batch_normalization
---@field scale? webnn.Operand Factors [size of the axis]; 1 by default. Default: nil
---@field bias? webnn.Operand Summands [size of the axis]; 0 by default. Default: nil
---@field axis? integer The axis that the statistics belong to. Default: 1
---@field epsilon? webnn.Number Added to the variance, against division by 0. Default: 1e-05
---@field activation? "none"|"relu"|"sigmoid"|"tanh"|"clamp"|"leakyRelu"|"hardSigmoid"|"hardSwish"|"elu"|"gelu"|"softplus"|"softsign"|"linear" Extension: the operation of this name is applied to the result. Default: 'none'
---@field activation_alpha? webnn.Number Extension: alpha of elu, hardSigmoid, leakyRelu and linear as activation; by default that operation's own. Default: nil
---@field activation_beta? webnn.Number Extension: beta of hardSigmoid and linear as activation; by default that operation's own. Default: nil
---@field activation_min_value? webnn.Number Extension: minValue of clamp as activation; by default that operation's own. Default: nil
---@field activation_max_value? webnn.Number Extension: maxValue of clamp as activation; by default that operation's own. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Shifts and scales each slice along one axis by the mean and variance given for it.
---@param input webnn.Operand Input.
---@param mean webnn.Operand Means [size of the axis].
---@param variance webnn.Operand Variances [size of the axis].
---@param options? webnn.options.batch_normalization
---@return webnn.Operand
function GraphBuilder:batch_normalization(input, mean, variance, options) end

---@class webnn.options.cast
---@field label? string Shown in messages about this operation. Default: ''

--- Converts the elements to another type; float to integer truncates towards zero and saturates.
---@param input webnn.Operand Input of any shape.
---@param data_type webnn.DataType Element type of the output.
---@param options? webnn.options.cast
---@return webnn.Operand
function GraphBuilder:cast(input, data_type, options) end

---@class webnn.options.clamp
---@field min_value? webnn.Number Lower bound; absent or NaN: none. Default: nil
---@field max_value? webnn.Number Upper bound, not below the lower one; absent or NaN: none. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Limits each element to the range from min_value to max_value; an absent or NaN bound is none.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.clamp
---@return webnn.Operand
function GraphBuilder:clamp(input, options) end

---@class webnn.options.concat
---@field label? string Shown in messages about this operation. Default: ''

--- Joins operands along one axis.
---@param inputs webnn.Operand[] Operands to join, of one type and, off the axis, one shape.
---@param axis integer Axis along which they are joined.
---@param options? webnn.options.concat
---@return webnn.Operand
function GraphBuilder:concat(inputs, axis, options) end

---@class webnn.options.conv2d
---@field padding? integer[] Padding [top, bottom, left, right]; none by default. Default: nil
---@field strides? integer[] Strides [height, width]; [1, 1] by default. Default: nil
---@field dilations? integer[] Dilations [height, width]; [1, 1] by default. Default: nil
---@field groups? integer Number of groups into which the channels are divided. Default: 1
---@field input_layout? "nchw"|"nhwc" Order of the axes of input and output. Default: 'nchw'
---@field filter_layout? "oihw"|"hwio"|"ohwi"|"ihwo" Order of the filter's axes: o output channels, i input channels of a group, h, w. Default: 'oihw'
---@field bias? webnn.Operand Bias [output_channels]. Default: nil
---@field auto_pad? "explicit"|"same-upper"|"same-lower" Extension: same-upper and same-lower compute the padding, the odd element at the end or at the beginning; padding is then ignored. Default: 'explicit'
---@field activation? "none"|"relu"|"sigmoid"|"tanh"|"clamp"|"leakyRelu"|"hardSigmoid"|"hardSwish"|"elu"|"gelu"|"softplus"|"softsign"|"linear" Extension: the operation of this name is applied to the result. Default: 'none'
---@field activation_alpha? webnn.Number Extension: alpha of elu, hardSigmoid, leakyRelu and linear as activation; by default that operation's own. Default: nil
---@field activation_beta? webnn.Number Extension: beta of hardSigmoid and linear as activation; by default that operation's own. Default: nil
---@field activation_min_value? webnn.Number Extension: minValue of clamp as activation; by default that operation's own. Default: nil
---@field activation_max_value? webnn.Number Extension: maxValue of clamp as activation; by default that operation's own. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- 2-D convolution of an image with a filter, with padding, strides, dilations and groups.
---@param input webnn.Operand Input [batch, channels, height, width], in the order of input_layout.
---@param filter webnn.Operand Filter, its axes in the order of filter_layout.
---@param options? webnn.options.conv2d
---@return webnn.Operand
function GraphBuilder:conv2d(input, filter, options) end

---@class webnn.options.conv_transpose2d
---@field padding? integer[] Padding [top, bottom, left, right]; none by default. Default: nil
---@field strides? integer[] Strides [height, width]; [1, 1] by default. Default: nil
---@field dilations? integer[] Dilations [height, width]; [1, 1] by default. Default: nil
---@field output_padding? integer[] Rows and columns added at the end [height, width], each below its stride; [0, 0] by default. Default: nil
---@field output_sizes? integer[] Output sizes [height, width], instead of output_padding. Default: nil
---@field groups? integer Number of groups into which the channels are divided. Default: 1
---@field input_layout? "nchw"|"nhwc" Order of the axes of input and output. Default: 'nchw'
---@field filter_layout? "iohw"|"hwoi"|"ohwi" Order of the filter's axes: i input channels, o output channels of a group, h, w. Default: 'iohw'
---@field bias? webnn.Operand Bias [output_channels]. Default: nil
---@field auto_pad? "explicit"|"same-upper"|"same-lower" Extension: same-upper and same-lower compute the padding, the odd element at the end or at the beginning; padding is then ignored. Default: 'explicit'
---@field activation? "none"|"relu"|"sigmoid"|"tanh"|"clamp"|"leakyRelu"|"hardSigmoid"|"hardSwish"|"elu"|"gelu"|"softplus"|"softsign"|"linear" Extension: the operation of this name is applied to the result. Default: 'none'
---@field activation_alpha? webnn.Number Extension: alpha of elu, hardSigmoid, leakyRelu and linear as activation; by default that operation's own. Default: nil
---@field activation_beta? webnn.Number Extension: beta of hardSigmoid and linear as activation; by default that operation's own. Default: nil
---@field activation_min_value? webnn.Number Extension: minValue of clamp as activation; by default that operation's own. Default: nil
---@field activation_max_value? webnn.Number Extension: maxValue of clamp as activation; by default that operation's own. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Transposed 2-D convolution: spreads each input element over a window of the output.
---@param input webnn.Operand Input [batch, channels, height, width], in the order of input_layout.
---@param filter webnn.Operand Filter, its axes in the order of filter_layout.
---@param options? webnn.options.conv_transpose2d
---@return webnn.Operand
function GraphBuilder:conv_transpose2d(input, filter, options) end

---@class webnn.options.cumulative_sum
---@field exclusive? boolean Leaves the element itself out of its sum. Default: false
---@field reversed? boolean Sums from the end. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Running sum along one axis, without the element itself when exclusive, from the end when reversed.
---@param input webnn.Operand Input.
---@param axis integer The axis to sum along.
---@param options? webnn.options.cumulative_sum
---@return webnn.Operand
function GraphBuilder:cumulative_sum(input, axis, options) end

---@class webnn.options.add
---@field label? string Shown in messages about this operation. Default: ''

--- Sum of two tensors, with broadcasting; integers wrap.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.add
---@return webnn.Operand
function GraphBuilder:add(a, b, options) end

---@class webnn.options.sub
---@field label? string Shown in messages about this operation. Default: ''

--- Difference of two tensors, with broadcasting; integers wrap.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.sub
---@return webnn.Operand
function GraphBuilder:sub(a, b, options) end

---@class webnn.options.mul
---@field label? string Shown in messages about this operation. Default: ''

--- Product of two tensors, with broadcasting; integers wrap.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.mul
---@return webnn.Operand
function GraphBuilder:mul(a, b, options) end

---@class webnn.options.div
---@field label? string Shown in messages about this operation. Default: ''

--- Quotient of two tensors, with broadcasting; integers truncate, division by 0 gives 0.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.div
---@return webnn.Operand
function GraphBuilder:div(a, b, options) end

---@class webnn.options.max
---@field label? string Shown in messages about this operation. Default: ''

--- The larger of two elements, with broadcasting; NaN wins.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.max
---@return webnn.Operand
function GraphBuilder:max(a, b, options) end

---@class webnn.options.min
---@field label? string Shown in messages about this operation. Default: ''

--- The smaller of two elements, with broadcasting; NaN wins.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.min
---@return webnn.Operand
function GraphBuilder:min(a, b, options) end

---@class webnn.options.pow
---@field label? string Shown in messages about this operation. Default: ''

--- The first tensor to the power of the second, with broadcasting; integers wrap.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.pow
---@return webnn.Operand
function GraphBuilder:pow(a, b, options) end

---@class webnn.options.equal
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where two elements are equal, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.equal
---@return webnn.Operand
function GraphBuilder:equal(a, b, options) end

---@class webnn.options.not_equal
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where two elements differ, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.not_equal
---@return webnn.Operand
function GraphBuilder:not_equal(a, b, options) end

---@class webnn.options.greater
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where a is greater than b, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.greater
---@return webnn.Operand
function GraphBuilder:greater(a, b, options) end

---@class webnn.options.greater_or_equal
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where a is greater than or equal to b, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.greater_or_equal
---@return webnn.Operand
function GraphBuilder:greater_or_equal(a, b, options) end

---@class webnn.options.lesser
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where a is less than b, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.lesser
---@return webnn.Operand
function GraphBuilder:lesser(a, b, options) end

---@class webnn.options.lesser_or_equal
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where a is less than or equal to b, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.lesser_or_equal
---@return webnn.Operand
function GraphBuilder:lesser_or_equal(a, b, options) end

---@class webnn.options.logical_not
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where an element is 0, else 0.
---@param a webnn.Operand Input of any shape.
---@param options? webnn.options.logical_not
---@return webnn.Operand
function GraphBuilder:logical_not(a, options) end

---@class webnn.options.logical_and
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where both elements are other than 0, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.logical_and
---@return webnn.Operand
function GraphBuilder:logical_and(a, b, options) end

---@class webnn.options.logical_or
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where at least one of two elements is other than 0, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.logical_or
---@return webnn.Operand
function GraphBuilder:logical_or(a, b, options) end

---@class webnn.options.logical_xor
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where exactly one of two elements is other than 0, else 0, with broadcasting.
---@param a webnn.Operand First operand.
---@param b webnn.Operand Second operand; broadcast with the first.
---@param options? webnn.options.logical_xor
---@return webnn.Operand
function GraphBuilder:logical_xor(a, b, options) end

---@class webnn.options.is_nan
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where an element is NaN, else 0.
---@param a webnn.Operand Input of any shape.
---@param options? webnn.options.is_nan
---@return webnn.Operand
function GraphBuilder:is_nan(a, options) end

---@class webnn.options.is_infinite
---@field label? string Shown in messages about this operation. Default: ''

--- 1 where an element is infinite, else 0.
---@param a webnn.Operand Input of any shape.
---@param options? webnn.options.is_infinite
---@return webnn.Operand
function GraphBuilder:is_infinite(a, options) end

---@class webnn.options.abs
---@field label? string Shown in messages about this operation. Default: ''

--- Absolute value of each element; the smallest integer stays as it is.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.abs
---@return webnn.Operand
function GraphBuilder:abs(input, options) end

---@class webnn.options.ceil
---@field label? string Shown in messages about this operation. Default: ''

--- Rounds each element up to a whole number.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.ceil
---@return webnn.Operand
function GraphBuilder:ceil(input, options) end

---@class webnn.options.cos
---@field label? string Shown in messages about this operation. Default: ''

--- Cosine of each element, in radians.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.cos
---@return webnn.Operand
function GraphBuilder:cos(input, options) end

---@class webnn.options.erf
---@field label? string Shown in messages about this operation. Default: ''

--- Gauss error function of each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.erf
---@return webnn.Operand
function GraphBuilder:erf(input, options) end

---@class webnn.options.exp
---@field label? string Shown in messages about this operation. Default: ''

--- e to the power of each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.exp
---@return webnn.Operand
function GraphBuilder:exp(input, options) end

---@class webnn.options.floor
---@field label? string Shown in messages about this operation. Default: ''

--- Rounds each element down to a whole number.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.floor
---@return webnn.Operand
function GraphBuilder:floor(input, options) end

---@class webnn.options.identity
---@field label? string Shown in messages about this operation. Default: ''

--- A copy of the tensor: the way to make an input or a constant an output.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.identity
---@return webnn.Operand
function GraphBuilder:identity(input, options) end

---@class webnn.options.log
---@field label? string Shown in messages about this operation. Default: ''

--- Natural logarithm of each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.log
---@return webnn.Operand
function GraphBuilder:log(input, options) end

---@class webnn.options.neg
---@field label? string Shown in messages about this operation. Default: ''

--- Each element with the opposite sign; the smallest integer stays as it is.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.neg
---@return webnn.Operand
function GraphBuilder:neg(input, options) end

---@class webnn.options.reciprocal
---@field label? string Shown in messages about this operation. Default: ''

--- 1 divided by each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.reciprocal
---@return webnn.Operand
function GraphBuilder:reciprocal(input, options) end

---@class webnn.options.round_even
---@field label? string Shown in messages about this operation. Default: ''

--- Rounds each element to the nearest whole number, halves to the even one.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.round_even
---@return webnn.Operand
function GraphBuilder:round_even(input, options) end

---@class webnn.options.sin
---@field label? string Shown in messages about this operation. Default: ''

--- Sine of each element, in radians.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.sin
---@return webnn.Operand
function GraphBuilder:sin(input, options) end

---@class webnn.options.sign
---@field label? string Shown in messages about this operation. Default: ''

--- -1, 0 or 1 by the sign of each element; 0 for NaN.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.sign
---@return webnn.Operand
function GraphBuilder:sign(input, options) end

---@class webnn.options.sqrt
---@field label? string Shown in messages about this operation. Default: ''

--- Square root of each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.sqrt
---@return webnn.Operand
function GraphBuilder:sqrt(input, options) end

---@class webnn.options.tan
---@field label? string Shown in messages about this operation. Default: ''

--- Tangent of each element, in radians.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.tan
---@return webnn.Operand
function GraphBuilder:tan(input, options) end

---@class webnn.options.dequantize_linear
---@field label? string Shown in messages about this operation. Default: ''

--- (input - zero_point) * scale, with scale and zero point repeated over blocks.
---@param input webnn.Operand Quantized values.
---@param scale webnn.Operand Scales: every axis divides the input's, and each element serves a block. Its type is the output's.
---@param zero_point webnn.Operand Zero points, of the shape of scale.
---@param options? webnn.options.dequantize_linear
---@return webnn.Operand
function GraphBuilder:dequantize_linear(input, scale, zero_point, options) end

---@class webnn.options.quantize_linear
---@field label? string Shown in messages about this operation. Default: ''

--- Rounds input / scale to even, adds zero_point and saturates to its type, block by block.
---@param input webnn.Operand Values to quantize.
---@param scale webnn.Operand Scales: every axis divides the input's, and each element serves a block.
---@param zero_point webnn.Operand Zero points, of the shape of scale. Its type is the output's.
---@param options? webnn.options.quantize_linear
---@return webnn.Operand
function GraphBuilder:quantize_linear(input, scale, zero_point, options) end

---@class webnn.options.elu
---@field alpha? webnn.Number Factor of the negative part. Default: 1
---@field label? string Shown in messages about this operation. Default: ''

--- max(0, x) + alpha * (exp(min(0, x)) - 1) for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.elu
---@return webnn.Operand
function GraphBuilder:elu(input, options) end

---@class webnn.options.expand
---@field label? string Shown in messages about this operation. Default: ''

--- Repeats axes of size 1 until the tensor has the new shape.
---@param input webnn.Operand Operand to be repeated.
---@param new_shape integer[] Shape to which the input broadcasts.
---@param options? webnn.options.expand
---@return webnn.Operand
function GraphBuilder:expand(input, new_shape, options) end

---@class webnn.options.gather
---@field axis? integer Axis that the positions replace. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- Picks slices along one axis by their indices.
---@param input webnn.Operand Operand from which slices are taken.
---@param indices webnn.Operand Positions along the axis; negative ones count from the end.
---@param options? webnn.options.gather
---@return webnn.Operand
function GraphBuilder:gather(input, indices, options) end

---@class webnn.options.gather_elements
---@field axis? integer Axis along which the positions count. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- Picks single elements: the index replaces the position along one axis.
---@param input webnn.Operand Operand from which elements are taken.
---@param indices webnn.Operand Positions along the axis, with the input's shape off the axis; negative ones count from the end.
---@param options? webnn.options.gather_elements
---@return webnn.Operand
function GraphBuilder:gather_elements(input, indices, options) end

---@class webnn.options.gather_nd
---@field label? string Shown in messages about this operation. Default: ''

--- Picks slices by tuples of indices into the leading axes.
---@param input webnn.Operand Operand from which slices are taken.
---@param indices webnn.Operand Coordinates [..., n] into the first n axes; negative ones count from the end.
---@param options? webnn.options.gather_nd
---@return webnn.Operand
function GraphBuilder:gather_nd(input, indices, options) end

---@class webnn.options.gelu
---@field label? string Shown in messages about this operation. Default: ''

--- 0.5 * x * (1 + erf(x / sqrt(2))) for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.gelu
---@return webnn.Operand
function GraphBuilder:gelu(input, options) end

---@class webnn.options.gemm
---@field c? webnn.Operand Added to the product; broadcast to [M, N]. Default: nil
---@field alpha? webnn.Number Factor of the product. Default: 1
---@field beta? webnn.Number Factor of c. Default: 1
---@field a_transpose? boolean Transposes a first. Default: false
---@field b_transpose? boolean Transposes b first. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- alpha * A * B + beta * C for matrices, which may be transposed first.
---@param a webnn.Operand Left matrix [M, K], [K, M] when transposed.
---@param b webnn.Operand Right matrix [K, N], [N, K] when transposed.
---@param options? webnn.options.gemm
---@return webnn.Operand
function GraphBuilder:gemm(a, b, options) end

---@class webnn.options.gru
---@field bias? webnn.Operand Bias [directions, 3 * hidden_size]. Default: nil
---@field recurrent_bias? webnn.Operand Recurrent bias [directions, 3 * hidden_size]. Default: nil
---@field initial_hidden_state? webnn.Operand Hidden state before the first step [directions, batch, hidden_size]; 0 by default. Default: nil
---@field reset_after? boolean Whether the reset gate acts after the product with the recurrent weight or before it. Default: true
---@field return_sequence? boolean Whether a last output [steps, directions, batch, hidden_size] holds the hidden state of every step. Default: false
---@field direction? "forward"|"backward"|"both" Order of the steps; both runs two networks: directions is 2, else 1. Default: 'forward'
---@field layout? "zrn"|"rzn" Order of the gates in weights and biases: z update, r reset, n new. Default: 'zrn'
---@field activations? ("relu"|"sigmoid"|"tanh")[] Functions of the update and reset gates and of the new gate; ['sigmoid', 'tanh'] by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Gated recurrent unit over a sequence, in one or both directions.
---@param input webnn.Operand Input [steps, batch, features].
---@param weight webnn.Operand Weight [directions, 3 * hidden_size, features].
---@param recurrent_weight webnn.Operand Recurrent weight [directions, 3 * hidden_size, hidden_size].
---@param steps integer Time steps: the input's first dimension.
---@param hidden_size integer Features of the hidden state.
---@param options? webnn.options.gru
---@return webnn.Operand[]
function GraphBuilder:gru(input, weight, recurrent_weight, steps, hidden_size, options) end

---@class webnn.options.gru_cell
---@field bias? webnn.Operand Bias [3 * hidden_size]. Default: nil
---@field recurrent_bias? webnn.Operand Recurrent bias [3 * hidden_size]. Default: nil
---@field reset_after? boolean Whether the reset gate acts after the product with the recurrent weight or before it. Default: true
---@field layout? "zrn"|"rzn" Order of the gates in weights and biases: z update, r reset, n new. Default: 'zrn'
---@field activations? ("relu"|"sigmoid"|"tanh")[] Functions of the update and reset gates and of the new gate; ['sigmoid', 'tanh'] by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- One step of a gated recurrent unit.
---@param input webnn.Operand Input [batch, features].
---@param weight webnn.Operand Weight [3 * hidden_size, features].
---@param recurrent_weight webnn.Operand Recurrent weight [3 * hidden_size, hidden_size].
---@param hidden_state webnn.Operand Hidden state [batch, hidden_size].
---@param hidden_size integer Features of the hidden state.
---@param options? webnn.options.gru_cell
---@return webnn.Operand
function GraphBuilder:gru_cell(input, weight, recurrent_weight, hidden_state, hidden_size, options) end

---@class webnn.options.hard_sigmoid
---@field alpha? webnn.Number Slope. Default: 0.2
---@field beta? webnn.Number Value at 0. Default: 0.5
---@field label? string Shown in messages about this operation. Default: ''

--- max(0, min(1, alpha * x + beta)) for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.hard_sigmoid
---@return webnn.Operand
function GraphBuilder:hard_sigmoid(input, options) end

---@class webnn.options.hard_swish
---@field label? string Shown in messages about this operation. Default: ''

--- x * max(0, min(6, x + 3)) / 6 for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.hard_swish
---@return webnn.Operand
function GraphBuilder:hard_swish(input, options) end

---@class webnn.options.instance_normalization
---@field scale? webnn.Operand Factors [channels]; 1 by default. Default: nil
---@field bias? webnn.Operand Summands [channels]; 0 by default. Default: nil
---@field epsilon? webnn.Number Added to the variance, against division by 0. Default: 1e-05
---@field layout? "nchw"|"nhwc" Order of the axes of input and output. Default: 'nchw'
---@field label? string Shown in messages about this operation. Default: ''

--- Normalizes each channel of each image by its own mean and variance; equal numbers have none.
---@param input webnn.Operand Input [batch, channels, height, width], in the order of layout.
---@param options? webnn.options.instance_normalization
---@return webnn.Operand
function GraphBuilder:instance_normalization(input, options) end

---@class webnn.options.layer_normalization
---@field scale? webnn.Operand Factors, one axis for each of axes, in their order; 1 by default. Default: nil
---@field bias? webnn.Operand Summands, one axis for each of axes, in their order; 0 by default. Default: nil
---@field axes? integer[] The axes that share mean and variance, in any order; all but the first by default. Default: nil
---@field epsilon? webnn.Number Added to the variance, against division by 0. Default: 1e-05
---@field label? string Shown in messages about this operation. Default: ''

--- Normalizes by mean and variance over the given axes; equal numbers have none.
---@param input webnn.Operand Input.
---@param options? webnn.options.layer_normalization
---@return webnn.Operand
function GraphBuilder:layer_normalization(input, options) end

---@class webnn.options.leaky_relu
---@field alpha? webnn.Number Slope below 0. Default: 0.01
---@field label? string Shown in messages about this operation. Default: ''

--- x where it is at least 0, else alpha * x.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.leaky_relu
---@return webnn.Operand
function GraphBuilder:leaky_relu(input, options) end

---@class webnn.options.linear
---@field alpha? webnn.Number Factor. Default: 1
---@field beta? webnn.Number Summand. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- alpha * x + beta for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.linear
---@return webnn.Operand
function GraphBuilder:linear(input, options) end

---@class webnn.options.lstm
---@field bias? webnn.Operand Bias [directions, 4 * hidden_size]. Default: nil
---@field recurrent_bias? webnn.Operand Recurrent bias [directions, 4 * hidden_size]. Default: nil
---@field peephole_weight? webnn.Operand Peephole weight [directions, 3 * hidden_size], in the order i, o, f whatever the layout. Default: nil
---@field initial_hidden_state? webnn.Operand Hidden state before the first step [directions, batch, hidden_size]; 0 by default. Default: nil
---@field initial_cell_state? webnn.Operand Cell state before the first step [directions, batch, hidden_size]; 0 by default. Default: nil
---@field return_sequence? boolean Whether a last output [steps, directions, batch, hidden_size] holds the hidden state of every step. Default: false
---@field direction? "forward"|"backward"|"both" Order of the steps; both runs two networks: directions is 2, else 1. Default: 'forward'
---@field layout? "iofg"|"ifgo" Order of the gates in weights and biases: i input, o output, f forget, g cell. Default: 'iofg'
---@field activations? ("relu"|"sigmoid"|"tanh")[] Functions of the input, output and forget gates, of the cell gate and of the new cell state; ['sigmoid', 'tanh', 'tanh'] by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Long short-term memory over a sequence, in one or both directions.
---@param input webnn.Operand Input [steps, batch, features].
---@param weight webnn.Operand Weight [directions, 4 * hidden_size, features].
---@param recurrent_weight webnn.Operand Recurrent weight [directions, 4 * hidden_size, hidden_size].
---@param steps integer Time steps: the input's first dimension.
---@param hidden_size integer Features of the hidden state.
---@param options? webnn.options.lstm
---@return webnn.Operand[]
function GraphBuilder:lstm(input, weight, recurrent_weight, steps, hidden_size, options) end

---@class webnn.options.lstm_cell
---@field bias? webnn.Operand Bias [4 * hidden_size]. Default: nil
---@field recurrent_bias? webnn.Operand Recurrent bias [4 * hidden_size]. Default: nil
---@field peephole_weight? webnn.Operand Peephole weight [3 * hidden_size], in the order i, o, f whatever the layout. Default: nil
---@field layout? "iofg"|"ifgo" Order of the gates in weights and biases: i input, o output, f forget, g cell. Default: 'iofg'
---@field activations? ("relu"|"sigmoid"|"tanh")[] Functions of the input, output and forget gates, of the cell gate and of the new cell state; ['sigmoid', 'tanh', 'tanh'] by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- One step of a long short-term memory.
---@param input webnn.Operand Input [batch, features].
---@param weight webnn.Operand Weight [4 * hidden_size, features].
---@param recurrent_weight webnn.Operand Recurrent weight [4 * hidden_size, hidden_size].
---@param hidden_state webnn.Operand Hidden state [batch, hidden_size].
---@param cell_state webnn.Operand Cell state [batch, hidden_size].
---@param hidden_size integer Features of the hidden state.
---@param options? webnn.options.lstm_cell
---@return webnn.Operand[]
function GraphBuilder:lstm_cell(input, weight, recurrent_weight, hidden_state, cell_state, hidden_size, options) end

---@class webnn.options.matmul
---@field label? string Shown in messages about this operation. Default: ''

--- Matrix product over the last two axes, with broadcasting of the others.
---@param a webnn.Operand Left matrices [..., M, K].
---@param b webnn.Operand Right matrices [..., K, N]; leading axes broadcast.
---@param options? webnn.options.matmul
---@return webnn.Operand
function GraphBuilder:matmul(a, b, options) end

---@class webnn.options.pad
---@field mode? "constant"|"edge"|"reflection"|"symmetric" What is added: value, the border, or a mirror image without the border (reflection) or, an extension, with it (symmetric). Default: 'constant'
---@field value? webnn.Number Number added in constant mode. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- Makes the tensor larger at its borders by a constant or by its own elements.
---@param input webnn.Operand Operand to be padded.
---@param beginning_padding integer[] Elements added before each axis.
---@param ending_padding integer[] Elements added after each axis.
---@param options? webnn.options.pad
---@return webnn.Operand
function GraphBuilder:pad(input, beginning_padding, ending_padding, options) end

---@class webnn.options.average_pool2d
---@field window_dimensions? integer[] Window [height, width]; the input's whole plane by default. Default: nil
---@field padding? integer[] Padding [top, bottom, left, right]; none by default. Default: nil
---@field strides? integer[] Strides [height, width]; [1, 1] by default. Default: nil
---@field dilations? integer[] Dilations [height, width]; [1, 1] by default. Default: nil
---@field layout? "nchw"|"nhwc" Order of the axes of input and output. Default: 'nchw'
---@field output_shape_rounding? "floor"|"ceil" Whether a last window that doesn't fit is dropped (floor) or kept (ceil). Default: 'floor'
---@field output_sizes? integer[] Output sizes [height, width], those of floor or those of ceil, instead of the rounding. Default: nil
---@field auto_pad? "explicit"|"same-upper"|"same-lower" Extension: same-upper and same-lower compute the padding, the odd element at the end or at the beginning; padding is then ignored. Default: 'explicit'
---@field label? string Shown in messages about this operation. Default: ''

--- Mean of each window of an image; padding doesn't count.
---@param input webnn.Operand Input [batch, channels, height, width], in the order of layout.
---@param options? webnn.options.average_pool2d
---@return webnn.Operand
function GraphBuilder:average_pool2d(input, options) end

---@class webnn.options.l2_pool2d
---@field window_dimensions? integer[] Window [height, width]; the input's whole plane by default. Default: nil
---@field padding? integer[] Padding [top, bottom, left, right]; none by default. Default: nil
---@field strides? integer[] Strides [height, width]; [1, 1] by default. Default: nil
---@field dilations? integer[] Dilations [height, width]; [1, 1] by default. Default: nil
---@field layout? "nchw"|"nhwc" Order of the axes of input and output. Default: 'nchw'
---@field output_shape_rounding? "floor"|"ceil" Whether a last window that doesn't fit is dropped (floor) or kept (ceil). Default: 'floor'
---@field output_sizes? integer[] Output sizes [height, width], those of floor or those of ceil, instead of the rounding. Default: nil
---@field auto_pad? "explicit"|"same-upper"|"same-lower" Extension: same-upper and same-lower compute the padding, the odd element at the end or at the beginning; padding is then ignored. Default: 'explicit'
---@field label? string Shown in messages about this operation. Default: ''

--- Square root of the sum of squares of each window of an image.
---@param input webnn.Operand Input [batch, channels, height, width], in the order of layout.
---@param options? webnn.options.l2_pool2d
---@return webnn.Operand
function GraphBuilder:l2_pool2d(input, options) end

---@class webnn.options.max_pool2d
---@field window_dimensions? integer[] Window [height, width]; the input's whole plane by default. Default: nil
---@field padding? integer[] Padding [top, bottom, left, right]; none by default. Default: nil
---@field strides? integer[] Strides [height, width]; [1, 1] by default. Default: nil
---@field dilations? integer[] Dilations [height, width]; [1, 1] by default. Default: nil
---@field layout? "nchw"|"nhwc" Order of the axes of input and output. Default: 'nchw'
---@field output_shape_rounding? "floor"|"ceil" Whether a last window that doesn't fit is dropped (floor) or kept (ceil). Default: 'floor'
---@field output_sizes? integer[] Output sizes [height, width], those of floor or those of ceil, instead of the rounding. Default: nil
---@field auto_pad? "explicit"|"same-upper"|"same-lower" Extension: same-upper and same-lower compute the padding, the odd element at the end or at the beginning; padding is then ignored. Default: 'explicit'
---@field label? string Shown in messages about this operation. Default: ''

--- Largest element of each window of an image; padding never wins.
---@param input webnn.Operand Input [batch, channels, height, width], in the order of layout.
---@param options? webnn.options.max_pool2d
---@return webnn.Operand
function GraphBuilder:max_pool2d(input, options) end

---@class webnn.options.prelu
---@field label? string Shown in messages about this operation. Default: ''

--- x where it is at least 0, else slope * x, with broadcasting.
---@param input webnn.Operand Input of any shape.
---@param slope webnn.Operand Slope below 0; broadcast with the input, in both directions.
---@param options? webnn.options.prelu
---@return webnn.Operand
function GraphBuilder:prelu(input, slope, options) end

---@class webnn.options.reduce_l1
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Sum of the absolute values along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_l1
---@return webnn.Operand
function GraphBuilder:reduce_l1(input, options) end

---@class webnn.options.reduce_l2
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Square root of the sum of squares along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_l2
---@return webnn.Operand
function GraphBuilder:reduce_l2(input, options) end

---@class webnn.options.reduce_log_sum
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Natural logarithm of the sum along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_log_sum
---@return webnn.Operand
function GraphBuilder:reduce_log_sum(input, options) end

---@class webnn.options.reduce_log_sum_exp
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Natural logarithm of the sum of exponentials along axes, without overflow.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_log_sum_exp
---@return webnn.Operand
function GraphBuilder:reduce_log_sum_exp(input, options) end

---@class webnn.options.reduce_max
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Largest value along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_max
---@return webnn.Operand
function GraphBuilder:reduce_max(input, options) end

---@class webnn.options.reduce_mean
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Mean along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_mean
---@return webnn.Operand
function GraphBuilder:reduce_mean(input, options) end

---@class webnn.options.reduce_min
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Smallest value along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_min
---@return webnn.Operand
function GraphBuilder:reduce_min(input, options) end

---@class webnn.options.reduce_product
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Product along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_product
---@return webnn.Operand
function GraphBuilder:reduce_product(input, options) end

---@class webnn.options.reduce_sum
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Sum along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_sum
---@return webnn.Operand
function GraphBuilder:reduce_sum(input, options) end

---@class webnn.options.reduce_sum_square
---@field axes? integer[] The axes to reduce, all by default; with none the function is still applied. Default: nil
---@field keep_dimensions? boolean Keeps the axes, with size 1. Default: false
---@field label? string Shown in messages about this operation. Default: ''

--- Sum of squares along axes.
---@param input webnn.Operand Input.
---@param options? webnn.options.reduce_sum_square
---@return webnn.Operand
function GraphBuilder:reduce_sum_square(input, options) end

---@class webnn.options.relu
---@field label? string Shown in messages about this operation. Default: ''

--- max(0, x) for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.relu
---@return webnn.Operand
function GraphBuilder:relu(input, options) end

---@class webnn.options.resample2d
---@field mode? "nearest-neighbor"|"linear" How values between elements are found. Default: 'nearest-neighbor'
---@field scales? number[] Factor for each of the axes; [1, 1] by default, unused when sizes is given. Default: nil
---@field sizes? integer[] Output size along each of the axes. Default: nil
---@field axes? integer[] The two axes, in the order of scales and sizes; [2, 3] by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Scales an image along two axes, by nearest neighbors (halves go down) or linear interpolation; integers in float32, the lower axis first, rounded to even at the end.
---@param input webnn.Operand Operand to be resized along two axes.
---@param options? webnn.options.resample2d
---@return webnn.Operand
function GraphBuilder:resample2d(input, options) end

---@class webnn.options.reshape
---@field label? string Shown in messages about this operation. Default: ''

--- The same elements in another shape.
---@param input webnn.Operand Operand whose elements are kept, in row-major order.
---@param new_shape integer[] Shape of the output, with as many elements.
---@param options? webnn.options.reshape
---@return webnn.Operand
function GraphBuilder:reshape(input, new_shape, options) end

---@class webnn.options.reverse
---@field axes? integer[] Axes to reverse; all by default, none if empty. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Turns the order of elements round along axes.
---@param input webnn.Operand Operand to be reversed.
---@param options? webnn.options.reverse
---@return webnn.Operand
function GraphBuilder:reverse(input, options) end

---@class webnn.options.scatter_elements
---@field axis? integer Axis along which the positions count. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- A copy with single elements replaced: the index replaces the position along one axis.
---@param input webnn.Operand Operand that is copied, then overwritten in places.
---@param indices webnn.Operand Positions along the axis, with the input's shape off the axis; negative ones count from the end.
---@param updates webnn.Operand New elements, in the shape of indices.
---@param options? webnn.options.scatter_elements
---@return webnn.Operand
function GraphBuilder:scatter_elements(input, indices, updates, options) end

---@class webnn.options.scatter_nd
---@field label? string Shown in messages about this operation. Default: ''

--- A copy with slices replaced, chosen by tuples of indices into the leading axes.
---@param input webnn.Operand Operand that is copied, then overwritten in places.
---@param indices webnn.Operand Coordinates [..., n] into the first n axes; negative ones count from the end.
---@param updates webnn.Operand New slices: the shape of indices but its last axis, then the input's axes from n on.
---@param options? webnn.options.scatter_nd
---@return webnn.Operand
function GraphBuilder:scatter_nd(input, indices, updates, options) end

---@class webnn.options.sigmoid
---@field label? string Shown in messages about this operation. Default: ''

--- 1 / (1 + exp(-x)) for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.sigmoid
---@return webnn.Operand
function GraphBuilder:sigmoid(input, options) end

---@class webnn.options.slice
---@field strides? integer[] Step along each axis; 1 by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- A part of the tensor: from starts on, as long as sizes, every strides-th element.
---@param input webnn.Operand Operand of which a part is taken.
---@param starts integer[] First element along each axis.
---@param sizes integer[] Elements of the input that are covered along each axis, before strides.
---@param options? webnn.options.slice
---@return webnn.Operand
function GraphBuilder:slice(input, starts, sizes, options) end

---@class webnn.options.softmax
---@field label? string Shown in messages about this operation. Default: ''

--- exp(x - max) divided by its sum along one axis.
---@param input webnn.Operand Input.
---@param axis integer The axis whose elements sum to 1.
---@param options? webnn.options.softmax
---@return webnn.Operand
function GraphBuilder:softmax(input, axis, options) end

---@class webnn.options.softplus
---@field label? string Shown in messages about this operation. Default: ''

--- ln(1 + exp(x)) for each element, without overflow.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.softplus
---@return webnn.Operand
function GraphBuilder:softplus(input, options) end

---@class webnn.options.softsign
---@field label? string Shown in messages about this operation. Default: ''

--- x / (1 + |x|) for each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.softsign
---@return webnn.Operand
function GraphBuilder:softsign(input, options) end

---@class webnn.options.split
---@field axis? integer Axis that is cut. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- Cuts the tensor into parts along one axis.
---@param input webnn.Operand Operand to be cut into pieces.
---@param splits integer|integer[] Number of equal pieces, or the size of each.
---@param options? webnn.options.split
---@return webnn.Operand[]
function GraphBuilder:split(input, splits, options) end

---@class webnn.options.tanh
---@field label? string Shown in messages about this operation. Default: ''

--- Hyperbolic tangent of each element.
---@param input webnn.Operand Input of any shape.
---@param options? webnn.options.tanh
---@return webnn.Operand
function GraphBuilder:tanh(input, options) end

---@class webnn.options.tile
---@field label? string Shown in messages about this operation. Default: ''

--- Repeats the whole tensor along each axis.
---@param input webnn.Operand Operand to be repeated.
---@param repetitions integer[] Number of repetitions along each axis.
---@param options? webnn.options.tile
---@return webnn.Operand
function GraphBuilder:tile(input, repetitions, options) end

---@class webnn.options.transpose
---@field permutation? integer[] Axis of the input for each axis of the output; reversed order by default. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Exchanges axes by a permutation.
---@param input webnn.Operand Operand whose axes are permuted.
---@param options? webnn.options.transpose
---@return webnn.Operand
function GraphBuilder:transpose(input, options) end

---@class webnn.options.triangular
---@field upper? boolean Whether the upper or the lower triangle is kept; the rest becomes 0. Default: true
---@field diagonal? integer Diagonal where the triangle ends: 0 the main one, positive above, negative below. Default: 0
---@field label? string Shown in messages about this operation. Default: ''

--- Keeps the upper or lower triangle of the last two axes and clears the rest.
---@param input webnn.Operand Matrices [..., rows, columns].
---@param options? webnn.options.triangular
---@return webnn.Operand
function GraphBuilder:triangular(input, options) end

---@class webnn.options.where
---@field label? string Shown in messages about this operation. Default: ''

--- true_value where condition is other than 0, else false_value, with broadcasting.
---@param condition webnn.Operand Chooses, element by element; broadcast with the values.
---@param true_value webnn.Operand Taken where the condition is other than 0.
---@param false_value webnn.Operand Taken where the condition is 0.
---@param options? webnn.options.where
---@return webnn.Operand
function GraphBuilder:where(condition, true_value, false_value, options) end

---@class webnn.options.squeeze
---@field axes? integer[] Axes to drop; by default all of size 1. Default: nil
---@field label? string Shown in messages about this operation. Default: ''

--- Drops axes of size 1.
---@param input webnn.Operand Operand whose axes of size 1 are dropped.
---@param options? webnn.options.squeeze
---@return webnn.Operand
function GraphBuilder:squeeze(input, options) end
