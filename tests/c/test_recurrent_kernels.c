/* The fast kernel of gru, gruCell, lstm and lstmCell against the naive reference: all options on
 * small sizes, all sizes on some options, layouts, and every number of threads with the same bits.
 */
#include "harness.h"
#include "lower/region.h"

#include <math.h>
#include <stdlib.h>

extern const wnn_kernel wnn_reference_region, wnn_recurrent_kernel;

/* The device as wnn_device_host sees it. */
typedef struct device {
  const wnn_host *host;
} device;

enum { MAX_INPUTS = 8, MAX_OUTPUTS = 3, MAX_POOLS = 4 };
enum { GRU, GRU_CELL, LSTM, LSTM_CELL, N_KINDS };
static const char *const kind_names[] = {"gru", "gruCell", "lstm", "lstmCell"};
static const wnn_op_id kind_ops[] = {WNN_OP_GRU, WNN_OP_GRU_CELL, WNN_OP_LSTM, WNN_OP_LSTM_CELL};
static bool is_cell(int kind) { return kind == GRU_CELL || kind == LSTM_CELL; }
static bool is_lstm(int kind) { return kind == LSTM || kind == LSTM_CELL; }

#define F32 WEBNN_DATA_TYPE_FLOAT32
#define F16 WEBNN_DATA_TYPE_FLOAT16
#define RELU WEBNN_RECURRENT_NETWORK_ACTIVATION_RELU
#define SIGMOID WEBNN_RECURRENT_NETWORK_ACTIVATION_SIGMOID
#define TANH WEBNN_RECURRENT_NETWORK_ACTIVATION_TANH

typedef struct row {
  int kind;
  uint32_t n_steps, n_batches, n_in, n_hidden;
  webnn_recurrent_network_direction direction;
  int layout;
  bool bias, recurrent_bias, peephole, hidden, cell; /* which optional operands are there */
  bool sequence, reset_after;
  uint32_t activations[3];
  webnn_data_type type;
  bool variable;           /* weights and biases aren't constants */
  const char *input_order; /* axes of the input in memory, or NULL: row-major */
  bool reversed;           /* all other operands that aren't constants lie back to front */
} row;

/* A node with the bytes of its operands. */
typedef struct scene {
  const row *row;
  wnn_gru_attrs gru;
  wnn_lstm_attrs lstm;
  wnn_node anchor;
  wnn_region region;
  wnn_desc inputs_desc[MAX_INPUTS], outputs_desc[MAX_OUTPUTS];
  wnn_port inputs[MAX_INPUTS], outputs[MAX_OUTPUTS];
  void *bytes[MAX_INPUTS];
} scene;

static uint32_t seed;

/* In [-1, 1]. */
static float number(void) {
  seed = seed * 1664525u + 1013904223u;
  return ((float)(seed >> 16) / 65536.0f - 0.5f) * 2.0f;
}

static wnn_desc desc_of(webnn_data_type type, uint32_t rank, const uint32_t *dims) {
  wnn_desc desc = {.type = type, .rank = rank};
  for (uint32_t i = 0; i < rank; i++) desc.dims[i] = dims[i];
  return desc;
}

static wnn_layout reversed(uint32_t rank) {
  wnn_layout layout = wnn_layout_plain(rank);
  for (uint32_t i = 0; i < rank; i++) layout.order[i] = (uint8_t)(rank - 1 - i);
  return layout;
}

/* Adds an operand with random numbers below `scale`; rank 0: absent. */
static void add_input(scene *is, wnn_desc desc, wnn_layout layout, float scale, bool constant) {
  const size_t i = is->region.n_inputs++;
  if (desc.rank == 0) return;
  const size_t n = wnn_desc_count(&desc);
  is->inputs_desc[i] = desc;
  is->bytes[i] = malloc(n * webnn_data_type_bytes(desc.type));
  for (size_t k = 0; k < n; k++) {
    float x = number() * scale;
    if (desc.type == F16)
      ((uint16_t *)is->bytes[i])[k] = wnn_f16_from_f32(x);
    else
      ((float *)is->bytes[i])[k] = x;
  }
  is->inputs[i] = (wnn_port){
      .desc = &is->inputs_desc[i], .layout = layout, .constant = constant ? is->bytes[i] : NULL};
}

/* One of [directions], a, b numbers; b 0: of a numbers. Cells have no directions. */
static void add_operand(scene *is, bool there, uint32_t a, uint32_t b, float scale, bool constant) {
  const row *r = is->row;
  const uint32_t dims[] = {r->direction == WEBNN_RECURRENT_NETWORK_DIRECTION_BOTH ? 2 : 1, a, b};
  const uint32_t skip = is_cell(r->kind) ? 1 : 0, rank = there ? (b != 0 ? 3 : 2) - skip : 0;
  add_input(is, desc_of(r->type, rank, dims + skip),
            r->reversed && !constant ? reversed(rank) : wnn_layout_plain(rank), scale, constant);
}

static void add_sequence(scene *is) {
  const row *r = is->row;
  const uint32_t dims[] = {r->n_steps, r->n_batches, r->n_in};
  wnn_desc desc = is_cell(r->kind) ? desc_of(r->type, 2, dims + 1) : desc_of(r->type, 3, dims);
  wnn_layout layout = r->reversed ? reversed(desc.rank) : wnn_layout_plain(desc.rank);
  for (uint32_t i = 0; r->input_order != NULL && i < desc.rank; i++)
    layout.order[i] = (uint8_t)(r->input_order[i] - '0');
  add_input(is, desc, layout, 1.0f, false);
}

/* In the order of the node's operands. Weights are so small that gates don't saturate. */
static void add_inputs(scene *is) {
  const row *r = is->row;
  const uint32_t gates = is_lstm(r->kind) ? 4 : 3;
  const float scale = 1.5f / sqrtf((float)(r->n_hidden > r->n_in ? r->n_hidden : r->n_in));
  add_sequence(is);
  add_operand(is, true, gates * r->n_hidden, r->n_in, scale, !r->variable);
  add_operand(is, true, gates * r->n_hidden, r->n_hidden, scale, !r->variable);
  if (is_cell(r->kind)) add_operand(is, true, r->n_batches, r->n_hidden, 1.0f, false);
  if (r->kind == LSTM_CELL) add_operand(is, true, r->n_batches, r->n_hidden, 1.0f, false);
  add_operand(is, r->bias, gates * r->n_hidden, 0, 0.5f, !r->variable);
  add_operand(is, r->recurrent_bias, gates * r->n_hidden, 0, 0.5f, true);
  if (is_lstm(r->kind)) add_operand(is, r->peephole, 3 * r->n_hidden, 0, 0.5f, !r->variable);
  if (!is_cell(r->kind)) add_operand(is, r->hidden, r->n_batches, r->n_hidden, 1.0f, false);
  if (r->kind == LSTM) add_operand(is, r->cell, r->n_batches, r->n_hidden, 1.0f, false);
}

static void add_outputs(scene *is) {
  const row *r = is->row;
  const uint32_t directions = r->direction == WEBNN_RECURRENT_NETWORK_DIRECTION_BOTH ? 2 : 1;
  const uint32_t dims[] = {r->n_steps, directions, r->n_batches, r->n_hidden};
  const size_t n_states = is_lstm(r->kind) ? 2 : 1,
               n = n_states + (r->sequence && !is_cell(r->kind));
  for (size_t i = 0; i < n; i++) {
    is->outputs_desc[i] = i == n_states      ? desc_of(r->type, 4, dims)
                          : is_cell(r->kind) ? desc_of(r->type, 2, dims + 2)
                                             : desc_of(r->type, 3, dims + 1);
    is->outputs[i] = (wnn_port){.desc = &is->outputs_desc[i],
                                .layout = wnn_layout_plain(is->outputs_desc[i].rank)};
  }
  is->region.n_outputs = n;
}

static void set_attributes(scene *is) {
  const row *r = is->row;
  is->gru = (wnn_gru_attrs){.steps = r->n_steps,
                            .hidden_size = r->n_hidden,
                            .reset_after = r->reset_after,
                            .return_sequence = r->sequence,
                            .direction = r->direction,
                            .layout = (webnn_gru_weight_layout)r->layout,
                            .activations = {r->activations, 2, true}};
  is->lstm = (wnn_lstm_attrs){.steps = r->n_steps,
                              .hidden_size = r->n_hidden,
                              .return_sequence = r->sequence,
                              .direction = r->direction,
                              .layout = (webnn_lstm_weight_layout)r->layout,
                              .activations = {r->activations, 3, true}};
}

static void begin(scene *is, const row *r) {
  memset(is, 0, sizeof *is);
  is->row = r;
  seed = 12345 + r->n_hidden;
  set_attributes(is);
  is->region.inputs = is->inputs;
  is->region.outputs = is->outputs;
  add_inputs(is);
  add_outputs(is);
  is->anchor = (wnn_node){.op = wnn_op_get(kind_ops[r->kind]),
                          .attrs = is_lstm(r->kind) ? (const void *)&is->lstm : &is->gru,
                          .n_inputs = is->region.n_inputs,
                          .n_outputs = is->region.n_outputs};
  is->region.anchor = &is->anchor;
  is->region.anchor_desc = is->outputs_desc[0];
}

static void end(scene *is) {
  for (size_t i = 0; i < is->region.n_inputs; i++) free(is->bytes[i]);
}

typedef struct result {
  void *bytes[MAX_OUTPUTS];
} result;

static void free_result(result *r) {
  for (size_t i = 0; i < MAX_OUTPUTS; i++) free(r->bytes[i]);
}

static bool same_bits(const scene *is, const result *a, const result *b) {
  for (size_t i = 0; i < is->region.n_outputs; i++)
    if (memcmp(a->bytes[i], b->bytes[i], wnn_desc_bytes(is->outputs[i].desc)) != 0) return false;
  return true;
}

/* Plans, and runs twice in memory full of NaN. What the plan says it has packed isn't there at the
 * run. */
static bool run(const scene *is, const wnn_kernel *kernel, wnn_pool *pool, result *out) {
  const wnn_host host = {.pool = pool};
  device dev = {&host};
  wnn_plan *plan = NULL;
  if (!CHECK_STATUS(kernel->plan((wnn_device *)(void *)&dev, &is->region, &plan), WEBNN_OK))
    return false;
  void *scratch = wnn_alloc_get(&host.alloc, plan->scratch_bytes), *inputs[MAX_INPUTS] = {0};
  result first = {{0}};
  for (size_t i = 0; i < is->region.n_inputs; i++)
    inputs[i] = plan->packed >> i & 1 ? NULL : is->bytes[i];
  for (int k = 0; k < 2; k++) {
    result *to = k == 0 ? &first : out;
    for (size_t i = 0; i < is->region.n_outputs; i++) {
      to->bytes[i] = malloc(wnn_desc_bytes(is->outputs[i].desc));
      memset(to->bytes[i], 0xFF, wnn_desc_bytes(is->outputs[i].desc));
    }
    memset(scratch, 0xFF, plan->scratch_bytes);
    CHECK_STATUS(kernel->run(plan, &(wnn_run){inputs, to->bytes, scratch}), WEBNN_OK);
  }
  CHECK(same_bits(is, &first, out));
  free_result(&first);
  wnn_alloc_free(&host.alloc, scratch, plan->scratch_bytes);
  kernel->free(plan);
  return true;
}

static double load(const void *from, webnn_data_type type, size_t i) {
  return (double)(type == F16 ? wnn_f16_to_f32(((const uint16_t *)from)[i])
                              : ((const float *)from)[i]);
}

/* Sums are float32; float16 rounds once, at the end. */
static void compare(const scene *is, const result *out, const result *expected) {
  const webnn_data_type type = is->row->type;
  double worst = 0, worst_is = 0, worst_expected = 0;
  for (size_t i = 0; i < is->region.n_outputs; i++) {
    const size_t n = wnn_desc_count(is->outputs[i].desc);
    for (size_t k = 0; k < n; k++) {
      double a = load(out->bytes[i], type, k), b = load(expected->bytes[i], type, k);
      double error = fabs(a - b) / ((type == F16 ? 1.1e-3 : 4e-6) * (1 + fabs(b)));
      if (error <= worst) continue;
      worst = isnan(error) ? INFINITY : error;
      worst_is = a;
      worst_expected = b;
    }
  }
  if (!CHECK(worst <= 1)) printf("    is %.9g, expected %.9g\n", worst_is, worst_expected);
}

static wnn_pool *pools[MAX_POOLS]; /* of 1 .. MAX_POOLS threads */

static void check(const row *r, size_t n_pools) {
  scene is;
  result expected = {{0}}, first = {{0}};
  CONTEXT(
      "%s steps %u batches %u in %u hidden %u direction %d layout %d operands %d%d%d%d%d sequence "
      "%d after %d "
      "activations %u%u%u type %d variable %d order %s %d",
      kind_names[r->kind], r->n_steps, r->n_batches, r->n_in, r->n_hidden, (int)r->direction,
      r->layout, r->bias, r->recurrent_bias, r->peephole, r->hidden, r->cell, r->sequence,
      r->reset_after, r->activations[0], r->activations[1], r->activations[2], (int)r->type,
      r->variable, r->input_order ? r->input_order : "-", r->reversed);
  begin(&is, r);
  if (run(&is, &wnn_reference_region, NULL, &expected) &&
      run(&is, &wnn_recurrent_kernel, NULL, &first)) {
    compare(&is, &first, &expected);
    for (size_t i = 0; i < n_pools; i++) {
      result out = {{0}};
      if (run(&is, &wnn_recurrent_kernel, pools[i], &out)) CHECK(same_bits(&is, &out, &first));
      free_result(&out);
    }
  }
  free_result(&expected);
  free_result(&first);
  end(&is);
  CONTEXT("%s", "");
}

/* ---- tests */

static const row usual = {.direction = WEBNN_RECURRENT_NETWORK_DIRECTION_FORWARD,
                          .bias = true,
                          .recurrent_bias = true,
                          .hidden = true,
                          .cell = true,
                          .sequence = true,
                          .reset_after = true,
                          .type = F32,
                          .activations = {SIGMOID, TANH, TANH}};

/* One bit of `bits` an option; the activations are drawn by what is left. */
static row options_row(int kind, uint32_t bits, int direction) {
  static const uint32_t functions[] = {RELU, SIGMOID, TANH};
  row r = usual;
  r.kind = kind;
  r.n_steps = is_cell(kind) ? 1 : 3;
  r.n_batches = 2;
  r.n_in = 4;
  r.n_hidden = 3;
  r.direction = (webnn_recurrent_network_direction)direction;
  r.bias = bits & 1;
  r.recurrent_bias = bits >> 1 & 1;
  r.hidden = bits >> 2 & 1;
  r.cell = bits >> 3 & 1;
  r.sequence = bits >> 4 & 1;
  r.reset_after = r.peephole = bits >> 5 & 1;
  r.layout = (int)(bits >> 6 & 1);
  r.type = bits >> 7 & 1 ? F16 : F32;
  r.variable = bits >> 8 & 1;
  r.reversed = bits >> 9 & 1;
  if (bits % 3 == 0) return r;
  uint32_t draw = bits * 2654435761u >> 20;
  for (size_t i = 0; i < 3; i++, draw /= 3) r.activations[i] = functions[draw % 3];
  return r;
}

TEST(all_options) {
  for (int kind = 0; kind < N_KINDS; kind++)
    for (int direction = 0; direction < (is_cell(kind) ? 1 : 3); direction++)
      for (uint32_t bits = 0; bits < 1u << 10; bits++) {
        row r = options_row(kind, bits, direction);
        check(&r, 0);
      }
}

TEST(all_activations) {
  for (int kind = 0; kind < N_KINDS; kind++)
    for (uint32_t k = 0; k < 27; k++) {
      row r = usual;
      r.kind = kind;
      r.n_steps = is_cell(kind) ? 1 : 4;
      r.n_batches = 3;
      r.n_in = 5;
      r.n_hidden = 19;
      r.reset_after = r.peephole = k % 2;
      const uint32_t functions[] = {RELU, SIGMOID, TANH};
      for (uint32_t i = 0, left = k; i < 3; i++, left /= 3) r.activations[i] = functions[left % 3];
      check(&r, 0);
    }
}

static const uint32_t all_hidden[] = {1, 3, 8, 17, 128, 256}, all_batches[] = {1, 2, 5, 32},
                      all_steps[] = {1, 2, 7};

TEST(all_sizes) {
  for (int kind = 0; kind < N_KINDS; kind++)
    for (size_t h = 0; h < 6; h++)
      for (size_t b = 0; b < 4; b++)
        for (size_t t = 0; t < (is_cell(kind) ? 1 : 3); t++) {
          if (all_hidden[h] * all_batches[b] * all_steps[t] > 256 * 32)
            continue; /* the reference would take long */
          row r = usual;
          r.kind = kind;
          r.n_steps = all_steps[t];
          r.n_batches = all_batches[b];
          r.n_hidden = all_hidden[h];
          r.n_in = all_hidden[h] / 2 + 1;
          r.direction = (webnn_recurrent_network_direction)(is_cell(kind) ? 0 : (h + b + t) % 3);
          r.reset_after = r.peephole = (h + b) % 2;
          r.type = (h + t) % 4 == 3 ? F16 : F32;
          check(&r, MAX_POOLS);
        }
}

/* Units shared by threads that meet behind each step, in one direction and in two, over several
 * stretches. */
TEST(threads_share_units) {
  for (int kind = GRU; kind <= LSTM; kind += LSTM - GRU)
    for (int k = 0; k < 8; k++) {
      row r = usual;
      r.kind = kind;
      r.n_steps = 130;
      r.n_batches = k % 2 ? 2 : 1;
      r.n_in = 40;
      r.n_hidden = k & 2 ? 100 : 64;
      r.direction = (webnn_recurrent_network_direction)(k % 3);
      r.reset_after = k & 4;
      r.sequence = k & 1;
      check(&r, MAX_POOLS);
    }
}

/* Batches shared by threads, in groups of unlike sizes. */
TEST(threads_share_batches) {
  for (int kind = GRU; kind <= LSTM; kind += LSTM - GRU)
    for (int k = 0; k < 6; k++) {
      row r = usual;
      r.kind = kind;
      r.n_steps = 20;
      r.n_batches = k % 2 ? 17 : 9;
      r.n_in = 33;
      r.n_hidden = 48;
      r.direction = (webnn_recurrent_network_direction)(k % 3);
      r.reset_after = k & 4;
      r.sequence = k & 1;
      r.input_order = k % 2 ? "102" : NULL;
      check(&r, MAX_POOLS);
    }
}

/* More batches than go through time together, on any number of threads. */
TEST(many_batches) {
  for (int kind = 0; kind < N_KINDS; kind++)
    for (int k = 0; k < 3; k++) {
      row r = usual;
      r.kind = kind;
      r.n_steps = is_cell(kind) ? 1 : 3;
      r.n_batches = 205;
      r.n_in = 70;
      r.n_hidden = 30;
      r.direction = (webnn_recurrent_network_direction)(is_cell(kind) ? 0 : k);
      r.reset_after = k & 1;
      check(&r, MAX_POOLS);
    }
}

/* Where panels would hold little but padding, the next kernel is asked. */
TEST(refuses_waste) {
  row r = usual;
  scene is;
  wnn_plan *plan = NULL;
  r.kind = GRU;
  r.n_steps = r.n_batches = r.n_hidden = 1;
  r.n_in = 1 << 20;
  begin(&is, &r);
  const wnn_host host = {.pool = NULL};
  device dev = {&host};
  CHECK_STATUS(wnn_recurrent_kernel.plan((wnn_device *)(void *)&dev, &is.region, &plan),
               WEBNN_ERROR_NOT_SUPPORTED);
  CHECK(plan == NULL);
  end(&is);
}

TEST(input_in_any_order) {
  static const char *const orders[] = {"012", "021", "102", "120", "201", "210"};
  for (int kind = GRU; kind <= LSTM; kind += LSTM - GRU)
    for (size_t i = 0; i < 6; i++)
      for (int k = 0; k < 4; k++) {
        row r = usual;
        r.kind = kind;
        r.n_steps = 5;
        r.n_batches = k & 2 ? 1 : 3;
        r.n_in = 6;
        r.n_hidden = 7;
        r.type = k & 1 ? F16 : F32;
        r.direction = (webnn_recurrent_network_direction)(i % 3);
        r.input_order = orders[i];
        check(&r, 1);
      }
}

/* A whole sequence is left to the pool; one small step may run on the caller's thread. */
TEST(tells_heavy_from_light) {
  static const struct {
    uint32_t n_steps, n_hidden;
    bool heavy;
  } rows[] = {{1, 32, false}, {500, 128, true}};
  for (size_t i = 0; i < 2; i++) {
    row r = usual;
    scene is;
    wnn_plan *plan = NULL;
    r.kind = LSTM;
    r.n_steps = rows[i].n_steps;
    r.n_batches = 1;
    r.n_in = 16;
    r.n_hidden = rows[i].n_hidden;
    begin(&is, &r);
    const wnn_host host = {.pool = pools[1]};
    device dev = {&host};
    if (CHECK_STATUS(wnn_recurrent_kernel.plan((wnn_device *)(void *)&dev, &is.region, &plan),
                     WEBNN_OK)) {
      CHECK(plan->heavy == rows[i].heavy);
      CHECK(plan->weight_bytes >= 4 * rows[i].n_hidden * (16 + rows[i].n_hidden) * sizeof(float));
      wnn_recurrent_kernel.free(plan);
    }
    end(&is);
  }
}

int main(int argc, char **argv) {
  const wnn_alloc alloc = {0};
  for (uint32_t i = 0; i < MAX_POOLS; i++) pools[i] = wnn_pool_create(&alloc, i + 1);
  int status = harness_main(argc, argv,
                            (harness_test[]){RUN(all_options),
                                             RUN(all_activations),
                                             RUN(all_sizes),
                                             RUN(threads_share_units),
                                             RUN(threads_share_batches),
                                             RUN(many_batches),
                                             RUN(refuses_waste),
                                             RUN(input_in_any_order),
                                             RUN(tells_heavy_from_light),
                                             {NULL, NULL}});
  for (uint32_t i = 0; i < MAX_POOLS; i++) wnn_pool_free(pools[i]);
  return status;
}
