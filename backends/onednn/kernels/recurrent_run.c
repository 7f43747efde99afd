/* Runs gru, gruCell, lstm and lstmCell: products of the inputs for a stretch of time, then step by
 * step the products of the state and the gates. */
#include "kernels/recurrent.h"

#include <string.h>
#include "base/sync.h"

/* Gates in our order. */
enum { UPDATE, RESET, NEW };
enum { INPUT, OUTPUT, FORGET, CELL };

/* A run's operands as the strands see them. */
typedef struct session {
  const wnn_recurrence *plan;
  const wnn_run *run;
  const float *packs[WNN_N_PACKS];
  const float *input;
  size_t step_stride, batch_stride; /* of the input */
  const float *hidden, *cell;       /* before the first step; cell NULL: zeros */
} session;

typedef struct strand {
  const session *in;
  size_t direction;
  bool backward;
  size_t first, n_rows; /* its batches */
  float *gates, *cells, *extra, *states[2];
} strand;

/* A part of every gate's units. */
typedef struct units {
  size_t block, n_blocks;
  size_t begin, n, n_padded; /* in units */
} units;

static units units_of(const wnn_recurrence *plan, size_t chunk) {
  size_t begin, end, width = plan->rows->width;
  wnn_parallel_split(plan->n_blocks, chunk, plan->n_chunks, &begin, &end);
  size_t last = end * width < plan->n_hidden ? end * width : plan->n_hidden;
  return (units){begin, end - begin, begin * width, last - begin * width, (end - begin) * width};
}

/* Units of all batches as rows behind one another; or as one row, where nothing is between them. */
typedef struct spans {
  size_t n, length;
  size_t stride, state_stride; /* between padded rows, between rows of states */
} spans;

/* With the padding, whose numbers are computed along and read by nobody. */
static spans padded_spans(const strand *s, const units *u) {
  const wnn_recurrence *plan = s->in->plan;
  if (u->n_blocks == plan->n_blocks) return (spans){1, s->n_rows * plan->n_padded, 0, 0};
  return (spans){s->n_rows, u->n_padded, plan->n_padded, 0};
}

/* Of states, which have no padding. */
static spans state_spans(const strand *s, const units *u) {
  const wnn_recurrence *plan = s->in->plan;
  if (plan->n_hidden == plan->n_padded && u->n_blocks == plan->n_blocks) return padded_spans(s, u);
  return (spans){s->n_rows, u->n, plan->n_padded, plan->n_hidden};
}

/* ---- products */

/* The product for `n` gates from `first` on, this part's units of each. `p` says where panels and
 * bias begin, those of gate 0, and the result, that of the first gate. */
static void multiply(const wnn_recurrence *plan, const units *u, size_t first, size_t n,
                     wnn_panel_product p) {
  const size_t from = first * plan->n_blocks + u->block, width = plan->rows->width;
  if (p.bytes != NULL) {
    p.bytes += from * p.depth * width;
    p.scales += from * width;
  } else {
    p.panels += from * p.depth * width;
  }
  p.bias += from * width;
  p.y += u->begin;
  p.y_stride = plan->n_padded;
  p.n_runs = n;
  p.run = u->n_blocks;
  p.run_distance = plan->n_blocks;
  plan->rows->product(&p);
}

/* The panels of a weight, for a direction. */
static void open_panels(const session *in, wnn_recurrent_role role, size_t direction, wnn_panel_product *p) {
  const wnn_recurrence *plan = in->plan;
  const size_t row = plan->n_gates * plan->n_padded, at = direction * row * p->depth;
  if (!plan->is_bytes) {
    p->panels = in->packs[role] + at;
    return;
  }
  p->bytes = (const int8_t *)plan->kept + plan->packs[role].offset + at;
  p->scales = (const float *)(const void *)(plan->kept + plan->scales_at[role]) + direction * row;
}

/* The time at which step `i` stands. */
static size_t time_of(const strand *s, size_t i) {
  return s->backward ? s->in->plan->n_steps - 1 - i : i;
}

/* Steps whose input products are computed together: [begin, begin + n) in time. */
typedef struct stretch {
  size_t begin, n;
} stretch;

static stretch stretch_of(const strand *s, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  size_t first = i - i % plan->stretch, left = plan->n_steps - first;
  size_t n = left < plan->stretch ? left : plan->stretch;
  return (stretch){s->backward ? plan->n_steps - first - n : first, n};
}

/* From a gate of the stretch to the next one. */
static size_t gate_stride(const strand *s) {
  return s->in->plan->stretch * s->n_rows * s->in->plan->n_padded;
}

/* The first gate at the time of step `i`. */
static float *gates_at(const strand *s, size_t i) {
  return s->gates + (time_of(s, i) - stretch_of(s, i).begin) * s->n_rows * s->in->plan->n_padded;
}

/* gates = x·Wᵀ + bias, for the stretch that begins with step `i`. */
static void project(const strand *s, const units *u, size_t i) {
  const session *in = s->in;
  const wnn_recurrence *plan = in->plan;
  const size_t row = plan->n_gates * plan->n_padded;
  const stretch t = stretch_of(s, i);
  wnn_panel_product p = {
      .x = in->input + t.begin * in->step_stride + s->first * in->batch_stride,
      .bias = in->packs[WNN_PACK_BIAS] + s->direction * row,
      .y = s->gates,
      .x_stride = in->batch_stride,
      .run_stride = gate_stride(s),
      .n_rows = s->n_rows,
      .depth = plan->n_in,
  };
  open_panels(in, WNN_PACK_WEIGHT, s->direction, &p);
  size_t calls = t.n;
  if (s->n_rows == 1 ||
      in->step_stride == s->n_rows * in->batch_stride) { /* rows follow one another through time */
    if (s->n_rows == 1) p.x_stride = in->step_stride;
    p.n_rows *= t.n;
    calls = 1;
  }
  for (size_t k = 0; k < calls; k++) {
    multiply(plan, u, 0, plan->n_gates, p);
    p.x += in->step_stride;
    p.y += s->n_rows * plan->n_padded;
  }
}

/* y = state·Rᵀ + recurrent bias for `n` gates from `first` on, where y begins; or y plus that. */
static void recur(const strand *s, const units *u, const float *state, size_t state_stride,
                  size_t first, size_t n, float *y, bool adds) {
  const session *in = s->in;
  const wnn_recurrence *plan = in->plan;
  const size_t row = plan->n_gates * plan->n_padded;
  wnn_panel_product p = {
      .x = state,
      .bias = in->packs[WNN_PACK_RECURRENT_BIAS] + s->direction * row,
      .y = y,
      .x_stride = state_stride,
      .run_stride = gate_stride(s),
      .n_rows = s->n_rows,
      .depth = plan->n_hidden,
      .adds = adds,
  };
  open_panels(in, WNN_PACK_RECURRENT_WEIGHT, s->direction, &p);
  multiply(plan, u, first, n, p);
}

/* ---- states */

static bool is_sequence_direct(const wnn_recurrence *plan) {
  return plan->sequence >= 0 && !plan->is_half;
}

/* The first batch's place in the sequence at the time of step `i`, in elements. */
static size_t sequence_at(const strand *s, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  return ((time_of(s, i) * plan->n_directions + s->direction) * plan->n_batches + s->first) *
         plan->n_hidden;
}

/* Its place in the states of the ends. */
static size_t end_at(const strand *s) {
  const wnn_recurrence *plan = s->in->plan;
  return (s->direction * plan->n_batches + s->first) * plan->n_hidden;
}

/* The hidden states after step `i`. */
static float *state_after(const strand *s, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  if (is_sequence_direct(plan))
    return (float *)s->in->run->outputs[plan->sequence] + sequence_at(s, i);
  return s->states[i % 2];
}

static const float *state_before(const strand *s, size_t i) {
  return i == 0 ? s->in->hidden + end_at(s) : state_after(s, i - 1);
}

/* Rounds, or copies, `n` numbers to place `at` of an output. */
static void store(const wnn_recurrence *plan, const float *from, void *output, size_t at,
                  size_t n) {
  if (plan->is_half)
    plan->vector->narrow(from, (uint16_t *)output + at, n);
  else
    memcpy((float *)output + at, from, n * sizeof *from);
}

/* What leaves the network behind step `i`. */
static void emit(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  void *const *outputs = s->in->run->outputs;
  const float *state = state_after(s, i) + u->begin;
  bool is_last = i + 1 == plan->n_steps;
  for (size_t row = 0; row < s->n_rows; row++, state += plan->n_hidden) {
    size_t at = row * plan->n_hidden + u->begin;
    if (plan->sequence >= 0 && plan->is_half)
      store(plan, state, outputs[plan->sequence], sequence_at(s, i) + at, u->n);
    if (!is_last) continue;
    store(plan, state, outputs[0], end_at(s) + at, u->n);
    if (plan->is_lstm)
      store(plan, s->cells + row * plan->n_padded + u->begin, outputs[1], end_at(s) + at, u->n);
  }
}

/* What is behind a row's units up to the padding is computed along, of zeros, and read by nobody.
 */
static void begin_cells(const strand *s, const units *u) {
  const wnn_recurrence *plan = s->in->plan;
  for (size_t row = 0; row < s->n_rows; row++) {
    float *cells = s->cells + row * plan->n_padded + u->begin;
    memset(cells, 0, u->n_padded * sizeof *cells);
    if (s->in->cell != NULL)
      memcpy(cells, s->in->cell + end_at(s) + row * plan->n_hidden + u->begin,
             u->n * sizeof *cells);
  }
}

/* ---- steps */

/* `n` gates; `gate` is where this part of the first one begins. */
static void activate(const strand *s, const units *u, size_t which, float *gate, size_t n) {
  const spans rows = padded_spans(s, u);
  for (size_t k = 0; k < n; k++, gate += gate_stride(s))
    for (size_t row = 0; row < rows.n; row++)
      s->in->plan->activations[which](gate + row * rows.stride, rows.length);
}

/* All but the cell gate see the old cell state. */
static void add_peepholes(const strand *s, const units *u, float *gate, const float *cells) {
  const wnn_recurrence *plan = s->in->plan;
  if (!plan->sources[WNN_PACK_PEEPHOLE].is_there) return;
  const float *peepholes =
      s->in->packs[WNN_PACK_PEEPHOLE] + s->direction * 3 * plan->n_padded + u->begin;
  for (size_t k = 0; k < 3; k++, gate += gate_stride(s), peepholes += plan->n_padded)
    for (size_t row = 0; row < s->n_rows; row++)
      plan->rows->mul_add(peepholes, cells + row * plan->n_padded, gate + row * plan->n_padded,
                          u->n_padded);
}

static void lstm_step(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  float *gates = gates_at(s, i), *state = state_after(s, i) + u->begin,
        *cells = s->cells + u->begin;
  recur(s, u, state_before(s, i), plan->n_hidden, 0, 4, gates, true);
  const size_t stride = gate_stride(s);
  float *in = gates + INPUT * stride + u->begin, *out = gates + OUTPUT * stride + u->begin;
  float *forget = gates + FORGET * stride + u->begin, *fresh = gates + CELL * stride + u->begin;
  add_peepholes(s, u, in, cells);
  activate(s, u, 0, in, 3);
  activate(s, u, 1, fresh, 1);
  spans rows = padded_spans(s, u);
  for (size_t row = 0, at = 0; row < rows.n; row++, at += rows.stride) {
    plan->rows->cell(forget + at, in + at, fresh + at, cells + at, rows.length);
    memcpy(fresh + at, cells + at, rows.length * sizeof *fresh);
  }
  activate(s, u, 2, fresh, 1);
  rows = state_spans(s, u);
  for (size_t row = 0; row < rows.n; row++)
    plan->rows->mul(out + row * rows.stride, fresh + row * rows.stride,
                    state + row * rows.state_stride, rows.length);
}

/* The new state of gru from its gates. */
static void blend(const strand *s, const units *u, size_t i, const float *update,
                  const float *fresh) {
  const spans rows = state_spans(s, u);
  const float *old = state_before(s, i) + u->begin;
  float *state = state_after(s, i) + u->begin;
  for (size_t row = 0; row < rows.n; row++)
    s->in->plan->rows->blend(update + row * rows.stride, old + row * rows.state_stride,
                             fresh + row * rows.stride, state + row * rows.state_stride,
                             rows.length);
}

/* The reset gate acts on the product, which stands apart until then. */
static void gru_step_reset_after(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  const float *old = state_before(s, i);
  float *gates = gates_at(s, i);
  recur(s, u, old, plan->n_hidden, UPDATE, 2, gates, true);
  recur(s, u, old, plan->n_hidden, NEW, 1, s->extra, false);
  const size_t stride = gate_stride(s);
  float *update = gates + UPDATE * stride + u->begin, *reset = gates + RESET * stride + u->begin;
  float *fresh = gates + NEW * stride + u->begin, *product = s->extra + u->begin;
  const spans rows = padded_spans(s, u);
  activate(s, u, 0, update, 2);
  for (size_t row = 0, at = 0; row < rows.n; row++, at += rows.stride)
    plan->rows->mul_add(reset + at, product + at, fresh + at, rows.length);
  activate(s, u, 1, fresh, 1);
  blend(s, u, i, update, fresh);
}

/* The reset gate acts on the state, which has to be whole before it is multiplied: two phases. */
static void gru_reset_state(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  const float *old = state_before(s, i);
  float *gates = gates_at(s, i), *reset = gates + RESET * gate_stride(s) + u->begin;
  recur(s, u, old, plan->n_hidden, UPDATE, 2, gates, true);
  activate(s, u, 0, gates + u->begin, 2);
  const spans rows = state_spans(s, u);
  for (size_t row = 0; row < rows.n; row++)
    plan->rows->mul(reset + row * rows.stride, old + u->begin + row * rows.state_stride,
                    s->extra + u->begin + row * rows.stride, rows.length);
}

static void gru_new_state(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  float *gates = gates_at(s, i), *fresh = gates + NEW * gate_stride(s);
  recur(s, u, s->extra, plan->n_padded, NEW, 1, fresh, true);
  activate(s, u, 1, fresh + u->begin, 1);
  blend(s, u, i, gates + u->begin, fresh + u->begin);
}

/* ---- strands */

/* What a step consists of: everybody must have finished a phase before anybody begins the next. */
static size_t phases_of_step(const wnn_recurrence *plan) {
  return plan->is_lstm || plan->reset_after ? 1 : 2;
}

static void run_phase(const strand *s, const units *u, size_t phase) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t n = phases_of_step(plan), i = phase / n;
  const bool is_first = phase % n == 0, is_last = phase % n == n - 1;
  if (phase == 0 && plan->is_lstm) begin_cells(s, u);
  if (is_first && i % plan->stretch == 0) project(s, u, i);
  if (plan->is_lstm)
    lstm_step(s, u, i);
  else if (plan->reset_after)
    gru_step_reset_after(s, u, i);
  else if (is_first)
    gru_reset_state(s, u, i);
  else
    gru_new_state(s, u, i);
  if (is_last) emit(s, u, i);
}

static float *floats_at(const session *in, size_t offset) {
  return (float *)(void *)((char *)in->run->scratch + offset);
}

static size_t slot_offset(const wnn_recurrence *plan, size_t slot) {
  return plan->scratch.slots + slot * plan->scratch.slot_bytes;
}

static strand strand_of(const session *in, size_t index, size_t slot) {
  const wnn_recurrence *plan = in->plan;
  const wnn_recurrent_scratch *places = &plan->scratch;
  const size_t at = slot_offset(plan, slot), direction = index / plan->n_groups;
  size_t begin, end;
  wnn_parallel_split(plan->n_batches, index % plan->n_groups, plan->n_groups, &begin, &end);
  return (strand){
      .in = in,
      .direction = direction,
      .backward = plan->starts_backward || direction == 1,
      .first = begin,
      .n_rows = end - begin,
      .gates = floats_at(in, at + places->gates),
      .cells = floats_at(in, at + places->cells),
      .extra = floats_at(in, at + places->extra),
      .states = {floats_at(in, at + places->states[0]), floats_at(in, at + places->states[1])},
  };
}

/* What the threads of a strand tell one another: first how many chunks are done, over all phases;
 * then for each chunk how many of its phases have been claimed. */
typedef struct counter {
  _Alignas(WNN_CACHE_LINE) atomic_size_t n;
} counter;

size_t wnn_recurrent_progress_bytes(size_t n_chunks) { return (1 + n_chunks) * sizeof(counter); }

static counter *progress_of(const session *in, size_t slot) {
  size_t at = slot_offset(in->plan, slot) + in->plan->scratch.progress;
  return (counter *)(void *)((char *)in->run->scratch + at);
}

/* The clock is read to pause between two looks. */
static void wait_until(const counter *done, size_t n) {
  while (atomic_load(&done->n) < n) (void)wnn_now_ns();
}

/* Goes through all phases, taking its own chunk first and whatever nobody else has taken then:
 * threads that come late, or never, are not waited for. */
static void share_strand(const strand *s, counter *progress, size_t own) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t n_chunks = plan->n_chunks, n_phases = plan->n_steps * phases_of_step(plan);
  for (size_t phase = 0; phase < n_phases; phase++) {
    for (size_t k = 0; k < n_chunks; k++) {
      size_t chunk = (own + k) % n_chunks, claimed = phase;
      if (!atomic_compare_exchange_strong(&progress[1 + chunk].n, &claimed, phase + 1)) continue;
      const units u = units_of(plan, chunk);
      run_phase(s, &u, phase);
      atomic_fetch_add(&progress->n, 1);
    }
    wait_until(progress, (phase + 1) * n_chunks);
  }
}

static void run_alone(const strand *s) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t n_phases = plan->n_steps * phases_of_step(plan);
  const units u = units_of(plan, 0);
  for (size_t phase = 0; phase < n_phases; phase++) run_phase(s, &u, phase);
}

static size_t n_strands(const wnn_recurrence *plan) { return plan->n_directions * plan->n_groups; }

static void run_part(void *arg, size_t part, size_t n_parts) {
  const session *in = arg;
  const size_t strands = n_strands(in->plan);
  if (in->plan->n_chunks > 1) {
    const strand s = strand_of(in, part % strands, part % strands);
    share_strand(&s, progress_of(in, part % strands), part / strands);
    return;
  }
  for (size_t i = part; i < strands; i += n_parts) {
    const strand s = strand_of(in, i, part);
    run_alone(&s);
  }
}

/* ---- the run */

static void open_packs(session *in) {
  const wnn_recurrence *plan = in->plan;
  for (size_t i = 0; i < WNN_N_PACKS; i++) {
    const wnn_recurrent_packed *pack = &plan->packs[i];
    if (pack->is_kept) {
      in->packs[i] = (const float *)(const void *)(plan->kept + pack->offset);
      continue;
    }
    float *to = floats_at(in, pack->offset);
    wnn_recurrent_fill(plan, (wnn_recurrent_role)i, in->run, to);
    in->packs[i] = to;
  }
}

static void open_input(session *in) {
  const wnn_recurrence *plan = in->plan;
  const wnn_recurrent_source *source = &plan->sources[WNN_RECURRENT_INPUT];
  const size_t n[3] = {plan->n_steps, plan->n_batches, plan->n_in};
  const void *bytes = wnn_recurrent_bytes(source, in->run);
  in->step_stride = source->strides[0];
  in->batch_stride = source->strides[1];
  in->input = bytes;
  if (plan->scratch.input == WNN_NOWHERE) return;
  float *to = floats_at(in, plan->scratch.input);
  wnn_recurrent_flatten(plan, source, n, bytes, to);
  in->input = to;
  in->step_stride = n[1] * n[2];
  in->batch_stride = n[2];
}

/* A state before the first step; absent: zeros. */
static const float *open_state(const session *in, wnn_recurrent_role role, size_t scratch) {
  const wnn_recurrence *plan = in->plan;
  const wnn_recurrent_source *source = &plan->sources[role];
  const size_t n[3] = {plan->n_directions, plan->n_batches, plan->n_hidden};
  const void *bytes = source->is_there ? wnn_recurrent_bytes(source, in->run) : NULL;
  if (scratch == WNN_NOWHERE) return bytes;
  float *to = floats_at(in, scratch);
  if (bytes != NULL)
    wnn_recurrent_flatten(plan, source, n, bytes, to);
  else
    memset(to, 0, n[0] * n[1] * n[2] * sizeof *to);
  return to;
}

webnn_status wnn_recurrent_run(const wnn_plan *base, const wnn_run *run) {
  const wnn_recurrence *plan = (const wnn_recurrence *)(const void *)base;
  session in = {.plan = plan, .run = run};
  open_packs(&in);
  open_input(&in);
  in.hidden = open_state(&in, WNN_RECURRENT_HIDDEN, plan->scratch.hidden);
  in.cell = open_state(&in, WNN_RECURRENT_CELL, plan->scratch.cell);
  for (size_t i = 0; i < plan->n_slots && plan->n_chunks > 1; i++)
    for (size_t k = 0; k <= plan->n_chunks; k++) atomic_init(&progress_of(&in, i)[k].n, 0);
  wnn_parallel(wnn_device_host(base->device)->pool, plan->n_slots * plan->n_chunks, run_part, &in);
  return WEBNN_OK;
}
