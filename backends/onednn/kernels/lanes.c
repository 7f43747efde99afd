#include "kernels/lanes.h"

wnn_lanes wnn_lanes_along(const wnn_port *port, uint32_t along) {
  wnn_lanes lanes = {1, 1, 1};
  size_t *part = &lanes.outer;
  for (uint32_t i = 0; i < port->desc->rank; i++) {
    uint32_t axis = port->layout.order[i];
    *(axis == along ? &lanes.n : part) *= port->desc->dims[axis];
    if (axis == along) part = &lanes.inner;
  }
  return lanes;
}

#define LANE_BYTES ((size_t)1024)

size_t wnn_lanes_width(const wnn_lanes *lanes, size_t bytes, size_t most, size_t threads) {
  const size_t line = WNN_CACHE_LINE / bytes, least = LANE_BYTES / bytes;
  const size_t fair = (lanes->inner * lanes->outer / threads + line - 1) / line * line;
  const size_t width = fair > least ? fair : least;
  return width < most ? width : most;
}

bool wnn_kept_copy(wnn_copy *copy, const wnn_port *in, const wnn_port *out,
                   const bool reduced[WNN_MAX_RANK], bool keep_dimensions,
                   size_t at[WNN_MAX_RANK]) {
  size_t out_strides[WNN_MAX_RANK], dense = 1;
  uint32_t out_axis[WNN_MAX_RANK], n_kept = 0;
  bool copies = false;
  wnn_layout_strides(&out->layout, out->desc, out_strides);
  for (uint32_t axis = 0; axis < in->desc->rank; axis++)
    out_axis[axis] = keep_dimensions ? axis : reduced[axis] ? 0 : n_kept++;
  copy->element_bytes = webnn_data_type_bytes(out->desc->type);
  copy->rank = 0;
  for (uint32_t i = in->desc->rank; i-- > 0;) {
    uint32_t axis = in->layout.order[i];
    size_t n = in->desc->dims[axis];
    at[axis] = 0;
    if (reduced[axis]) continue;
    at[axis] = dense;
    copies = copies || (n > 1 && dense != out_strides[out_axis[axis]]);
    copy->dims[copy->rank] = n;
    copy->from[copy->rank] = (ptrdiff_t)dense;
    copy->to[copy->rank++] = (ptrdiff_t)out_strides[out_axis[axis]];
    dense *= n;
  }
  return copies;
}
