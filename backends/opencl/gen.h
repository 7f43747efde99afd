/* Writing kernels: one text a kernel, in which ports, coordinates and numbers have names.
 *
 * Names inside a kernel: i0, i1 … inputs by port, o0, o1 … outputs, s the scratch (bytes), w what
 * the plan keeps (floats); c0, c1 … coordinates of an element of output 0 by logical axis; v0 the
 * anchor's value, v1 … those of the posts. */
#ifndef WNN_OPENCL_GEN_H
#define WNN_OPENCL_GEN_H

#include "opencl.h"

#define WNN_CL_MAX_PORTS 512

typedef struct wnn_cl_gen {
  wnn_device *device;
  const wnn_region *region;
  wnn_cl_plan *plan;
  wnn_arena arena; /* of short texts */
  wnn_source body;
  size_t local;
  unsigned needs;
  bool coordinates, scratch, kept; /* of the kernel at hand: it reads them */
  bool inputs[WNN_CL_MAX_PORTS];   /* … ports */
  bool ever[WNN_CL_MAX_PORTS];     /* some kernel of the plan does */
  bool outputs[WNN_CL_MAX_PORTS];
  size_t packed_at; /* in the scratch, see tile.h */
  bool failed;      /* out of memory */
} wnn_cl_gen;

/* NOT_SUPPORTED: more ports than a kernel takes. Whatever comes of it, wnn_cl_gen_finish must
 * follow. */
webnn_status wnn_cl_gen_begin(wnn_cl_gen *g, wnn_device *device, const wnn_region *region);
/* Gives the plan, or cleans up and gives `status` or the first failure. */
webnn_status wnn_cl_gen_finish(wnn_cl_gen *g, webnn_status status, wnn_plan **out);

/* A text in the generator's memory. */
const char *wnn_cl_say(wnn_cl_gen *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends to the body. */
#define wnn_cl_put(g, ...) wnn_source_add(&(g)->body, __VA_ARGS__)

/* Ends the kernel at hand: the body stands for each of `n`, `i` its number. With `coordinates`
 * these are the elements of output 0, numbered as they lie in memory, and the body finds their
 * places. */
void wnn_cl_items(wnn_cl_gen *g, size_t n);

/* Elements of a port as they lie in memory, row by row: processors walk some of a row in one
 * work-item, so that only rows have their places computed, and what is done to neighbours becomes
 * vectors. On other devices neighbours are neighbouring work-items' work. */
typedef struct wnn_cl_rows {
  const wnn_port *port;
  const char *stem;       /* of the names of coordinates */
  uint32_t axis;          /* along which a row goes */
  size_t length, n_rows;  /* length 0: each element is a work-item by itself */
  size_t piece, n_pieces; /* elements of a work-item, work-items of a row */
} wnn_cl_rows;

wnn_cl_rows wnn_cl_rows_of(const wnn_cl_gen *g, const wnn_port *port, const char *stem);
/* Opens a loop over those elements whose coordinate along `axis` is from `begin` to before `end`,
 * or the last one; `i` is their number. A kernel may have several such loops. */
void wnn_cl_row_loop(wnn_cl_gen *g, const wnn_cl_rows *rows, uint32_t axis, size_t begin,
                     size_t end);
/* Ends the kernel whose loops are closed. */
void wnn_cl_row_items(wnn_cl_gen *g, const wnn_cl_rows *rows);
/* Ends a kernel of `n` groups, in which the body finds `g` (its group) and `l` (its place there).
 */
void wnn_cl_groups(wnn_cl_gen *g, size_t n, size_t local);

/* Types as kernels name them: of memory, and of values (float for both float types). */
const char *wnn_cl_type(webnn_data_type type);
const char *wnn_cl_unsigned(webnn_data_type type);
const char *wnn_cl_value(webnn_data_type type);
/* Literals. */
const char *wnn_cl_float(wnn_cl_gen *g, double x);
const char *wnn_cl_number(wnn_cl_gen *g, webnn_number x, webnn_data_type type);

/* The value of element `index` of an input; a constant of one element is a literal. */
const char *wnn_cl_load(wnn_cl_gen *g, size_t port, const char *index);
const char *wnn_cl_load_from(wnn_cl_gen *g, const char *name, webnn_data_type type,
                             const char *index);
/* `n` values of a float type that lie together, as floats, from this index on. */
const char *wnn_cl_load_many(wnn_cl_gen *g, const char *name, webnn_data_type type, size_t n,
                             const char *index);
/* A statement that stores a value. */
const char *wnn_cl_store(wnn_cl_gen *g, size_t output, const char *index, const char *value);
/* The index of an input's element at these coordinates of `to` (which it broadcasts to): `linear`
 * where both lie alike. `coordinate` is the stem of their names. */
const char *wnn_cl_index_at(wnn_cl_gen *g, size_t port, const wnn_desc *to, const char *coordinate);
const char *wnn_cl_index(wnn_cl_gen *g, size_t port, const char *linear);

/* A sum of coordinate times stride, "0" when empty. */
const char *wnn_cl_offset(wnn_cl_gen *g, uint32_t rank, const size_t *strides,
                          const char *coordinate);
/* Appends declarations of coordinates (named stem, number of the axis) of place `linear` in a
 * shape, whose axes stand in this order, the last one innermost. */
void wnn_cl_coordinates(wnn_cl_gen *g, wnn_source *out, const char *stem, uint32_t rank,
                        const uint32_t *dims, const uint8_t *order, const char *linear);

/* The end of every kernel: computes the posts on the anchor's value and stores the result at
 * `linear` of output 0. Coordinates c0 … must be there when `wnn_cl_tail_wants_coordinates`. */
void wnn_cl_tail(wnn_cl_gen *g, const char *value, const char *linear);

/* expression.c: the value of an element-wise operation on operands' values. */
const char *wnn_cl_expression(wnn_cl_gen *g, const wnn_node *node, webnn_data_type to,
                              const webnn_data_type *types, const char *const *operands);

/* Runs of axes that are walked together: merges what lies together. */
typedef struct wnn_cl_lanes {
  uint32_t n_kept, n_along;
  uint32_t kept_dims[WNN_MAX_RANK], along_dims[WNN_MAX_RANK];
  size_t kept_strides[WNN_MAX_RANK], along_strides[WNN_MAX_RANK];
  uint8_t kept_axes[WNN_MAX_RANK];
  size_t n_lanes, n_each;
} wnn_cl_lanes;
/* The axes of input 0, `axes` along a lane in the order given; merged where that is not asked to be
 * kept. */
wnn_cl_lanes wnn_cl_split(const wnn_port *port, const uint32_t *axes, size_t n_axes,
                          bool merge_along);
/* The offset along a lane of its element `k`. */
const char *wnn_cl_along(wnn_cl_gen *g, const wnn_cl_lanes *lanes, const char *k);

#endif
