/* A planned element-wise region: made by elementwise.c, run by elementwise_run.c. */
#ifndef WNN_ONEDNN_ELEMENTWISE_H
#define WNN_ONEDNN_ELEMENTWISE_H

#include "kernels/lanes.h"

#define WNN_TILE ((size_t)1024) /* elements */
#define WNN_MAX_STAGES (WNN_MAX_POSTS + 1)
#define WNN_MAX_OPERANDS 24
#define WNN_MAX_AXES (2 * WNN_MAX_RANK) /* blocks of quantisation cut an axis in two */

/* How an operand is brought to a tile; within a stretch, see below. */
typedef enum wnn_operand_kind {
  WNN_OPERAND_WHOLE,  /* lies as the output does */
  WNN_OPERAND_REPEAT, /* a row of `period` elements, over and over; 1: a number */
  WNN_OPERAND_WALK,   /* anything else: gathered by strides */
} wnn_operand_kind;

typedef struct wnn_operand {
  wnn_operand_kind kind;
  bool widens; /* float16, computed in float32 */
  size_t element_bytes;
  size_t period;
  size_t strides[WNN_MAX_AXES]; /* along the axes of the plan */
  size_t tile_at;               /* where its tile lies in a thread's scratch */
} wnn_operand;

typedef struct wnn_stage {
  wnn_stage_fn fn;
  wnn_stage_args args;
  int16_t from[WNN_MAX_POST_INPUTS]; /* port, or the stage before (WNN_IS_STAGE) */
  uint8_t n_in;
  bool narrows; /* a result of float16 is rounded, then widened again */
  bool passes;  /* the operand is the result, in the type that is computed in */
} wnn_stage;

/* The output is a number of stretches, over which outer axes walk; in a stretch every operand is
 * whole or repeats, if such stretches are long enough. Tiles don't cross their ends. */
typedef struct wnn_elementwise {
  wnn_plan base;
  const wnn_vector *vector;
  uint32_t rank, inner;              /* the stretch has the axes from `inner` on */
  size_t dims[WNN_MAX_AXES];         /* outermost first, joined where all operands allow */
  size_t n_stretches, stretch, tile; /* elements of a stretch, of its first tile */
  wnn_operand operands[WNN_MAX_OPERANDS];
  size_t n_operands;
  wnn_stage stages[WNN_MAX_STAGES];
  size_t n_stages;
  bool as_bits;       /* float16 is only chosen, not computed */
  bool simple;        /* one stage on one tile of whole operands */
  bool streams;       /* results go past the caches */
  bool fetches;       /* operands come from beyond them: each tile asks for the next one's */
  size_t out_bytes;   /* of an element */
  size_t stage_at[2]; /* the two tiles between stages, in a thread's scratch */
  size_t thread_bytes;
  size_t n_parts;
} wnn_elementwise;

webnn_status wnn_elementwise_run(const wnn_plan *base, const wnn_run *run);

static inline bool wnn_is_half(webnn_data_type type) { return type == WEBNN_DATA_TYPE_FLOAT16; }

#endif
