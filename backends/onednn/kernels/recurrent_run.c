/* Runs gru, gruCell, lstm and lstmCell: products of the inputs for a stretch of time, then step by step the products of
 * the state and the gates. */
#include "kernels/recurrent.h"

#include "base/sync.h"
#include <string.h>

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

/* ---- products */

/* The product for `n` gates from `first` on, this part's units of each. `p` says where panels and bias begin, those of
 * gate 0, and the result, that of the first gate. */
static void multiply(const wnn_recurrence *plan, const units *u, size_t first, size_t n, wnn_panel_product p) {
  const size_t panel = p.depth * plan->rows->width;
  size_t calls = n;
  p.n_panels = u->n_blocks;
  if (u->n_blocks == plan->n_blocks) { /* all in one */
    p.n_panels *= n;
    calls = 1;
  }
  p.panels += (first * plan->n_blocks + u->block) * panel;
  p.bias += first * plan->n_padded + u->begin;
  p.y += u->begin;
  for (size_t i = 0; i < calls; i++) {
    plan->rows->product(&p);
    p.panels += plan->n_blocks * panel;
    p.bias += plan->n_padded;
    p.y += plan->n_padded;
  }
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

/* Gates of the batches at the time of step `i`. */
static float *gates_at(const strand *s, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  return s->gates + (time_of(s, i) - stretch_of(s, i).begin) * s->n_rows * plan->n_gates * plan->n_padded;
}

/* gates = x·Wᵀ + bias, for the stretch that begins with step `i`. */
static void project(const strand *s, const units *u, size_t i) {
  const session *in = s->in;
  const wnn_recurrence *plan = in->plan;
  const size_t row = plan->n_gates * plan->n_padded;
  const stretch t = stretch_of(s, i);
  wnn_panel_product p = {
      .x = in->input + t.begin * in->step_stride + s->first * in->batch_stride,
      .panels = in->packs[WNN_PACK_WEIGHT] + s->direction * row * plan->n_in,
      .bias = in->packs[WNN_PACK_BIAS] + s->direction * row,
      .y = s->gates,
      .x_stride = in->batch_stride,
      .y_stride = row,
      .n_rows = s->n_rows,
      .depth = plan->n_in,
  };
  size_t calls = t.n;
  if (s->n_rows == 1 || in->step_stride == s->n_rows * in->batch_stride) { /* rows follow one another through time */
    if (s->n_rows == 1) p.x_stride = in->step_stride;
    p.n_rows *= t.n;
    calls = 1;
  }
  for (size_t k = 0; k < calls; k++) {
    multiply(plan, u, 0, plan->n_gates, p);
    p.x += in->step_stride;
    p.y += s->n_rows * row;
  }
}

/* y = state·Rᵀ + recurrent bias for `n` gates from `first` on, where y begins; or y plus that. */
static void recur(const strand *s, const units *u, const float *state, size_t first, size_t n, float *y,
                  size_t y_stride, bool adds) {
  const session *in = s->in;
  const wnn_recurrence *plan = in->plan;
  const size_t row = plan->n_gates * plan->n_padded;
  multiply(plan, u, first, n,
           (wnn_panel_product){
               .x = state,
               .panels = in->packs[WNN_PACK_RECURRENT_WEIGHT] + s->direction * row * plan->n_hidden,
               .bias = in->packs[WNN_PACK_RECURRENT_BIAS] + s->direction * row,
               .y = y,
               .x_stride = plan->n_hidden,
               .y_stride = y_stride,
               .n_rows = s->n_rows,
               .depth = plan->n_hidden,
               .adds = adds,
           });
}

/* ---- states */

static bool is_sequence_direct(const wnn_recurrence *plan) { return plan->sequence >= 0 && !plan->is_half; }

/* The first batch's place in the sequence at the time of step `i`, in elements. */
static size_t sequence_at(const strand *s, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  return ((time_of(s, i) * plan->n_directions + s->direction) * plan->n_batches + s->first) * plan->n_hidden;
}

/* Its place in the states of the ends. */
static size_t end_at(const strand *s) {
  const wnn_recurrence *plan = s->in->plan;
  return (s->direction * plan->n_batches + s->first) * plan->n_hidden;
}

/* The hidden states after step `i`. */
static float *state_after(const strand *s, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  if (is_sequence_direct(plan)) return (float *)s->in->run->outputs[plan->sequence] + sequence_at(s, i);
  return s->states[i % 2];
}

static const float *state_before(const strand *s, size_t i) {
  return i == 0 ? s->in->hidden + end_at(s) : state_after(s, i - 1);
}

/* Rounds, or copies, `n` numbers to place `at` of an output. */
static void store(const wnn_recurrence *plan, const float *from, void *output, size_t at, size_t n) {
  if (plan->is_half) plan->vector->narrow(from, (uint16_t *)output + at, n);
  else memcpy((float *)output + at, from, n * sizeof *from);
}

/* What leaves the network behind step `i`. */
static void emit(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  void *const *outputs = s->in->run->outputs;
  const float *state = state_after(s, i) + u->begin;
  bool is_last = i + 1 == plan->n_steps;
  for (size_t row = 0; row < s->n_rows; row++, state += plan->n_hidden) {
    size_t at = row * plan->n_hidden + u->begin;
    if (plan->sequence >= 0 && plan->is_half) store(plan, state, outputs[plan->sequence], sequence_at(s, i) + at, u->n);
    if (!is_last) continue;
    store(plan, state, outputs[0], end_at(s) + at, u->n);
    if (plan->is_lstm) store(plan, s->cells + row * plan->n_padded + u->begin, outputs[1], end_at(s) + at, u->n);
  }
}

/* What is behind a row's units up to the padding is computed along, of zeros, and read by nobody. */
static void begin_cells(const strand *s, const units *u) {
  const wnn_recurrence *plan = s->in->plan;
  for (size_t row = 0; row < s->n_rows; row++) {
    float *cells = s->cells + row * plan->n_padded + u->begin;
    memset(cells, 0, u->n_padded * sizeof *cells);
    if (s->in->cell != NULL)
      memcpy(cells, s->in->cell + end_at(s) + row * plan->n_hidden + u->begin, u->n * sizeof *cells);
  }
}

/* ---- steps */

/* `n` gates that lie behind one another. */
static void activate(const wnn_recurrence *plan, const units *u, size_t which, float *gates, size_t n) {
  if (u->n_blocks == plan->n_blocks) {
    plan->activations[which](gates, n * plan->n_padded);
    return;
  }
  for (size_t k = 0; k < n; k++, gates += plan->n_padded) plan->activations[which](gates, u->n_padded);
}

static void unusual_lstm_gates(const wnn_recurrence *plan, const units *u, float *gates, float *cells, float *state) {
  float *in = gates + INPUT * plan->n_padded, *out = gates + OUTPUT * plan->n_padded;
  float *forget = gates + FORGET * plan->n_padded, *fresh = gates + CELL * plan->n_padded;
  activate(plan, u, 0, gates, 3);
  activate(plan, u, 1, fresh, 1);
  plan->rows->cell(forget, in, fresh, cells, u->n_padded);
  memcpy(fresh, cells, u->n_padded * sizeof *fresh);
  activate(plan, u, 2, fresh, 1);
  plan->rows->mul(out, fresh, state, u->n_padded);
}

static void lstm_row(const strand *s, const units *u, float *gates, float *cells, float *state) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t padded = plan->n_padded;
  /* The state has no padding: vectors that reach beyond it are written elsewhere first. */
  float *to = u->n == u->n_padded ? state : gates;
  if (plan->sources[WNN_PACK_PEEPHOLE].is_there) { /* all three see the old cell state */
    const float *peepholes = s->in->packs[WNN_PACK_PEEPHOLE] + s->direction * 3 * padded + u->begin;
    for (size_t gate = 0; gate < 3; gate++)
      plan->rows->mul_add(peepholes + gate * padded, cells, gates + gate * padded, u->n_padded);
  }
  if (plan->is_usual)
    plan->rows->lstm(gates + INPUT * padded, gates + OUTPUT * padded, gates + FORGET * padded, gates + CELL * padded,
                     cells, to, u->n_padded);
  else
    unusual_lstm_gates(plan, u, gates, cells, to);
  if (to != state) memcpy(state, to, u->n * sizeof *state);
}

static void lstm_step(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t stride = plan->n_gates * plan->n_padded;
  float *gates = gates_at(s, i), *state = state_after(s, i);
  recur(s, u, state_before(s, i), 0, 4, gates, stride, true);
  for (size_t row = 0; row < s->n_rows; row++)
    lstm_row(s, u, gates + row * stride + u->begin, s->cells + row * plan->n_padded + u->begin,
             state + row * plan->n_hidden + u->begin);
}

/* The reset gate acts on the product, which stands apart until then. */
static void gru_step_reset_after(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t padded = plan->n_padded, stride = plan->n_gates * padded;
  const float *old = state_before(s, i);
  float *gates = gates_at(s, i), *state = state_after(s, i);
  recur(s, u, old, 0, 2, gates, stride, true);
  recur(s, u, old, NEW, 1, s->extra, padded, false);
  for (size_t row = 0; row < s->n_rows; row++) {
    float *gate = gates + row * stride + u->begin, *fresh = gate + NEW * padded;
    const float *product = s->extra + row * padded + u->begin;
    size_t at = row * plan->n_hidden + u->begin;
    if (plan->is_usual) {
      plan->rows->gru(gate + UPDATE * padded, gate + RESET * padded, fresh, product, u->n_padded);
    } else {
      activate(plan, u, 0, gate, 2);
      plan->rows->mul_add(gate + RESET * padded, product, fresh, u->n_padded);
      activate(plan, u, 1, fresh, 1);
    }
    plan->rows->blend(gate + UPDATE * padded, old + at, fresh, state + at, u->n);
  }
}

/* The reset gate acts on the state, which has to be whole before it is multiplied: two phases. */
static void gru_reset_state(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t padded = plan->n_padded, stride = plan->n_gates * padded;
  const float *old = state_before(s, i);
  float *gates = gates_at(s, i);
  recur(s, u, old, 0, 2, gates, stride, true);
  for (size_t row = 0; row < s->n_rows; row++) {
    float *gate = gates + row * stride + u->begin;
    size_t at = row * plan->n_hidden + u->begin;
    activate(plan, u, 0, gate, 2);
    plan->rows->mul(gate + RESET * padded, old + at, s->extra + at, u->n);
  }
}

static void gru_new_state(const strand *s, const units *u, size_t i) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t padded = plan->n_padded, stride = plan->n_gates * padded;
  const float *old = state_before(s, i);
  float *gates = gates_at(s, i), *state = state_after(s, i);
  recur(s, u, s->extra, NEW, 1, gates + NEW * padded, stride, true);
  for (size_t row = 0; row < s->n_rows; row++) {
    float *gate = gates + row * stride + u->begin, *fresh = gate + NEW * padded;
    size_t at = row * plan->n_hidden + u->begin;
    activate(plan, u, 1, fresh, 1);
    plan->rows->blend(gate + UPDATE * padded, old + at, fresh, state + at, u->n);
  }
}

/* ---- strands */

/* What a step consists of: everybody must have finished a phase before anybody begins the next. */
static size_t phases_of_step(const wnn_recurrence *plan) { return plan->is_lstm || plan->reset_after ? 1 : 2; }

static void run_phase(const strand *s, const units *u, size_t phase) {
  const wnn_recurrence *plan = s->in->plan;
  const size_t n = phases_of_step(plan), i = phase / n;
  const bool is_first = phase % n == 0, is_last = phase % n == n - 1;
  if (phase == 0 && plan->is_lstm) begin_cells(s, u);
  if (is_first && i % plan->stretch == 0) project(s, u, i);
  if (plan->is_lstm) lstm_step(s, u, i);
  else if (plan->reset_after) gru_step_reset_after(s, u, i);
  else if (is_first) gru_reset_state(s, u, i);
  else gru_new_state(s, u, i);
  if (is_last) emit(s, u, i);
}

static float *floats_at(const session *in, size_t offset) {
  return (float *)(void *)((char *)in->run->scratch + offset);
}

static size_t strand_offset(const wnn_recurrence *plan, size_t index) {
  return plan->scratch.strands + index * plan->scratch.strand_bytes;
}

static strand strand_of(const session *in, size_t index) {
  const wnn_recurrence *plan = in->plan;
  const wnn_recurrent_scratch *places = &plan->scratch;
  const size_t at = strand_offset(plan, index), direction = index / plan->n_groups;
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

/* What the threads of a strand tell one another: first how many chunks are done, over all phases; then for each chunk
 * how many of its phases have been claimed. */
typedef struct counter {
  _Alignas(WNN_CACHE_LINE) atomic_size_t n;
} counter;

size_t wnn_recurrent_progress_bytes(size_t n_chunks) { return (1 + n_chunks) * sizeof(counter); }

static counter *progress_of(const session *in, size_t index) {
  size_t at = strand_offset(in->plan, index) + in->plan->scratch.progress;
  return (counter *)(void *)((char *)in->run->scratch + at);
}

/* The clock is read to pause between two looks. */
static void wait_until(const counter *done, size_t n) {
  while (atomic_load(&done->n) < n) (void)wnn_now_ns();
}

/* Goes through all phases, taking its own chunk first and whatever nobody else has taken then: threads that come late,
 * or never, are not waited for. */
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
  (void)n_parts;
  const size_t index = part % n_strands(in->plan);
  const strand s = strand_of(in, index);
  if (in->plan->n_chunks == 1) run_alone(&s);
  else share_strand(&s, progress_of(in, index), part / n_strands(in->plan));
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
  if (bytes != NULL) wnn_recurrent_flatten(plan, source, n, bytes, to);
  else memset(to, 0, n[0] * n[1] * n[2] * sizeof *to);
  return to;
}

webnn_status wnn_recurrent_run(const wnn_plan *base, const wnn_run *run) {
  const wnn_recurrence *plan = (const wnn_recurrence *)(const void *)base;
  session in = {.plan = plan, .run = run};
  open_packs(&in);
  open_input(&in);
  in.hidden = open_state(&in, WNN_RECURRENT_HIDDEN, plan->scratch.hidden);
  in.cell = open_state(&in, WNN_RECURRENT_CELL, plan->scratch.cell);
  const size_t strands = n_strands(plan);
  for (size_t i = 0; i < strands && plan->n_chunks > 1; i++)
    for (size_t k = 0; k <= plan->n_chunks; k++) atomic_init(&progress_of(&in, i)[k].n, 0);
  wnn_pool *pool = base->heavy ? wnn_device_host(base->device)->pool : NULL;
  wnn_parallel(pool, strands * plan->n_chunks, run_part, &in);
  return WEBNN_OK;
}
