/* resample2d: fields, checks, output shape. */
#include "op/families.h"
#include "op/infer.h"

#include <inttypes.h>
#include <math.h>

static const wnn_field resample2d_fields[] = {
    WNN_OPERAND("input", "input", NULL, WNN_NO_FIELD, WNN_RANK(4),
                "Operand to be resized along two axes."),
    WNN_OPTION_ENUM("mode", "mode", wnn_resample2d_attrs, mode, wnn_interpolation_modes,
                    "'nearest-neighbor'", "How values between elements are found."),
    WNN_OPTION(FLOATS, "scales", "scales", wnn_resample2d_attrs, scales,
               "Factor for each of the axes; [1, 1] by default, unused when sizes is given."),
    WNN_OPTION(UINTS, "sizes", "sizes", wnn_resample2d_attrs, sizes,
               "Output size along each of the axes."),
    WNN_OPTION(UINTS, "axes", "axes", wnn_resample2d_attrs, axes,
               "The two axes, in the order of scales and sizes; [2, 3] by default."),
    WNN_LABEL,
};
static const wnn_field resample2d_outputs[] = {WNN_OUTPUT("output", "output", NULL, WNN_RANK(4))};

const wnn_signature wnn_signature_resample2d = {
    .name = "resample2d",
    .fields = resample2d_fields,
    .n_fields = WNN_COUNT(resample2d_fields),
    .n_operands = 1,
    .n_outputs = 1,
    .outputs = resample2d_outputs,
    .attrs_bytes = sizeof(wnn_resample2d_attrs),
};

/* Scales are of IDL type float: what lies beyond its range was refused for every list, what is too
 * small for it is 0. */
static webnn_status check_scales(wnn_infer *in, const wnn_floats *scales) {
  if (!scales->given) return WEBNN_OK;
  if (scales->n != 2)
    return wnn_fail(in, WEBNN_ERROR_TYPE, "scales has length %zu, expected 2", scales->n);
  for (size_t i = 0; i < 2; i++)
    if (!((float)scales->data[i] > 0))
      return wnn_fail(in, WEBNN_ERROR_TYPE, "scales[%zu] is %g, not a positive number", i,
                      scales->data[i]);
  return WEBNN_OK;
}

/* Output sizes along the axes by the scales.  Spec: floor(dimension * scale). */
static webnn_status scaled_sizes(wnn_infer *in, const wnn_resample2d_attrs *attrs,
                                 uint32_t sizes[2]) {
  for (size_t i = 0; i < 2; i++) {
    uint32_t dim = in->inputs[0]->dims[attrs->axes.data[i]];
    double scale = attrs->scales.given ? (double)(float)attrs->scales.data[i] : 1;
    double size = floor(dim * scale);
    if (size < 1 || size > WNN_MAX_DIMENSION)
      return wnn_fail(in, WEBNN_ERROR_TYPE,
                      "size along axis %" PRIu32 " is %.0f (%" PRIu32 " times %g), not in 1..%u",
                      attrs->axes.data[i], size, dim, scale, WNN_MAX_DIMENSION);
    sizes[i] = (uint32_t)size;
  }
  return WEBNN_OK;
}

webnn_status wnn_infer_resample2d(wnn_infer *in) {
  static const uint32_t last_axes[2] = {2, 3};
  wnn_resample2d_attrs *attrs = in->attrs;
  wnn_desc desc = *in->inputs[0];
  uint32_t sizes[2];

  webnn_status status = check_scales(in, &attrs->scales);
  if (status == WEBNN_OK) status = wnn_check_length(in, "sizes", &attrs->sizes, 2);
  if (status == WEBNN_OK) status = wnn_check_positive(in, "sizes", &attrs->sizes);
  if (status == WEBNN_OK) status = wnn_check_length(in, "axes", &attrs->axes, 2);
  if (status == WEBNN_OK) status = wnn_check_axes(in, "axes", &attrs->axes, desc.rank);
  if (status == WEBNN_OK) status = wnn_resolve_list(in, &attrs->axes, last_axes, 2);
  if (status == WEBNN_OK && !attrs->sizes.given) {
    status = scaled_sizes(in, attrs, sizes);
    if (status == WEBNN_OK) status = wnn_resolve_list(in, &attrs->sizes, sizes, 2);
  }
  for (size_t i = 0; i < 2 && status == WEBNN_OK; i++)
    status = wnn_check_dim(in, "an output dimension", attrs->sizes.data[i],
                           &desc.dims[attrs->axes.data[i]]);
  return status == WEBNN_OK ? wnn_output_like(in, &desc) : status;
}
