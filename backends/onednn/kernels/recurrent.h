/* The plan of gru, gruCell, lstm and lstmCell. Private to recurrent*.c.
 *
 * Weights lie in panels (recurrent_rows.h), each gate's columns padded to whole ones: block u of a
 * gate is its units [u · width, (u + 1) · width). Gates stand in one order whatever the node's
 * layout: input, output, forget, cell for lstm, update, reset, new for gru. All sums are float32.
 */
#ifndef WNN_ONEDNN_RECURRENT_H
#define WNN_ONEDNN_RECURRENT_H

#include "kernels/recurrent_rows.h"
#include "kernels/vector.h"
#include "lower/region.h"

#define WNN_MAX_GATES 4
#define WNN_NOWHERE SIZE_MAX

/* An operand of the node. Strides are by axis from the last one backwards: [outer][row][column]. */
typedef struct wnn_recurrent_source {
  size_t port;
  bool is_there;
  const void *constant;
  webnn_data_type type;
  size_t strides[3];
} wnn_recurrent_source;

/* Operands by role; those that are packed come first: constants once, into memory of the plan,
 * others at each run, into scratch. An absent bias is packed as zeros. */
typedef enum wnn_recurrent_role {
  WNN_PACK_WEIGHT,           /* [directions][gates][blocks] panels of n_in rows */
  WNN_PACK_RECURRENT_WEIGHT, /* the same, of n_hidden rows */
  WNN_PACK_BIAS,             /* [directions][gates][padded] */
  WNN_PACK_RECURRENT_BIAS,   /* the same */
  WNN_PACK_PEEPHOLE,         /* [directions][3][padded]: input, output, forget */
  WNN_N_PACKS,
  WNN_RECURRENT_INPUT = WNN_N_PACKS,
  WNN_RECURRENT_HIDDEN,
  WNN_RECURRENT_CELL,
  WNN_RECURRENT_N_ROLES,
} wnn_recurrent_role;

typedef struct wnn_recurrent_packed {
  bool is_kept;
  size_t n_bytes, offset; /* in the plan's memory or in the scratch */
} wnn_recurrent_packed;

/* A strand is a direction of some batches: it goes through time on its own. */
typedef struct wnn_recurrent_scratch {
  size_t input, hidden, cell; /* whole operands as plain float32; WNN_NOWHERE: they are */
  size_t slots, slot_bytes;
  /* In a slot, which a strand has while it runs: */
  size_t gates;     /* of one stretch of time, [gates][steps][batches][padded] */
  size_t cells;     /* [batches][padded] */
  size_t extra;     /* gru's product of the new gate, or its reset state [batches][padded] */
  size_t states[2]; /* [batches][n_hidden], old and new in turns, unless the sequence's own memory
                       serves */
  size_t progress;
} wnn_recurrent_scratch;

typedef struct wnn_recurrence {
  wnn_plan base;
  const wnn_recurrent_rows *rows;
  const wnn_vector *vector;
  wnn_activation_fn activations[3];
  bool is_lstm, reset_after;
  bool starts_backward; /* direction 0 walks from the end; direction 1 always does */
  size_t n_steps, n_batches, n_directions, n_in, n_hidden, n_gates;
  size_t n_blocks, n_padded;
  size_t stretch; /* steps whose input products are computed together */
  /* How the work is cut: strands = directions · groups of batches, `n_slots` of them at a time,
   * each shared by `n_chunks` parts of its units; with more than one all strands run at the same
   * time. */
  size_t n_groups, n_slots, n_chunks;
  wnn_recurrent_source sources[WNN_RECURRENT_N_ROLES];
  uint8_t blocks[WNN_MAX_GATES]; /* by gate: where the node has it in weights and biases */
  wnn_recurrent_packed packs[WNN_N_PACKS];
  char *kept;
  size_t kept_bytes;
  wnn_recurrent_scratch scratch;
  int sequence; /* output by position, -1: not wanted */
  bool is_half; /* float16 outside */
  bool is_bytes;                        /* both weights, with a scale for each unit of each gate: … */
  wnn_recurrent_source scale_sources[2]; /* … of WNN_PACK_WEIGHT and WNN_PACK_RECURRENT_WEIGHT */
  size_t scales_at[2];                  /* in `kept`, as biases lie */
} wnn_recurrence;

/* The bytes of an operand; `run` NULL while planning. */
static inline const void *wnn_recurrent_bytes(const wnn_recurrent_source *source,
                                              const wnn_run *run) {
  return run != NULL ? run->inputs[source->port] : source->constant;
}

/* Packs an operand (recurrent_pack.c) as floats, weights that are bytes as such. */
void wnn_recurrent_fill(const wnn_recurrence *plan, wnn_recurrent_role role, const wnn_run *run,
                        void *to);
/* The scales of a weight. */
void wnn_recurrent_fill_scales(const wnn_recurrence *plan, wnn_recurrent_role role, float *to);
/* The operand [n[0]][n[1]][n[2]] as plain float32. */
void wnn_recurrent_flatten(const wnn_recurrence *plan, const wnn_recurrent_source *source,
                           const size_t n[3], const void *bytes, float *to);
/* True when the operand, of these sizes, is plain float32 already. */
bool wnn_recurrent_is_flat(const wnn_recurrent_source *source, const size_t n[3]);

/* recurrent_run.c */
webnn_status wnn_recurrent_run(const wnn_plan *base, const wnn_run *run);
/* Bytes of what the threads of a strand tell one another. */
size_t wnn_recurrent_progress_bytes(size_t n_chunks);

#endif
