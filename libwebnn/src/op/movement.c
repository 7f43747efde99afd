/* Operations that move elements and compute nothing: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>
#include <string.h>

#define WNN_MAX_TENSORS \
  8192 /* Spec: the valid tensor count, for concat's inputs and split's outputs */

static const wnn_field any_output[] = {WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};
static const wnn_field vector_output[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK_FROM(1))};
static const wnn_field matrix_output[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK_FROM(2))};
static const wnn_field split_outputs[] = {WNN_OUTPUT("outputs", "outputs", NULL, WNN_RANK_FROM(1))};

#define ANY_INPUT(doc_) WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_ANY_RANK, doc_)

static const wnn_field concat_fields[] = {
    WNN_OPERAND_LIST("inputs", "inputs", NULL, WNN_RANK_FROM(1),
                     "Operands to join, of one type and, off the axis, one shape."),
    WNN_PARAMETER(UINT, "axis", "axis", wnn_axis_attrs, axis, "Axis along which they are joined."),
    WNN_LABEL,
};
static const wnn_field expand_fields[] = {
    ANY_INPUT("Operand to be repeated."),
    WNN_PARAMETER(UINTS, "new_shape", "newShape", wnn_shape_attrs, shape,
                  "Shape to which the input broadcasts."),
    WNN_LABEL,
};
static const wnn_field pad_fields[] = {
    ANY_INPUT("Operand to be padded."),
    WNN_PARAMETER(UINTS, "beginning_padding", "beginningPadding", wnn_pad_attrs, beginning_padding,
                  "Elements added before each axis."),
    WNN_PARAMETER(UINTS, "ending_padding", "endingPadding", wnn_pad_attrs, ending_padding,
                  "Elements added after each axis."),
    WNN_OPTION_ENUM_PLUS("mode", "mode", wnn_pad_attrs, mode, wnn_padding_modes, 1, "'constant'",
                         "What is added: value, the border, or a mirror image without the border "
                         "(reflection) or, an extension, with it (symmetric)."),
    WNN_OPTION_DEFAULT(NUMBER, "value", "value", wnn_pad_attrs, value, 0, "0",
                       "Number added in constant mode."),
    WNN_LABEL,
};
static const wnn_field reshape_fields[] = {
    ANY_INPUT("Operand whose elements are kept, in row-major order."),
    WNN_PARAMETER(UINTS, "new_shape", "newShape", wnn_shape_attrs, shape,
                  "Shape of the output, with as many elements."),
    WNN_LABEL,
};
static const wnn_field reverse_fields[] = {
    ANY_INPUT("Operand to be reversed."),
    WNN_OPTION(UINTS, "axes", "axes", wnn_axes_attrs, axes,
               "Axes to reverse; all by default, none if empty."),
    WNN_LABEL,
};
static const wnn_field slice_fields[] = {
    ANY_INPUT("Operand of which a part is taken."),
    WNN_PARAMETER(UINTS, "starts", "starts", wnn_slice_attrs, starts,
                  "First element along each axis."),
    WNN_PARAMETER(UINTS, "sizes", "sizes", wnn_slice_attrs, sizes,
                  "Elements of the input that are covered along each axis, before strides."),
    WNN_OPTION(UINTS, "strides", "strides", wnn_slice_attrs, strides,
               "Step along each axis; 1 by default."),
    WNN_LABEL,
};
static const wnn_field split_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK_FROM(1),
                "Operand to be cut into pieces."),
    WNN_PARAMETER(UINT_OR_UINTS, "splits", "splits", wnn_split_attrs, splits,
                  "Number of equal pieces, or the size of each."),
    WNN_OPTION_DEFAULT(UINT, "axis", "axis", wnn_split_attrs, axis, 0, "0", "Axis that is cut."),
    WNN_LABEL,
};
static const wnn_field squeeze_fields[] = {
    ANY_INPUT("Operand whose axes of size 1 are dropped."),
    WNN_OPTION(UINTS, "axes", "axes", wnn_axes_attrs, axes,
               "Axes to drop; by default all of size 1."),
    WNN_LABEL,
};
static const wnn_field tile_fields[] = {
    ANY_INPUT("Operand to be repeated."),
    WNN_PARAMETER(UINTS, "repetitions", "repetitions", wnn_shape_attrs, shape,
                  "Number of repetitions along each axis."),
    WNN_LABEL,
};
static const wnn_field transpose_fields[] = {
    ANY_INPUT("Operand whose axes are permuted."),
    WNN_OPTION(UINTS, "permutation", "permutation", wnn_transpose_attrs, permutation,
               "Axis of the input for each axis of the output; reversed order by default."),
    WNN_LABEL,
};
static const wnn_field triangular_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK_FROM(2),
                "Matrices [..., rows, columns]."),
    WNN_OPTION_DEFAULT(BOOL, "upper", "upper", wnn_triangular_attrs, upper, 1, "True",
                       "Whether the upper or the lower triangle is kept; the rest becomes 0."),
    WNN_OPTION_DEFAULT(
        INT, "diagonal", "diagonal", wnn_triangular_attrs, diagonal, 0, "0",
        "Diagonal where the triangle ends: 0 the main one, positive above, negative below."),
    WNN_LABEL,
};

#define SIGNATURE(name_, fields_, outputs_, attrs_)                            \
  const wnn_signature wnn_signature_##name_ = {.name = #name_,                 \
                                               .fields = fields_,              \
                                               .n_fields = WNN_COUNT(fields_), \
                                               .n_operands = 1,                \
                                               .n_outputs = 1,                 \
                                               .outputs = outputs_,            \
                                               .attrs_bytes = sizeof(attrs_)}
SIGNATURE(concat, concat_fields, vector_output, wnn_axis_attrs);
SIGNATURE(expand, expand_fields, any_output, wnn_shape_attrs);
SIGNATURE(pad, pad_fields, any_output, wnn_pad_attrs);
SIGNATURE(reshape, reshape_fields, any_output, wnn_shape_attrs);
SIGNATURE(reverse, reverse_fields, any_output, wnn_axes_attrs);
SIGNATURE(slice, slice_fields, any_output, wnn_slice_attrs);
SIGNATURE(squeeze, squeeze_fields, any_output, wnn_axes_attrs);
SIGNATURE(tile, tile_fields, any_output, wnn_shape_attrs);
SIGNATURE(transpose, transpose_fields, any_output, wnn_transpose_attrs);
SIGNATURE(triangular, triangular_fields, matrix_output, wnn_triangular_attrs);

const wnn_signature wnn_signature_split = {
    .name = "split",
    .fields = split_fields,
    .n_fields = WNN_COUNT(split_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .returns_list = true,
    .outputs = split_outputs,
    .attrs_bytes = sizeof(wnn_split_attrs),
};

/* Input `i` of concat fits the first one off the axis. */
static webnn_status check_concat_input(wnn_infer *in, size_t i, uint32_t axis) {
  const wnn_desc *first = in->inputs[0], *other = in->inputs[i];
  if (other->type == first->type && wnn_shape_equal_except(first, other, axis)) return WEBNN_OK;
  return wnn_fail(in, WEBNN_ERROR_TYPE, "inputs[%zu] is %s, inputs[0] is %s: %s", i,
                  wnn_desc_format(other).text, wnn_desc_format(first).text,
                  other->type != first->type   ? "the types differ"
                  : other->rank != first->rank ? "the ranks differ"
                                               : "the shapes differ off the axis");
}

webnn_status wnn_infer_concat(wnn_infer *in) {
  uint32_t axis = ((const wnn_axis_attrs *)in->attrs)->axis;
  if (in->n_inputs < 1 || in->n_inputs > WNN_MAX_TENSORS)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "%zu inputs, not 1..%d", in->n_inputs, WNN_MAX_TENSORS);
  wnn_desc desc = *in->inputs[0];
  webnn_status status = wnn_check_axis(in, axis, desc.rank);
  for (size_t i = 1; i < in->n_inputs && status == WEBNN_OK; i++) {
    status = check_concat_input(in, i, axis);
    if (status == WEBNN_OK)
      status =
          wnn_check_dim(in, "size along the axis",
                        (int64_t)desc.dims[axis] + in->inputs[i]->dims[axis], &desc.dims[axis]);
  }
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}

/* A shape that the caller gave: its rank and dimensions are possible. */
static webnn_status read_shape(wnn_infer *in, const wnn_uints *shape, wnn_desc *out) {
  if (shape->n > WNN_MAX_RANK)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "newShape has rank %zu, the limit is %d", shape->n,
                    WNN_MAX_RANK);
  *out = (wnn_desc){.type = in->inputs[0]->type, .rank = (uint32_t)shape->n};
  for (uint32_t i = 0; i < out->rank; i++) {
    if (shape->data[i] < 1 || shape->data[i] > WNN_MAX_DIMENSION)
      return wnn_fail(in, WEBNN_ERROR_TYPE, "newShape[%" PRIu32 "] is %" PRIu32 ", not in 1..%u", i,
                      shape->data[i], WNN_MAX_DIMENSION);
    out->dims[i] = shape->data[i];
  }
  return WEBNN_OK;
}

webnn_status wnn_infer_expand(wnn_infer *in) {
  wnn_desc desc;
  webnn_status status = read_shape(in, &((const wnn_shape_attrs *)in->attrs)->shape, &desc);
  if (status != WEBNN_OK) return status;
  if (!wnn_shape_broadcasts_to(in->inputs[0], &desc))
    return wnn_fail(in, WEBNN_ERROR_TYPE, "input %s doesn't broadcast to %s",
                    wnn_desc_format(in->inputs[0]).text, wnn_desc_format(&desc).text);
  return wnn_output_like(in, &desc);
}

/* A mirror has no more to show than the input; without the border one element less. */
static webnn_status check_mirror(wnn_infer *in, const char *what, const wnn_uints *padding,
                                 bool border) {
  const wnn_desc *input = in->inputs[0];
  for (uint32_t i = 0; i < input->rank; i++) {
    uint32_t most = border ? input->dims[i] : input->dims[i] - 1;
    if (padding->data[i] > most)
      return wnn_fail(
          in, WEBNN_ERROR_TYPE,
          "%s[%" PRIu32 "] is %" PRIu32 ", %s mode allows %" PRIu32 " for a dimension of %" PRIu32,
          what, i, padding->data[i], border ? "symmetric" : "reflection", most, input->dims[i]);
  }
  return WEBNN_OK;
}

webnn_status wnn_infer_pad(wnn_infer *in) {
  const wnn_pad_attrs *attrs = in->attrs;
  wnn_desc desc = *in->inputs[0];
  const wnn_uints *begin = &attrs->beginning_padding, *end = &attrs->ending_padding;
  bool border = attrs->mode == WEBNN_PADDING_MODE_SYMMETRIC;

  webnn_status status = wnn_check_length(in, "beginningPadding", begin, desc.rank);
  if (status == WEBNN_OK) status = wnn_check_length(in, "endingPadding", end, desc.rank);
  if (border || attrs->mode == WEBNN_PADDING_MODE_REFLECTION) {
    if (status == WEBNN_OK) status = check_mirror(in, "beginningPadding", begin, border);
    if (status == WEBNN_OK) status = check_mirror(in, "endingPadding", end, border);
  }
  for (uint32_t i = 0; i < desc.rank && status == WEBNN_OK; i++)
    status = wnn_check_dim(in, "an output dimension",
                           (int64_t)desc.dims[i] + begin->data[i] + end->data[i], &desc.dims[i]);
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}

webnn_status wnn_infer_reshape(wnn_infer *in) {
  wnn_desc desc;
  uint64_t n = 1;
  size_t expected = wnn_desc_count(in->inputs[0]);
  webnn_status status = read_shape(in, &((const wnn_shape_attrs *)in->attrs)->shape, &desc);
  if (status != WEBNN_OK) return status;
  for (uint32_t i = 0; i < desc.rank && n <= WNN_MAX_ELEMENTS; i++) n *= desc.dims[i];
  if (n == expected) return wnn_output_like(in, &desc);

  wnn_desc_text text = wnn_desc_format(&desc);
  const char *shape = strchr(text.text, '['); /* without the type */
  if (n > WNN_MAX_ELEMENTS)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "newShape %s has more elements than %u, input has %zu",
                    shape, WNN_MAX_ELEMENTS, expected);
  return wnn_fail(in, WEBNN_ERROR_TYPE, "newShape %s has %" PRIu64 " elements, input has %zu",
                  shape, n, expected);
}

webnn_status wnn_infer_reverse(wnn_infer *in) {
  static const uint32_t all[WNN_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
  wnn_axes_attrs *attrs = in->attrs;
  webnn_status status = wnn_check_axes(in, "axes", &attrs->axes, in->inputs[0]->rank);
  if (status == WEBNN_OK) status = wnn_resolve_list(in, &attrs->axes, all, in->inputs[0]->rank);
  return status == WEBNN_OK ? wnn_output_like(in, in->inputs[0]) : status;
}

/* Along axis `i` the covered part lies inside the input. */
static webnn_status check_slice_axis(wnn_infer *in, const wnn_slice_attrs *attrs, uint32_t i) {
  uint32_t start = attrs->starts.data[i], size = attrs->sizes.data[i], dim = in->inputs[0]->dims[i];
  if (start > dim)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "starts[%" PRIu32 "] is %" PRIu32 ", beyond the input's dimension of %" PRIu32,
                    i, start, dim);
  if ((uint64_t)start + size > dim)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "starts[%" PRIu32 "] + sizes[%" PRIu32 "] is %" PRIu64
                    ", beyond the input's dimension of %" PRIu32,
                    i, i, (uint64_t)start + size, dim);
  return WEBNN_OK;
}

webnn_status wnn_infer_slice(wnn_infer *in) {
  wnn_slice_attrs *attrs = in->attrs;
  wnn_desc desc = *in->inputs[0];
  webnn_status status = wnn_check_positive(in, "sizes", &attrs->sizes);
  if (status == WEBNN_OK) status = wnn_check_length(in, "starts", &attrs->starts, desc.rank);
  if (status == WEBNN_OK) status = wnn_check_length(in, "sizes", &attrs->sizes, desc.rank);
  if (status == WEBNN_OK) status = wnn_check_length(in, "strides", &attrs->strides, desc.rank);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "strides", &attrs->strides);
  if (status == WEBNN_OK) status = wnn_resolve_fill(in, &attrs->strides, 1, desc.rank);
  for (uint32_t i = 0; i < desc.rank && status == WEBNN_OK; i++) {
    status = check_slice_axis(in, attrs, i);
    desc.dims[i] = (attrs->sizes.data[i] - 1) / attrs->strides.data[i] + 1;
  }
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}

/* The count form becomes a list of equal sizes. */
static webnn_status resolve_equal_splits(wnn_infer *in, wnn_split_attrs *attrs, uint32_t dim) {
  uint32_t n = attrs->n_splits;
  if (n < 1 || n > WNN_MAX_TENSORS)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "splits is %" PRIu32 ", not in 1..%d", n,
                    WNN_MAX_TENSORS);
  if (dim % n != 0)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "splits is %" PRIu32 ", which doesn't divide the dimension of %" PRIu32
                    " (axis %" PRIu32 ")",
                    n, dim, attrs->axis);
  uint32_t *sizes = wnn_arena_array(in->arena, n, sizeof *sizes);
  if (sizes == NULL) return wnn_error_no_memory(in->err);
  for (uint32_t i = 0; i < n; i++) sizes[i] = dim / n;
  attrs->splits.data = sizes;
  attrs->splits.n = n;
  return WEBNN_OK;
}

static webnn_status check_split_list(wnn_infer *in, const wnn_split_attrs *attrs, uint32_t dim) {
  const wnn_uints *list = &attrs->splits;
  uint64_t sum = 0;
  if (list->n < 1 || list->n > WNN_MAX_TENSORS)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "splits has length %zu, not 1..%d", list->n,
                    WNN_MAX_TENSORS);
  webnn_status status = wnn_check_positive(in, "splits", list);
  if (status != WEBNN_OK) return status;
  for (size_t i = 0; i < list->n; i++) sum += list->data[i];
  if (sum != dim)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "splits add up to %" PRIu64 ", the input's dimension is %" PRIu32
                    " (axis %" PRIu32 ")",
                    sum, dim, attrs->axis);
  return WEBNN_OK;
}

webnn_status wnn_infer_split(wnn_infer *in) {
  wnn_split_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  webnn_status status = wnn_check_axis(in, attrs->axis, input->rank);
  if (status != WEBNN_OK) return status;
  status = attrs->splits.given ? check_split_list(in, attrs, input->dims[attrs->axis])
                               : resolve_equal_splits(in, attrs, input->dims[attrs->axis]);
  if (status == WEBNN_OK) status = wnn_infer_outputs(in, attrs->splits.n);
  if (status != WEBNN_OK) return status;
  for (size_t i = 0; i < attrs->splits.n; i++) {
    in->outputs[i] = *input;
    in->outputs[i].dims[attrs->axis] = attrs->splits.data[i];
  }
  return WEBNN_OK;
}

/* The axes that squeeze drops when none are named. */
static webnn_status resolve_squeezed(wnn_infer *in, wnn_uints *axes) {
  const wnn_desc *input = in->inputs[0];
  uint32_t found[WNN_MAX_RANK];
  size_t n = 0;
  for (uint32_t i = 0; i < input->rank; i++)
    if (input->dims[i] == 1) found[n++] = i;
  return wnn_resolve_list(in, axes, found, n);
}

webnn_status wnn_infer_squeeze(wnn_infer *in) {
  wnn_axes_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  wnn_desc desc = {.type = input->type};
  bool dropped[WNN_MAX_RANK] = {false};
  webnn_status status = wnn_check_axes(in, "axes", &attrs->axes, input->rank);
  if (status == WEBNN_OK) status = resolve_squeezed(in, &attrs->axes);
  if (status != WEBNN_OK) return status;
  for (size_t i = 0; i < attrs->axes.n; i++) {
    uint32_t axis = attrs->axes.data[i];
    if (input->dims[axis] != 1)
      return wnn_fail(in, WEBNN_ERROR_TYPE,
                      "axes[%zu] is %" PRIu32 ", whose dimension is %" PRIu32 ", not 1", i, axis,
                      input->dims[axis]);
    dropped[axis] = true;
  }
  for (uint32_t i = 0; i < input->rank; i++)
    if (!dropped[i]) desc.dims[desc.rank++] = input->dims[i];
  return wnn_output_like(in, &desc);
}

webnn_status wnn_infer_tile(wnn_infer *in) {
  const wnn_uints *repetitions = &((const wnn_shape_attrs *)in->attrs)->shape;
  wnn_desc desc = *in->inputs[0];
  webnn_status status = wnn_check_length(in, "repetitions", repetitions, desc.rank);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "repetitions", repetitions);
  for (uint32_t i = 0; i < desc.rank && status == WEBNN_OK; i++)
    status = wnn_check_dim(in, "an output dimension", (int64_t)desc.dims[i] * repetitions->data[i],
                           &desc.dims[i]);
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}

webnn_status wnn_infer_transpose(wnn_infer *in) {
  wnn_transpose_attrs *attrs = in->attrs;
  const wnn_desc *input = in->inputs[0];
  wnn_desc desc = *input;
  uint32_t reversed[WNN_MAX_RANK];
  for (uint32_t i = 0; i < input->rank; i++) reversed[i] = input->rank - 1 - i;

  webnn_status status = wnn_check_length(in, "permutation", &attrs->permutation, input->rank);
  if (status == WEBNN_OK)
    status = wnn_check_axes(in, "permutation", &attrs->permutation, input->rank);
  if (status == WEBNN_OK) status = wnn_resolve_list(in, &attrs->permutation, reversed, input->rank);
  if (status != WEBNN_OK) return status;
  for (uint32_t i = 0; i < input->rank; i++) desc.dims[i] = input->dims[attrs->permutation.data[i]];
  return wnn_output_like(in, &desc);
}

webnn_status wnn_infer_triangular(wnn_infer *in) {
  return wnn_output_like(in, in->inputs[0]);
}
