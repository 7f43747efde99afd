/* What the device reaches: graphs of one product, or of one sum, timed step by step. */
#include "base/error.h"
#include "context/context.h"
#include <string.h>
#include <time.h>
#include <webnn/webnn.h>

#define LONG_RUN 0.1    /* seconds: larger products need not be tried */
#define MEASURED_FOR 0.06 /* seconds for each graph */
#define MIN_RUNS 5        /* … but so many: one alone may have lost its processor for a while */
#define SUM_ROWS 1024
#define SUM_COLUMNS 8192 /* 32 MiB an operand: beyond the caches of most machines */

/* One graph with its memory. */
typedef struct probe {
  webnn_context *context;
  webnn_graph *graph;
  void *memory; /* both operands, then the result */
  size_t n_bytes, operand_bytes, result_bytes;
} probe;

static void probe_free(probe *p) {
  webnn_graph_release(p->graph);
  wnn_alloc_free(wnn_context_alloc(p->context), p->memory, p->n_bytes);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static webnn_status add_product(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                                webnn_operand **out) {
  return webnn_matmul(builder, a, b, NULL, out);
}

/* The sum stays inside: pages of a new array would cost more. */
static webnn_status add_sum(webnn_builder *builder, const webnn_operand *a, const webnn_operand *b,
                            webnn_operand **out) {
  static const uint32_t starts[2] = {0, 0}, sizes[2] = {1, 1};
  webnn_operand *sum = NULL;
  webnn_status status = webnn_add(builder, a, b, NULL, &sum);
  return status == WEBNN_OK ? webnn_slice(builder, sum, starts, 2, sizes, 2, NULL, out) : status;
}

typedef webnn_status (*make_fn)(webnn_builder *, const webnn_operand *, const webnn_operand *, webnn_operand **);

static webnn_status build_probe(probe *p, make_fn make, const uint32_t shape[2], webnn_error *err) {
  const webnn_descriptor desc = {WEBNN_DATA_TYPE_FLOAT32, 2, shape};
  webnn_builder *builder = NULL;
  webnn_operand *a = NULL, *b = NULL, *y = NULL;
  webnn_status status = webnn_builder_create(p->context, &builder, err);
  if (status != WEBNN_OK) return status;
  status = webnn_builder_input(builder, WEBNN_STR("a"), &desc, &a);
  if (status == WEBNN_OK) status = webnn_builder_input(builder, WEBNN_STR("b"), &desc, &b);
  if (status == WEBNN_OK) status = make(builder, a, b, &y);
  if (status == WEBNN_OK)
    status = webnn_builder_build_sync(builder, &(webnn_named_operand){WEBNN_STR("y"), y}, 1, &p->graph);
  if (status != WEBNN_OK) *err = *webnn_builder_error(builder);
  webnn_builder_release(builder);
  return status;
}

static webnn_status give_memory(probe *p, webnn_error *err) {
  webnn_descriptor in, out;
  (void)webnn_graph_input(p->graph, 0, &in);
  (void)webnn_graph_output(p->graph, 0, &out);
  const size_t n = (size_t)in.shape[0] * in.shape[1];
  p->operand_bytes = n * sizeof(float);
  p->result_bytes = (size_t)out.shape[0] * out.shape[1] * sizeof(float);
  p->n_bytes = 2 * p->operand_bytes + p->result_bytes;
  p->memory = wnn_alloc_get(wnn_context_alloc(p->context), p->n_bytes);
  if (p->memory == NULL) return wnn_error_no_memory(err);
  float *numbers = p->memory;
  for (size_t i = 0; i < 2 * n; i++) numbers[i] = 1.0f;
  return WEBNN_OK;
}

#define MAX_STEPS 8

/* Runs until the time is up. The best rate of the step that has most of a field: flops, or bytes. */
static webnn_status fastest(probe *p, bool flops, double *rate, double *seconds, webnn_error *err) {
  const webnn_named_data inputs[2] = {{WEBNN_STR("a"), p->memory, p->operand_bytes},
                                      {WEBNN_STR("b"), (char *)p->memory + p->operand_bytes, p->operand_bytes}};
  const webnn_named_data output = {WEBNN_STR("y"), (char *)p->memory + 2 * p->operand_bytes, p->result_bytes};
  const size_t n_steps = webnn_graph_n_steps(p->graph);
  const double end = now() + MEASURED_FOR;
  webnn_status status = WEBNN_OK;
  if (n_steps > MAX_STEPS) return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "measure_peaks: too many steps");
  *seconds = 0;
  int n_runs = 0;
  do {
    double times[MAX_STEPS] = {0};
    status = webnn_graph_profile(p->context, p->graph, inputs, 2, &output, 1, times, n_steps, err);
    uint64_t most = 0;
    double took = 0;
    webnn_graph_step step = WEBNN_GRAPH_STEP_INIT;
    for (size_t i = 0; webnn_graph_get_step(p->graph, i, &step); i++) {
      uint64_t amount = flops ? step.n_flops : step.n_bytes;
      if (amount > most) most = amount, took = times[i];
    }
    if (took > 0 && (*seconds == 0 || took < *seconds)) *seconds = took, *rate = (double)most / took;
    n_runs++;
  } while (status == WEBNN_OK && (n_runs < MIN_RUNS || now() < end));
  return status;
}

static webnn_status measure_one(webnn_context *context, make_fn make, const uint32_t shape[2], bool flops,
                                double *rate, double *seconds, webnn_error *err) {
  probe p = {.context = context};
  webnn_status status = build_probe(&p, make, shape, err);
  if (status == WEBNN_OK) status = give_memory(&p, err);
  if (status == WEBNN_OK) status = fastest(&p, flops, rate, seconds, err);
  probe_free(&p);
  return status;
}

static webnn_status measure(webnn_context *context, double *flops, double *bytes, webnn_error *err) {
  static const uint32_t sides[] = {128, 256, 512, 1024}, sum[2] = {SUM_ROWS, SUM_COLUMNS};
  double seconds = 0, rate = 0;
  webnn_status status = WEBNN_OK;
  for (size_t i = 0; i < sizeof sides / sizeof *sides && status == WEBNN_OK && seconds < LONG_RUN; i++) {
    status = measure_one(context, add_product, (const uint32_t[2]){sides[i], sides[i]}, true, &rate, &seconds, err);
    if (rate > *flops) *flops = rate;
  }
  if (status == WEBNN_OK) status = measure_one(context, add_sum, sum, false, bytes, &seconds, err);
  return status;
}

static webnn_status peaks_of(webnn_context *context, double *flops, double *bytes, webnn_error *err) {
  wnn_context_lock(context);
  *flops = context->peak_flops;
  *bytes = context->peak_bytes;
  wnn_context_unlock(context);
  if (*flops != 0) return WEBNN_OK;
  webnn_status status = measure(context, flops, bytes, err);
  if (status != WEBNN_OK) return status;
  wnn_context_lock(context); /* two may have measured: the last stays */
  context->peak_flops = *flops;
  context->peak_bytes = *bytes;
  wnn_context_unlock(context);
  return WEBNN_OK;
}

webnn_status webnn_context_measure_peaks(webnn_context *context, webnn_peaks *out, webnn_error *err) {
  webnn_error own;
  webnn_peaks peaks = WEBNN_PEAKS_INIT;
  err = wnn_error_or(err, &own);
  webnn_status status;
  if (webnn_context_is_lost(context))
    status = wnn_context_end(context, wnn_context_fail_lost(context, "measure_peaks", err), err);
  else
    status = peaks_of(context, &peaks.flops, &peaks.bytes, err); /* what fails in it reports itself */
  peaks.struct_size = out->struct_size;
  memcpy(out, &peaks, peaks.struct_size < sizeof peaks ? peaks.struct_size : sizeof peaks);
  return status;
}
