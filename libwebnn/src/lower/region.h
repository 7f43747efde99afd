/* Regions and kernels: what a backend is asked to plan and run.
 *
 * A region is one anchor node and the element-wise nodes fused behind it. Its ports carry descriptor, layout
 * and, for constants, the bytes. A kernel that can do the whole region in these layouts plans it; one that
 * can't says NOT_SUPPORTED, and the next is asked. `backends/reference` can do every region, slowly. */
#ifndef WNN_LOWER_REGION_H
#define WNN_LOWER_REGION_H

#include "backend.h"
#include "lower/layout.h"

/* One operand of a region. */
typedef struct wnn_port {
  const wnn_desc *desc;  /* NULL: an absent optional operand */
  wnn_layout layout;
  const void *constant;  /* plain row-major bytes of a constant, else NULL. Constants always lie plain. */
  bool dies;             /* nothing else reads it, in this region or later, and its memory may be taken over:
                            a hint that `in_place` will be honoured, no promise */
} wnn_port;

static inline bool wnn_port_is_plain(const wnn_port *port) {
  return !wnn_layout_is_blocked(&port->layout) && wnn_layout_is_plain(&port->layout, port->desc);
}

/* Where an operand of a fused node comes from: a port (>= 0), nothing, or the result of an earlier stage
 * (stage 0 is the anchor, stage i the i-th post). */
#define WNN_FROM_NONE (-1)
#define WNN_FROM_STAGE(k) (-2 - (int)(k))
#define WNN_STAGE_OF(from) ((size_t)(-2 - (from)))
#define WNN_IS_STAGE(from) ((from) <= -2)

#define WNN_MAX_POST_INPUTS 3
#define WNN_MAX_POSTS 24

typedef struct wnn_post {
  const wnn_node *node;
  int16_t from[WNN_MAX_POST_INPUTS]; /* by operand position */
  wnn_desc desc;                     /* of its result */
} wnn_post;

typedef struct wnn_region {
  const wnn_node *anchor;
  wnn_port *inputs; /* the anchor's operands by position, then what posts read besides */
  size_t n_inputs;
  wnn_port *outputs; /* the anchor's; with posts, the last post's one */
  size_t n_outputs;
  wnn_desc anchor_desc; /* of the anchor's first result (what stage 0 is) */
  wnn_post posts[WNN_MAX_POSTS];
  size_t n_posts;
} wnn_region;

/* Multiplications and additions of the anchor, from the shapes alone; 0 where it has no products. */
uint64_t wnn_region_flops(const wnn_region *region);
/* Of all that the region reads and writes. */
uint64_t wnn_region_bytes(const wnn_region *region);

/* A kernel's memory of one region; kernels put it first in a struct of their own. */
typedef struct wnn_plan {
  const struct wnn_kernel *kernel;
  wnn_device *device;
  size_t n_bytes;        /* of the whole struct, for the allocator */
  size_t scratch_bytes;  /* wanted at each run, aligned to a cache line */
  size_t weight_bytes;   /* kept packed by the plan, for the report */
  uint32_t n_launches;   /* kernels that a run starts on a device; 0 on the host */
  uint64_t packed;       /* bit i: input i was packed, its bytes aren't needed at the run (its arg is NULL) */
  int in_place;          /* input whose memory output 0 may take over if it dies here, or -1 */
  const char *detail;    /* what a report says beside the kernel's name ("bfloat16"); static, NULL: nothing */
  bool heavy;            /* uses the pool or takes long: not for a caller's own thread, but where there is only one */
} wnn_plan;

typedef struct wnn_run {
  void *const *inputs;  /* by port */
  void *const *outputs;
  void *scratch;
} wnn_run;

typedef struct wnn_kernel {
  const char *name;
  /* NOT_SUPPORTED: ask the next. Fills everything of wnn_plan but `kernel`. */
  webnn_status (*plan)(wnn_device *device, const wnn_region *region, wnn_plan **out);
  webnn_status (*run)(const wnn_plan *plan, const wnn_run *run); /* writes outputs and scratch only */
  void (*free)(wnn_plan *plan);
} wnn_kernel;

/* A zeroed plan of `n_bytes` with in_place -1; NULL when out of memory. */
wnn_plan *wnn_plan_create(wnn_device *device, const wnn_alloc *alloc, size_t n_bytes);

/* What a region does to layouts; the layout pass asks for each. */
typedef enum wnn_layout_rule {
  WNN_LAYOUT_PLAIN,  /* inputs and outputs row-major */
  WNN_LAYOUT_SAME,   /* element-wise: all of the output's shape lie as the main input does; any order */
  WNN_LAYOUT_READ,   /* any unblocked layout in, the outputs row-major, or output 0 as in the answer */
  WNN_LAYOUT_FOLLOW, /* any unblocked layout in; the outputs lie as input 0 where the rank is the same */
  WNN_LAYOUT_WANT,   /* the layouts given in the answer */
} wnn_layout_rule;

typedef struct wnn_layout_answer {
  wnn_layout_rule rule;
  wnn_layout input0, output0; /* for WANT: of input 0 and output 0 (and of posts' inputs of its shape);
                                 other inputs plain. For READ output0 may have rank 0: none. */
} wnn_layout_answer;

/* Images lie channels last, whichever way the node names their axes. */
static inline wnn_layout_answer wnn_layout_images(webnn_input_operand_layout named) {
  wnn_layout layout =
      named == WEBNN_INPUT_OPERAND_LAYOUT_NCHW ? wnn_layout_channels_last() : wnn_layout_plain(4);
  return (wnn_layout_answer){.rule = WNN_LAYOUT_WANT, .input0 = layout, .output0 = layout};
}

/* Memory that isn't the host's. Its handles stand where the pointers of a run do, for constants too. */
typedef struct wnn_memory {
  size_t align; /* of parts, in bytes: a multiple of a cache line */
  /* `data` NULL: not cleared. */
  webnn_status (*create)(wnn_device *device, size_t n_bytes, const void *data, void **out);
  webnn_status (*part)(wnn_device *device, void *whole, size_t offset, size_t n_bytes, void **out);
  void (*free)(wnn_device *device, void *handle); /* parts before their whole */
  webnn_status (*finish)(wnn_device *device);     /* waits for what runs: for profiles */
} wnn_memory;

/* What a backend tells `lower`. */
typedef struct wnn_lowering {
  wnn_device *device;
  const wnn_host *host;
  /* Kernels for an anchor, fastest first, ends with NULL. */
  const wnn_kernel *const *(*kernels)(wnn_device *device, wnn_op_id op);
  /* May `next` (element-wise; reads the region's result at `from`) become a post of this region? */
  bool (*can_fuse)(wnn_device *device, const wnn_region *region, const wnn_post *next);
  wnn_layout_answer (*layout)(wnn_device *device, const wnn_region *region);
  const wnn_memory *memory; /* NULL: the host's */
} wnn_lowering;

#endif
