/* Inside the oneDNN backend: the device, chains of primitives that plan a region, descriptors of
 * ports. */
#ifndef WNN_ONEDNN_H
#define WNN_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>
#include "backend.h"
#include "kernels/table.h"
#include "kernels/tail.h"
#include "lower/region.h"

struct wnn_device {
  const wnn_host *host; /* first: see wnn_device_host */
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  void *threads; /* the pool as a THREADPOOL build of oneDNN sees it, else NULL */
  char name[128], driver[128];
  bool bfloat16; /* products may be in it, and the processor can */
  bool vnni;     /* see wnn_has_vnni: asking the processor takes long in a virtual machine */
  /* By operation: ours, oneDNN's, the reference, NULL. */
  const wnn_kernel *kernels[WNN_N_OPS][WNN_MAX_OWN_KERNELS + 4];
};

extern const wnn_backend wnn_backend_onednn;

/* Tells oneDNN on this thread how many threads it has, 0: all of the context's; gives what held
 * before. The same number must hold when a primitive is created and when it runs. */
uint32_t wnn_device_enter(const wnn_device *device, uint32_t n_threads);

/* NOT_SUPPORTED for what oneDNN can't do, UNKNOWN for its other failures. */
webnn_status wnn_onednn_status(dnnl_status_t status);

/* threadpool.cpp: the pool behind oneDNN's interface; NULL when out of memory. */
void *wnn_onednn_threads_create(wnn_pool *pool);
void wnn_onednn_threads_free(void *threads);

/* A chain plans a region: memories that live in ports, scratch or buffers of the plan, and steps
 * between them. It computes in float32: float16 ports are widened when they come in and rounded
 * when they go out. The first failure sticks in `status` and everything after it does nothing. */
enum {
  WNN_CHAIN_MEMORIES = 64,
  WNN_CHAIN_STEPS = 40,
  WNN_CHAIN_ARGS = 128,
  WNN_CHAIN_DESCS = 64,
};

typedef enum wnn_spot_place {
  WNN_SPOT_INPUT, /* `at`: the port */
  WNN_SPOT_OUTPUT,
  WNN_SPOT_SCRATCH, /* `at`: bytes */
  WNN_SPOT_KEPT,    /* a buffer of the plan */
} wnn_spot_place;

typedef struct wnn_spot {
  wnn_spot_place place;
  size_t at;
} wnn_spot;

typedef struct wnn_chain_memory {
  dnnl_memory_t memory;
  wnn_spot spot;
  void *kept; /* of KEPT: owned by the plan */
  size_t n_bytes;
  const void *constant; /* its bytes are known now */
  bool used;
} wnn_chain_memory;

typedef enum wnn_step_kind {
  WNN_STEP_PRIMITIVE,
  WNN_STEP_WIDEN,  /* float16 to float32, `n` elements */
  WNN_STEP_NARROW, /* float32 to float16 */
  WNN_STEP_COPY,   /* `n` bytes, unless both spots are the same memory */
  WNN_STEP_TAIL,   /* the region's last posts, on the `n` pixels of the output, in place */
} wnn_step_kind;

typedef struct wnn_chain_step {
  wnn_step_kind kind;
  dnnl_primitive_t primitive;
  uint16_t first_arg, n_args;
  wnn_spot from, to;
  size_t n;
} wnn_chain_step;

typedef struct wnn_chain_arg {
  int arg, memory;
} wnn_chain_arg;

typedef struct wnn_chain {
  wnn_device *device;
  const wnn_region *region;
  webnn_status status;
  wnn_chain_memory memories[WNN_CHAIN_MEMORIES];
  wnn_chain_step steps[WNN_CHAIN_STEPS];
  wnn_chain_arg args[WNN_CHAIN_ARGS];
  dnnl_memory_desc_t descs[WNN_CHAIN_DESCS]; /* to be destroyed at the end */
  size_t n_memories, n_steps, n_args, n_descs;
  size_t scratch_bytes, scratchpad_bytes;
  int in_place;
  const char *detail;
  bool is_small; /* one thread does it */
  bool narrows;  /* the output is float16: a last step rounds it */
  wnn_tail tail; /* of STEP_TAIL, which `from` says where its rows are */
  size_t place;  /* in the gate */
} wnn_chain;

/* False when the process is ending: nothing more is to be done with the chain. */
bool wnn_chain_begin(wnn_chain *chain, wnn_device *device, const wnn_region *region);
/* Makes the plan, or cleans up and gives the first failure. */
webnn_status wnn_chain_finish(wnn_chain *chain, wnn_plan **out);

/* Descriptors that live as long as the chain is built; NULL on failure. */
const_dnnl_memory_desc_t wnn_chain_keep(wnn_chain *chain, dnnl_status_t status,
                                        dnnl_memory_desc_t desc);
const_dnnl_memory_desc_t wnn_chain_strided(wnn_chain *chain, uint32_t n, const dnnl_dim_t *dims,
                                           const dnnl_dim_t *strides);
const_dnnl_memory_desc_t wnn_chain_dense(wnn_chain *chain, uint32_t n, const dnnl_dim_t *dims);
const_dnnl_memory_desc_t wnn_chain_any(wnn_chain *chain, uint32_t n, const dnnl_dim_t *dims);

/* Memories, by index; -1 on failure. `given` says, as float32, how the port's bytes lie. */
int wnn_chain_input(wnn_chain *chain, size_t port, const_dnnl_memory_desc_t given);
int wnn_chain_output(wnn_chain *chain, const_dnnl_memory_desc_t given);
int wnn_chain_scratch(wnn_chain *chain, const_dnnl_memory_desc_t desc);
/* Scratch under another description. */
int wnn_chain_alias(wnn_chain *chain, int memory, const_dnnl_memory_desc_t desc);
/* A buffer of the plan, to be filled now: its bytes are in `*bytes`. */
int wnn_chain_buffer(wnn_chain *chain, const_dnnl_memory_desc_t desc, void **bytes);
/* The same numbers as `wanted`: at once for constants, by a reorder step for others. */
int wnn_chain_as(wnn_chain *chain, int memory, const_dnnl_memory_desc_t wanted);
/* A reorder step between two memories. */
void wnn_chain_reorder(wnn_chain *chain, int from, int to);

/* Runs a primitive; takes `pd`, whatever happens. */
void wnn_chain_primitive(wnn_chain *chain, dnnl_primitive_desc_t pd, size_t n_args,
                         const wnn_chain_arg *args);
void wnn_chain_copy(wnn_chain *chain, size_t input_port, size_t n_bytes);
/* Does the region's posts from `first` on, of which there may be none, to the output that lies there: pixel by pixel,
 * with the channels, which `channel_axis` names, side by side. */
void wnn_chain_tail(wnn_chain *chain, size_t first, uint32_t channel_axis);

/* run and free of every kernel that plans with a chain. */
webnn_status wnn_chain_run(const wnn_plan *plan, const wnn_run *run);
void wnn_chain_free(wnn_plan *plan);

/* Attributes as every primitive of a chain has them: the caller's scratchpad, the context's math.
 */
dnnl_primitive_attr_t wnn_chain_attr(wnn_chain *chain);
/* A created descriptor, or NULL and the failure in the chain. */
dnnl_primitive_desc_t wnn_chain_created(wnn_chain *chain, dnnl_status_t status,
                                        dnnl_primitive_desc_t pd);
static inline const_dnnl_memory_desc_t wnn_pd_wants(const_dnnl_primitive_desc_t pd, int arg) {
  return dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
}
/* 0: written for this processor; 1: a generic one on top of a product; 2: naive. */
int wnn_pd_rank(const_dnnl_primitive_desc_t pd);

/* How the shape of a region's result is told to oneDNN. */
typedef struct wnn_frame {
  uint32_t n;                   /* dimensions for oneDNN */
  uint8_t axes[DNNL_MAX_NDIMS]; /* dimension i is this axis of the result … */
  bool collapsed;               /* … or several; then only dense row-major operands fit */
  dnnl_dims_t dims;
  uint32_t channel; /* the dimension that "per channel" means */
} wnn_frame;

/* A rank-4 port of the anchor (result or input 0) in the order n, c, h, w. */
wnn_frame wnn_frame_image(const wnn_desc *desc, webnn_input_operand_layout layout);
/* The layout n, h, w, c of an image's frame, and whether a port's bytes lie so. */
wnn_layout wnn_frame_channels_last(const wnn_frame *frame);
bool wnn_frame_lies_channels_last(const wnn_frame *frame, const wnn_port *port);
/* Descriptor of a port that has the frame's shape, or broadcasts to it without collapsed axes; NULL
 * and NOT_SUPPORTED when oneDNN can't say it. */
const_dnnl_memory_desc_t wnn_frame_desc(wnn_chain *chain, const wnn_frame *frame,
                                        const wnn_port *port, uint32_t rank);

/* posts.c: what is fused behind an anchor. */

/* True when `post`, which would be stage `n_posts + 1` of the region, can be a post-op, or the
 * tail's, which wants channels last in memory; `channel_axis` is the result's axis of channels. */
bool wnn_post_fits(const wnn_region *region, const wnn_post *post, size_t n_posts,
                   uint32_t channel_axis, bool channels_last);

/* True when `post` makes bytes of the result of a product of bytes: the last that it can have. */
bool wnn_post_quantises(const wnn_region *region, const wnn_post *post, size_t n_posts,
                        uint32_t channel_axis);

typedef struct wnn_posts {
  dnnl_post_ops_t ops;
  struct {
    int arg;
    size_t port;
    const_dnnl_memory_desc_t given;
  } operands[WNN_MAX_POSTS];
  size_t n_operands;
  int sum_port; /* its bytes must be in the output before the primitive runs; or -1 */
  size_t n_done; /* posts of the region that are in `ops`: the others are for wnn_chain_tail */
} wnn_posts;

/* The region's posts, but for a quantizeLinear, up to the first that only the tail does, behind what is in `posts->ops`
 * already. `dst` is the result's descriptor,
 * which operands of its shape take; `allow_sum`: the primitive may add to what is in the output. */
void wnn_posts_add(wnn_chain *chain, wnn_posts *posts, const wnn_frame *frame,
                   const_dnnl_memory_desc_t dst, bool allow_sum);
/* Brings the operands where `pd` wants them; appends to `args`, returns the new number. */
size_t wnn_posts_args(wnn_chain *chain, const wnn_posts *posts, const_dnnl_primitive_desc_t pd,
                      wnn_chain_arg *args, size_t n_args);

/* The kernels, by family; `kernels/table.c` has our own. */
extern const wnn_kernel wnn_onednn_conv2d, wnn_onednn_conv_transpose2d,
    wnn_onednn_matmul, wnn_onednn_gemm,
    wnn_onednn_average_pool2d, wnn_onednn_integer, wnn_onednn_layer_normalization, wnn_onednn_reorder;

#endif
