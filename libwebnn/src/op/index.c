/* Gathers and scatters: fields, checks, output shapes. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>

enum { INPUT, INDICES, UPDATES };

#define INDEX_INPUT(doc_) WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK_FROM(1), doc_)
#define INDEX_INDICES(doc_) \
  WNN_OPERAND("indices", "indices", &wnn_types_INDEX, WNN_NO_FIELD, WNN_RANK_FROM(1), doc_)
#define ELEMENTS_INDICES                                                                         \
  INDEX_INDICES(                                                                                 \
      "Positions along the axis, with the input's shape off the axis; negative ones count from " \
      "the end.")
#define ND_INDICES \
  INDEX_INDICES("Coordinates [..., n] into the first n axes; negative ones count from the end.")
#define INDEX_AXIS(doc_) \
  WNN_OPTION_DEFAULT(UINT, "axis", "axis", wnn_axis_attrs, axis, 0, "0", doc_)

static const wnn_field gather_fields[] = {
    INDEX_INPUT("Operand from which slices are taken."),
    WNN_OPERAND("indices", "indices", &wnn_types_INDEX, WNN_NO_FIELD, WNN_ANY_RANK,
                "Positions along the axis; negative ones count from the end."),
    INDEX_AXIS("Axis that the positions replace."),
    WNN_LABEL,
};
static const wnn_field gather_elements_fields[] = {
    INDEX_INPUT("Operand from which elements are taken."),
    ELEMENTS_INDICES,
    INDEX_AXIS("Axis along which the positions count."),
    WNN_LABEL,
};
static const wnn_field gather_nd_fields[] = {
    INDEX_INPUT("Operand from which slices are taken."),
    ND_INDICES,
    WNN_LABEL,
};
static const wnn_field scatter_elements_fields[] = {
    INDEX_INPUT("Operand that is copied, then overwritten in places."),
    ELEMENTS_INDICES,
    WNN_OPERAND("updates", "updates", NULL, 0, WNN_RANK_FROM(1),
                "New elements, in the shape of indices."),
    INDEX_AXIS("Axis along which the positions count."),
    WNN_LABEL,
};
static const wnn_field scatter_nd_fields[] = {
    INDEX_INPUT("Operand that is copied, then overwritten in places."),
    ND_INDICES,
    WNN_OPERAND(
        "updates", "updates", NULL, 0, WNN_ANY_RANK,
        "New slices: the shape of indices but its last axis, then the input's axes from n on."),
    WNN_LABEL,
};

static const wnn_field vector_output[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK_FROM(1))};
static const wnn_field any_output[] = {WNN_OUTPUT("output", "output", NULL, WNN_ANY_RANK)};

#define SIGNATURE(name_, options_, outputs_, n_operands_, attrs_bytes_)               \
  const wnn_signature wnn_signature_##name_ = {.name = #name_,                        \
                                               .options = options_,                   \
                                               .fields = name_##_fields,              \
                                               .n_fields = WNN_COUNT(name_##_fields), \
                                               .n_operands = n_operands_,             \
                                               .n_outputs = 1,                        \
                                               .outputs = outputs_,                   \
                                               .attrs_bytes = attrs_bytes_}
SIGNATURE(gather, "gather", vector_output, 2, sizeof(wnn_axis_attrs));
SIGNATURE(gather_elements, "gather", vector_output, 2, sizeof(wnn_axis_attrs));
SIGNATURE(gather_nd, NULL, any_output, 2, 0);
SIGNATURE(scatter_elements, "scatter", vector_output, 3, sizeof(wnn_axis_attrs));
SIGNATURE(scatter_nd, NULL, vector_output, 3, 0);

/* A shape put together from axes of two operands; it may have more of them than are allowed. */
typedef struct joined_shape {
  uint64_t dims[2 * WNN_MAX_RANK];
  size_t rank;
} joined_shape;

static void join(joined_shape *shape, const wnn_desc *desc, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) shape->dims[shape->rank++] = desc->dims[i];
}

static webnn_status set_output(wnn_infer *in, const joined_shape *shape) {
  wnn_desc desc = {.type = in->inputs[INPUT]->type};
  if (shape->rank > WNN_MAX_RANK)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "output has rank %zu (input %" PRIu32 ", indices %" PRIu32 "), the limit is %d",
                    shape->rank, in->inputs[INPUT]->rank, in->inputs[INDICES]->rank, WNN_MAX_RANK);
  desc.rank = (uint32_t)shape->rank;
  for (uint32_t i = 0; i < desc.rank; i++) desc.dims[i] = (uint32_t)shape->dims[i];
  return wnn_output_like(in, &desc);
}

/* A scalar comes out of a vector and one index, although the limits speak of rank 1 at least. */
webnn_status wnn_infer_gather(wnn_infer *in) {
  const wnn_desc *input = in->inputs[INPUT], *indices = in->inputs[INDICES];
  uint32_t axis = ((const wnn_axis_attrs *)in->attrs)->axis;
  joined_shape shape = {.rank = 0};
  webnn_status status = wnn_check_axis(in, axis, input->rank);
  if (status != WEBNN_OK) return status;
  join(&shape, input, 0, axis);
  join(&shape, indices, 0, indices->rank);
  join(&shape, input, axis + 1, input->rank);
  return set_output(in, &shape);
}

/* Rank, axis and shape of the indices of gatherElements and scatterElements. */
static webnn_status check_elements(wnn_infer *in) {
  const wnn_desc *input = in->inputs[INPUT], *indices = in->inputs[INDICES];
  uint32_t axis = ((const wnn_axis_attrs *)in->attrs)->axis;
  for (size_t i = INDICES; i < in->n_inputs; i++)
    if (in->inputs[i]->rank != input->rank)
      return wnn_fail(in, WEBNN_ERROR_TYPE, "%s has rank %" PRIu32 ", input has rank %" PRIu32,
                      wnn_operand_field(in, i)->pub.spec_name, in->inputs[i]->rank, input->rank);
  webnn_status status = wnn_check_axis(in, axis, input->rank);
  if (status != WEBNN_OK || wnn_shape_equal_except(input, indices, axis)) return status;
  return wnn_fail(in, WEBNN_ERROR_TYPE,
                  "indices is %s, input is %s: the shapes differ off axis %" PRIu32,
                  wnn_desc_format(indices).text, wnn_desc_format(input).text, axis);
}

webnn_status wnn_infer_gather_elements(wnn_infer *in) {
  wnn_desc desc = *in->inputs[INDICES];
  webnn_status status = check_elements(in);
  desc.type = in->inputs[INPUT]->type;
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}

/* What the coordinates of gatherND and scatterND select. */
static webnn_status selected_shape(wnn_infer *in, joined_shape *shape) {
  const wnn_desc *input = in->inputs[INPUT], *indices = in->inputs[INDICES];
  uint32_t n = indices->dims[indices->rank - 1];
  if (n > input->rank)
    return wnn_fail(in, WEBNN_ERROR_TYPE,
                    "indices is %s: coordinates have %" PRIu32 " parts, input has rank %" PRIu32,
                    wnn_desc_format(indices).text, n, input->rank);
  join(shape, indices, 0, indices->rank - 1);
  join(shape, input, n, input->rank);
  return WEBNN_OK;
}

webnn_status wnn_infer_gather_nd(wnn_infer *in) {
  joined_shape shape = {.rank = 0};
  webnn_status status = selected_shape(in, &shape);
  return status == WEBNN_OK ? set_output(in, &shape) : status;
}

webnn_status wnn_infer_scatter_elements(wnn_infer *in) {
  const wnn_desc *indices = in->inputs[INDICES], *updates = in->inputs[UPDATES];
  webnn_status status = check_elements(in);
  if (status != WEBNN_OK) return status;
  if (!wnn_shape_equal(indices, updates))
    return wnn_fail_pair(in, UPDATES, INDICES, "the shapes differ");
  return wnn_output_like(in, in->inputs[INPUT]);
}

webnn_status wnn_infer_scatter_nd(wnn_infer *in) {
  joined_shape shape = {.rank = 0};
  webnn_status status = selected_shape(in, &shape);
  if (status == WEBNN_OK) status = wnn_check_shape(in, UPDATES, shape.dims, shape.rank);
  return status == WEBNN_OK ? wnn_output_like(in, in->inputs[INPUT]) : status;
}
