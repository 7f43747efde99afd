/* For tests of the CPU kernels: regions with random operands in any layout, run by a kernel and by
 * the naive reference and compared. A kernel runs on each instruction set of this machine, with one
 * thread and with several, twice in the same memory, which isn't aligned beyond its elements and
 * whose ends are watched. */
#ifndef WEBNN_TESTS_KERNEL_SCENE_H
#define WEBNN_TESTS_KERNEL_SCENE_H

#include "harness.h"
#include "kernels/kernels.h"
#include "kernels/table.h"
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>

enum {
  SCENE_PORTS = 24,
  SCENE_OUTPUTS = 6,
  SCENE_POSTS = WNN_MAX_POSTS,
  SCENE_GUARD = 64,
  SCENE_PIECE = 4096
};

/* What random numbers look like. */
typedef enum scene_data {
  SCENE_TAME,  /* in [-2, 2]; integers small */
  SCENE_EDGES, /* now and then infinite, NaN, -0, a denormal; integers at the ends of their range */
  SCENE_BITS,  /* any bits at all */
} scene_data;

typedef struct scene_port {
  wnn_desc desc;
  wnn_layout layout;
  bool present;
  void *bytes; /* as it lies */
} scene_port;

typedef struct scene {
  wnn_node anchor, post_nodes[SCENE_POSTS];
  wnn_alpha_beta_attrs post_attrs[SCENE_POSTS];
  wnn_clamp_attrs post_bounds[SCENE_POSTS];
  scene_port inputs[SCENE_PORTS], outputs[SCENE_OUTPUTS];
  wnn_region region;
  wnn_port in_ports[SCENE_PORTS], out_ports[SCENE_OUTPUTS];
  double ulp;   /* of floats: how many last places … */
  double scale; /* … of the expected number, or of this if it is larger */
  bool signed_zero;
  bool may_refuse; /* a kernel may leave this one to the reference */
} scene;

/* ---- random things */

static uint64_t scene_state = 88172645463325252u;

static inline void scene_seed(uint64_t seed) {
  scene_state = seed * 0x9E3779B97F4A7C15u + 88172645463325252u;
}
static inline uint64_t scene_bits(void) {
  scene_state ^= scene_state << 13;
  scene_state ^= scene_state >> 7;
  scene_state ^= scene_state << 17;
  return scene_state;
}
/* Below n. */
static inline uint32_t scene_below(uint32_t n) { return (uint32_t)((scene_bits() >> 20) % n); }
static inline bool scene_chance(uint32_t one_in) { return scene_below(one_in) == 0; }
static inline float scene_float(void) {
  return (float)((double)(scene_bits() >> 11) / 9007199254740992.0 * 4 - 2);
}

static inline wnn_layout scene_random_layout(uint32_t rank) {
  wnn_layout layout = wnn_layout_plain(rank);
  for (uint32_t i = rank; i > 1; i--) {
    uint32_t k = scene_below(i);
    uint8_t axis = layout.order[i - 1];
    layout.order[i - 1] = layout.order[k];
    layout.order[k] = axis;
  }
  return layout;
}

static inline float scene_special(void) {
  static const float special[] = {NAN,    INFINITY, -INFINITY, -0.0f, 0.0f,
                                  1e-40f, -3e-42f,  1.0f,      -1.0f, 65504.0f};
  return special[scene_below(sizeof special / sizeof *special)];
}

static inline void scene_put(void *bytes, webnn_data_type type, size_t i, scene_data data) {
  uint64_t bits = scene_bits();
  float f = scene_float();
  if (data == SCENE_EDGES && scene_chance(6)) {
    static const uint64_t ends[] = {0,
                                    1,
                                    UINT64_MAX,
                                    (uint64_t)INT64_MAX,
                                    (uint64_t)INT64_MAX + 1,
                                    0x7FFFFFFF,
                                    0x80000000,
                                    0xFFFFFFFF,
                                    127,
                                    128,
                                    255,
                                    2};
    f = scene_special();
    bits = ends[scene_below(sizeof ends / sizeof *ends)];
  } else if (data != SCENE_BITS) {
    bits = type == WEBNN_DATA_TYPE_UINT8 || type == WEBNN_DATA_TYPE_UINT32 ||
                   type == WEBNN_DATA_TYPE_UINT64
               ? bits % 7
               : (uint64_t)((int64_t)(bits % 13) - 6);
  }
  if (type == WEBNN_DATA_TYPE_FLOAT32 && data == SCENE_BITS)
    wnn_ref_store_bits(bytes, WEBNN_DATA_TYPE_UINT32, i, bits);
  else if (type == WEBNN_DATA_TYPE_FLOAT16 && data == SCENE_BITS)
    ((uint16_t *)bytes)[i] = (uint16_t)bits;
  else if (wnn_type_is_float(type))
    wnn_ref_store_f(bytes, type, i, (double)f);
  else
    wnn_ref_store_bits(bytes, type, i, bits);
}

/* ---- building */

static inline void scene_begin(scene *s, wnn_op_id op, const void *attrs) {
  memset(s, 0, sizeof *s);
  s->anchor = (wnn_node){.op = wnn_op_get(op), .attrs = attrs};
  s->region.anchor = &s->anchor;
  s->region.inputs = s->in_ports;
  s->region.outputs = s->out_ports;
}

static inline wnn_desc scene_desc(webnn_data_type type, uint32_t rank, const uint32_t *dims) {
  wnn_desc desc = {.type = type, .rank = rank};
  if (rank != 0) memcpy(desc.dims, dims, rank * sizeof *dims);
  return desc;
}

/* Adds an operand of the anchor, later of posts; returns its port. */
static inline size_t scene_input(scene *s, wnn_desc desc, wnn_layout layout, scene_data data) {
  size_t p = s->region.n_inputs++, n = wnn_desc_count(&desc);
  s->inputs[p] = (scene_port){desc, layout, true, malloc(wnn_desc_bytes(&desc))};
  for (size_t i = 0; i < n; i++) scene_put(s->inputs[p].bytes, desc.type, i, data);
  s->in_ports[p] = (wnn_port){.desc = &s->inputs[p].desc, .layout = layout};
  return p;
}

static inline size_t scene_plain(scene *s, wnn_desc desc, scene_data data) {
  return scene_input(s, desc, wnn_layout_plain(desc.rank), data);
}

static inline void scene_absent(scene *s) { s->region.n_inputs++; }

static inline void scene_output(scene *s, wnn_desc desc, wnn_layout layout) {
  size_t p = s->region.n_outputs++;
  s->outputs[p] = (scene_port){desc, layout, true, NULL};
  s->out_ports[p] = (wnn_port){.desc = &s->outputs[p].desc, .layout = layout};
  s->anchor.n_outputs = s->region.n_outputs;
  if (p == 0) {
    s->anchor.n_inputs = s->region.n_inputs;
    s->region.anchor_desc = desc;
  }
}

/* Fuses a node of one or two operands whose result has type `to`; `other`: -1 none, -2 the result
 * itself, else a port. The region's output becomes the new result. */
static inline void scene_post(scene *s, wnn_op_id op, int other, bool swapped, webnn_data_type to) {
  size_t k = s->region.n_posts++;
  wnn_post *post = &s->region.posts[k];
  s->post_nodes[k] =
      (wnn_node){.op = wnn_op_get(op), .n_inputs = other == -1 ? 1 : 2, .n_outputs = 1};
  s->post_attrs[k] = (wnn_alpha_beta_attrs){wnn_number_f(0.5), wnn_number_f(0.25)};
  s->post_bounds[k] = (wnn_clamp_attrs){wnn_number_f(-1), wnn_number_f(1.5)};
  s->post_nodes[k].attrs =
      op == WNN_OP_CLAMP ? (const void *)&s->post_bounds[k] : &s->post_attrs[k];
  *post = (wnn_post){.node = &s->post_nodes[k], .desc = s->outputs[0].desc};
  post->desc.type = s->outputs[0].desc.type = to;
  int16_t stage = WNN_FROM_STAGE(k), second = other == -2 ? stage : (int16_t)other;
  if (other == -1) swapped = false;
  post->from[0] = swapped ? second : stage;
  post->from[1] = other == -1 ? WNN_FROM_NONE : swapped ? stage : second;
  post->from[2] = WNN_FROM_NONE;
}

static inline void scene_end(scene *s) {
  for (size_t p = 0; p < s->region.n_inputs; p++) free(s->inputs[p].bytes);
}

/* ---- running */

/* Memory with watched ends, `shift` bytes behind a cache line. */
typedef struct scene_memory {
  unsigned char *block, *bytes;
  size_t n_bytes;
} scene_memory;

static inline scene_memory scene_allocate(size_t n_bytes, size_t shift) {
  scene_memory m = {.n_bytes = n_bytes};
  m.block = malloc(n_bytes + 2 * SCENE_GUARD + WNN_CACHE_LINE + shift);
  size_t past = (size_t)((uintptr_t)m.block % WNN_CACHE_LINE);
  m.bytes = m.block + SCENE_GUARD + (WNN_CACHE_LINE - past) % WNN_CACHE_LINE + shift;
  memset(m.block, 0xA5, n_bytes + 2 * SCENE_GUARD + WNN_CACHE_LINE + shift);
  return m;
}

static inline bool scene_intact(const scene_memory *m) {
  for (size_t i = 0; i < SCENE_GUARD; i++)
    if (m->bytes[-1 - (ptrdiff_t)i] != 0xA5 || m->bytes[m->n_bytes + i] != 0xA5) return false;
  return true;
}

static struct {
  const wnn_host *host; /* first: this is a device */
} scene_device;

/* The expected results, plain. */
static inline void scene_expect(scene *s, void *expected[SCENE_OUTPUTS]) {
  wnn_port ports[SCENE_PORTS + SCENE_OUTPUTS];
  wnn_region region = s->region;
  void *inputs[SCENE_PORTS] = {0};
  wnn_host host = {0};
  wnn_plan *plan = NULL;
  scene_device.host = &host;
  memcpy(ports, s->in_ports, sizeof s->in_ports);
  for (size_t p = 0; p < region.n_inputs; p++) {
    inputs[p] = s->inputs[p].bytes;
    ports[p].layout = wnn_layout_plain(s->inputs[p].desc.rank);
  }
  memcpy(ports + SCENE_PORTS, s->out_ports, sizeof s->out_ports);
  for (size_t p = 0; p < region.n_outputs; p++) {
    ports[SCENE_PORTS + p].layout = wnn_layout_plain(s->outputs[p].desc.rank);
    expected[p] = malloc(wnn_desc_bytes(&s->outputs[p].desc));
  }
  region.inputs = ports;
  region.outputs = ports + SCENE_PORTS;
  CHECK_STATUS(wnn_reference_region.plan((wnn_device *)&scene_device, &region, &plan), WEBNN_OK);
  void *scratch = malloc(plan->scratch_bytes + 1);
  CHECK_STATUS(wnn_reference_region.run(plan, &(wnn_run){inputs, expected, scratch}), WEBNN_OK);
  free(scratch);
  wnn_reference_region.free(plan);
}

/* ---- comparing */

static inline double scene_load(const void *bytes, webnn_data_type type, size_t i) {
  return wnn_ref_load_f(bytes, type, i);
}

/* The distance between neighbours of the type near x. */
static inline double scene_last_place(double x, webnn_data_type type) {
  bool half = type == WEBNN_DATA_TYPE_FLOAT16;
  int e = half ? -14 : -126;
  x = fabs(x);
  if (x > 0 && isfinite(x) && ilogb(x) > e) e = ilogb(x);
  return ldexp(1.0, e - (half ? 10 : 23));
}

static inline bool scene_same(const scene *s, webnn_data_type type, const void *a, size_t i,
                              const void *b, size_t j) {
  if (!wnn_type_is_float(type))
    return wnn_ref_load_bits(a, type, i) == wnn_ref_load_bits(b, type, j);
  double x = scene_load(a, type, i), y = scene_load(b, type, j);
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (x == y) return !s->signed_zero || signbit(x) == signbit(y);
  double place = scene_last_place(fabs(y) > s->scale ? y : s->scale, type);
  if (isinf(x) != isinf(y)) { /* one place beyond the largest number */
    double largest = type == WEBNN_DATA_TYPE_FLOAT16 ? 65504.0 : 3.40282346638528859812e38,
           finite = isinf(x) ? y : x;
    return (x > 0) == (y > 0) && s->ulp > 0 &&
           largest - fabs(finite) <= s->ulp * scene_last_place(largest, type);
  }
  return fabs(x - y) <= s->ulp * place;
}

/* Element by element, the one as it lies, the other plain. */
static inline bool scene_compare(const scene *s, size_t output, const void *is,
                                 const void *expected) {
  const scene_port *port = &s->outputs[output];
  const wnn_desc *desc = &port->desc;
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0;
  do {
    size_t place = wnn_layout_offset(&port->layout, desc, at);
    if (!scene_same(s, desc->type, is, place, expected, i)) {
      CHECK(!"an element differs");
      if (wnn_type_is_float(desc->type))
        printf("    output %zu, element %zu of %s: %.9g, expected %.9g\n", output, i,
               wnn_desc_format(desc).text, scene_load(is, desc->type, place),
               scene_load(expected, desc->type, i));
      else
        printf("    output %zu, element %zu of %s: %lld, expected %lld\n", output, i,
               wnn_desc_format(desc).text, (long long)wnn_ref_load_bits(is, desc->type, place),
               (long long)wnn_ref_load_bits(expected, desc->type, i));
      return false;
    }
    i++;
  } while (wnn_ref_next(desc, at));
  return true;
}

/* ---- the whole of it */

/* Where the operands lie for a run. */
typedef struct scene_run {
  scene_memory inputs[SCENE_PORTS], outputs[SCENE_OUTPUTS], scratch;
  void *in[SCENE_PORTS], *out[SCENE_OUTPUTS];
} scene_run;

static inline void scene_lay_down(const scene *s, size_t p, void *to) {
  const scene_port *port = &s->inputs[p];
  uint32_t at[WNN_MAX_RANK] = {0};
  size_t i = 0;
  do {
    wnn_ref_copy(to, wnn_layout_offset(&port->layout, &port->desc, at), port->bytes, i++,
                 webnn_data_type_bytes(port->desc.type));
  } while (wnn_ref_next(&port->desc, at));
}

static inline void scene_open_run(scene_run *r, const scene *s, const wnn_plan *plan) {
  memset(r, 0, sizeof *r);
  for (size_t p = 0; p < s->region.n_inputs; p++) {
    if (!s->inputs[p].present) continue;
    size_t shift = webnn_data_type_bytes(s->inputs[p].desc.type) * scene_below(5);
    r->inputs[p] = scene_allocate(wnn_desc_bytes(&s->inputs[p].desc), shift);
    r->in[p] = r->inputs[p].bytes;
  }
  for (size_t p = 0; p < s->region.n_outputs; p++) {
    size_t shift = webnn_data_type_bytes(s->outputs[p].desc.type) * scene_below(5);
    r->outputs[p] = scene_allocate(wnn_desc_bytes(&s->outputs[p].desc), shift);
    r->out[p] = r->outputs[p].bytes;
  }
  r->scratch = scene_allocate(plan->scratch_bytes, 0);
}

static inline void scene_close_run(scene_run *r) {
  for (size_t p = 0; p < SCENE_PORTS; p++) free(r->inputs[p].block);
  for (size_t p = 0; p < SCENE_OUTPUTS; p++) free(r->outputs[p].block);
  free(r->scratch.block);
}

/* One run; `shared`: the input whose memory output 0 takes over, or -1. */
static inline void scene_run_once(scene *s, const wnn_plan *plan, scene_run *r, int shared,
                                  int filler) {
  memset(r->scratch.bytes, 0xFF,
         r->scratch.n_bytes); /* NaN: nothing may be read that wasn't written */
  for (size_t p = 0; p < s->region.n_outputs; p++)
    memset(r->outputs[p].bytes, filler, r->outputs[p].n_bytes);
  for (size_t p = 0; p < s->region.n_inputs; p++)
    if (s->inputs[p].present) scene_lay_down(s, p, r->in[p]);
  void *before = shared >= 0 ? r->in[shared] : NULL;
  if (shared >= 0) scene_lay_down(s, (size_t)shared, r->in[shared] = r->out[0]);
  CHECK_STATUS(plan->kernel->run(plan, &(wnn_run){r->in, r->out, r->scratch.bytes}), WEBNN_OK);
  if (shared >= 0) r->in[shared] = before;
  for (size_t p = 0; p < s->region.n_inputs; p++)
    if (s->inputs[p].present) CHECK(scene_intact(&r->inputs[p]));
  for (size_t p = 0; p < s->region.n_outputs; p++) CHECK(scene_intact(&r->outputs[p]));
  CHECK(scene_intact(&r->scratch));
}

/* True when all went well. */
static inline bool scene_check_plan(scene *s, wnn_plan *plan, void *const *expected) {
  scene_run r;
  bool ok = true;
  scene_open_run(&r, s, plan);
  for (int turn = 0; turn < 2 && ok; turn++) {
    scene_run_once(s, plan, &r, -1, turn == 0 ? 0xA5 : 0x3C);
    for (size_t p = 0; p < s->region.n_outputs && ok; p++)
      ok = scene_compare(s, p, r.out[p], expected[p]);
  }
  for (size_t p = 0; p < s->region.n_inputs && ok; p++) { /* operands stay as they are */
    if (!s->inputs[p].present) continue;
    unsigned char *again = malloc(r.inputs[p].n_bytes);
    scene_lay_down(s, p, again);
    ok = CHECK(memcmp(again, r.in[p], r.inputs[p].n_bytes) == 0);
    free(again);
  }
  if (plan->in_place >= 0 && ok) {
    CHECK(r.inputs[plan->in_place].n_bytes >= r.outputs[0].n_bytes);
    scene_run_once(s, plan, &r, plan->in_place, 0x77);
    ok = scene_compare(s, 0, r.out[0], expected[0]);
  }
  scene_close_run(&r);
  return ok;
}

/* Every instruction set here, one thread and several. Returns whether the kernel took the region.
 */
static inline bool scene_check(scene *s, const wnn_kernel *kernel) {
  static const struct {
    const char *switches;
    uint32_t n_threads;
  } ways[] = {{"-near", 2}, {"-near,-avx2", 1}, {NULL, 1}, {NULL, 3}, {"-avx512", 1}, {"-avx2", 2}};
  void *expected[SCENE_OUTPUTS];
  bool ok = true, planned = true;
  scene_expect(s, expected);
  const uint64_t state = scene_state;
  for (size_t i = 0; i < sizeof ways / sizeof *ways && ok && planned; i++) {
    wnn_host host = {.passes = ways[i].switches};
    if (i == 2) scene_state = state; /* those that write past the caches draw no numbers */
    host.pool = wnn_pool_create(&host.alloc, ways[i].n_threads);
    wnn_pool_cut(host.pool, SCENE_PIECE);
    scene_device.host = &host;
    wnn_plan *plan = NULL;
    webnn_status status = kernel->plan((wnn_device *)&scene_device, &s->region, &plan);
    planned = status == WEBNN_OK;
    if (!planned) ok = CHECK(status == WEBNN_ERROR_NOT_SUPPORTED && s->may_refuse);
    if (planned) {
      plan->kernel = kernel;
      ok = scene_check_plan(s, plan, expected);
      if (!ok)
        printf("    with %s, %u threads\n", ways[i].switches ? ways[i].switches : "all",
               ways[i].n_threads);
      kernel->free(plan);
    }
    wnn_pool_free(host.pool);
  }
  for (size_t p = 0; p < s->region.n_outputs; p++) free(expected[p]);
  return ok && planned;
}

#endif
