#include "kernels/tail.h"

#include <math.h>
#include <string.h>

#define PIECE ((size_t)2048) /* elements that pass from stage to stage in the nearest cache */

#define F32 WEBNN_DATA_TYPE_FLOAT32

/* ---- planning */

/* How many numbers of an operand repeat; false when it is neither one, nor one a channel, nor as the output. */
static bool repeats(const wnn_port *port, const wnn_port *out, uint32_t channel_axis, size_t *n) {
  const wnn_desc *desc = port->desc, *shape = out->desc;
  const size_t count = wnn_desc_count(desc);
  *n = 0;
  if (wnn_shape_equal(desc, shape)) {
    if (wnn_layout_same_bytes(&port->layout, &out->layout, shape)) return true;
    if (count != shape->dims[channel_axis]) return false;
  }
  *n = count;
  if (count == 1) return true;
  const uint32_t missing = shape->rank - desc->rank;
  return desc->rank <= shape->rank && channel_axis >= missing && desc->dims[channel_axis - missing] == count &&
         count == shape->dims[channel_axis];
}

static bool is_byte(webnn_data_type type) { return webnn_data_type_bytes(type) == 1; }

static bool add_operand(wnn_tail *tail, const wnn_region *region, size_t port, uint32_t channel_axis) {
  const webnn_data_type type = region->inputs[port].desc->type;
  wnn_tail_operand *operand = &tail->operands[tail->n_operands];
  if (tail->n_operands == WNN_MAX_TAIL_OPERANDS || (type != F32 && !is_byte(type))) return false;
  *operand = (wnn_tail_operand){.port = port, .element_bytes = webnn_data_type_bytes(type), .row = tail->n_rows};
  if (!repeats(&region->inputs[port], &region->outputs[0], channel_axis, &operand->n)) return false;
  if (operand->n != 0) tail->n_rows += tail->piece * tail->channels;
  tail->n_operands++;
  return true;
}

/* x · number and x + number are one function of two numbers, and so is the one behind the other: y = x · factor + term,
 * which rounds once. Adding -0 changes nothing. */
static bool as_linear(const wnn_region *region, const wnn_post *post, float *factor, float *term) {
  const wnn_op_id op = post->node->op->id;
  const bool first = WNN_IS_STAGE(post->from[0]);
  const int16_t other = post->from[first ? 1 : 0];
  *factor = 1.0f, *term = -0.0f;
  if (other < 0 || (op != WNN_OP_MUL && op != WNN_OP_ADD && (op != WNN_OP_SUB || !first))) return false;
  const wnn_port *port = &region->inputs[other];
  if (port->constant == NULL || port->desc->type != F32 || wnn_desc_count(port->desc) != 1) return false;
  const float number = *(const float *)port->constant;
  if (op == WNN_OP_MUL) *factor = number;
  else *term = op == WNN_OP_SUB ? -number : number;
  return true;
}

/* Behind a stage that multiplies by a number and adds nothing, the number that is added can be its own. */
static bool takes_term(const wnn_tail_stage *last, wnn_stage_fn linear, wnn_stage_fn hard_swish) {
  return (last->fn == linear || last->fn == hard_swish) && last->args.f[1] == 0.0f && signbit(last->args.f[1]);
}

static void add_linear(wnn_tail *tail, wnn_stage_fn linear, wnn_stage_fn hard_swish, float factor, float term) {
  wnn_tail_stage *last = tail->n_stages ? &tail->stages[tail->n_stages - 1] : NULL;
  if (last != NULL && factor == 1.0f && takes_term(last, linear, hard_swish)) {
    last->args.f[1] = term;
  } else if (last != NULL && last->fn == hard_swish && last->args.f[0] == 1.0f && takes_term(last, NULL, hard_swish)) {
    last->args.f[0] = factor;
  } else {
    tail->stages[tail->n_stages++] =
        (wnn_tail_stage){.fn = linear, .args.f = {factor, term}, .n_in = 1, .from = {WNN_TAIL_SO_FAR}, .op = WNN_OP_LINEAR};
  }
}

bool wnn_tail_can_keep(size_t channels) { return channels <= PIECE; }

typedef struct planning {
  wnn_tail *tail;
  const wnn_vector *vector;
  const wnn_conv_rows *rows;
  const wnn_region *region;
  uint32_t channel_axis;
  size_t first;
} planning;

/* True when a post that isn't the next one reads the result of stage `stage`. */
static bool is_kept(const wnn_region *region, size_t stage) {
  for (size_t i = stage + 1; i < region->n_posts; i++)
    for (size_t k = 0; k < region->posts[i].node->n_inputs && k < WNN_MAX_POST_INPUTS; k++)
      if (region->posts[i].from[k] == WNN_FROM_STAGE(stage)) return true;
  return false;
}

/* Rounding goes with the stage before, if nobody wants that one's result, or isn't needed. */
static bool rounds_already(const planning *p, size_t i) {
  wnn_tail_stage *last = p->tail->n_stages ? &p->tail->stages[p->tail->n_stages - 1] : NULL;
  if (last == NULL || is_kept(p->region, i)) return false;
  if (last->rounds) return true;
  const wnn_stage_fn rounded = p->rows->rounded(last->op);
  if (rounded == NULL || last->fn != p->vector->stage(last->op, F32, F32)) return false;
  last->fn = rounded;
  return last->rounds = true;
}

static bool is_half(double x) { return (double)wnn_f16_to_f32(wnn_f16_from_f64(x)) == x; }

/* Whether what the stage makes are numbers that float16 has. */
static bool keeps_halves(const wnn_tail *tail, const wnn_node *node) {
  if (node->op->id == WNN_OP_ROUND_HALF) return true;
  if (node->op->id != WNN_OP_CLAMP || tail->n_stages == 0 || !tail->stages[tail->n_stages - 1].rounds) return false;
  const wnn_clamp_attrs *attrs = node->attrs;
  return is_half(attrs->min_value.as.f) && is_half(attrs->max_value.as.f);
}

static bool add_stage(const planning *p, size_t i) {
  wnn_tail *tail = p->tail;
  const wnn_post *post = &p->region->posts[i];
  const wnn_op_id op = post->node->op->id;
  float factor, term;
  if (op == WNN_OP_ROUND_HALF && rounds_already(p, i)) return true;
  if (!is_kept(p->region, i) && as_linear(p->region, post, &factor, &term)) {
    add_linear(tail, p->vector->stage(WNN_OP_LINEAR, F32, F32), p->rows->hard_swish, factor, term);
    return true;
  }
  wnn_tail_stage *stage = &tail->stages[tail->n_stages];
  *stage = (wnn_tail_stage){.fn = p->vector->stage(op, F32, post->desc.type), .n_in = (uint8_t)post->node->n_inputs,
                             .op = op, .rounds = keeps_halves(tail, post->node)};
  if (stage->fn == NULL || stage->n_in > WNN_MAX_POST_INPUTS) return false;
  /* Bytes may come in as zero points and go out at the end: what passes between stages is float32. */
  const bool quantises = op == WNN_OP_QUANTIZE_LINEAR && is_byte(post->desc.type) && i + 1 == p->region->n_posts;
  if (post->desc.type != F32 && !quantises) return false;
  if (op == WNN_OP_SILU) stage->fn = p->rows->silu;
  if (op == WNN_OP_SILU_HALF) stage->fn = p->rows->silu_half;
  for (size_t k = 0; k < stage->n_in; k++) {
    const int16_t from = post->from[k];
    stage->from[k] = WNN_TAIL_SO_FAR;
    if (from == WNN_FROM_STAGE(i)) continue;
    if (WNN_IS_STAGE(from)) {
      stage->from[k] = WNN_TAIL_KEPT;
      if (WNN_STAGE_OF(from) < p->first || !wnn_tail_can_keep(tail->channels)) return false;
      continue;
    }
    if (from < 0 || (p->region->inputs[from].desc->type != F32 && !(quantises && k == 2))) return false;
    stage->from[k] = (int8_t)tail->n_operands;
    if (!add_operand(tail, p->region, (size_t)from, p->channel_axis)) return false;
  }
  wnn_set_stage_args(&stage->args, post->node);
  if (op == WNN_OP_HARD_SWISH) {
    stage->fn = p->rows->hard_swish;
    stage->args.f[0] = 1.0f, stage->args.f[1] = -0.0f;
  }
  tail->n_stages++;
  return true;
}

bool wnn_tail_plan(wnn_tail *tail, const wnn_host *host, const wnn_region *region, size_t first,
                   uint32_t channel_axis) {
  const size_t channels = region->anchor_desc.dims[channel_axis];
  const planning p = {tail, wnn_vector_for(host), wnn_conv_rows_for(host), region, channel_axis, first};
  *tail = (wnn_tail){.channels = channels, .piece = PIECE > channels ? PIECE / channels : 1};
  tail->out_bytes = webnn_data_type_bytes(region->outputs[0].desc->type);
  tail->keeps_first = is_kept(region, first);
  for (size_t i = first; i < region->n_posts; i++) {
    if (!add_stage(&p, i)) return false;
    tail->stages[tail->n_stages - 1].is_kept = is_kept(region, i + 1);
  }
  return true;
}

void wnn_tail_take_over(const wnn_tail *tail, const wnn_region *region, wnn_plan *plan) {
  if (tail->n_stages == 0 || tail->out_bytes != sizeof(float)) return;
  const wnn_tail_stage *last = &tail->stages[tail->n_stages - 1];
  for (size_t k = 0; k < last->n_in; k++) {
    if (last->from[k] < 0) continue;
    const wnn_tail_operand *operand = &tail->operands[last->from[k]];
    if (operand->n != 0 || operand->port == 0) continue;
    if (operand->element_bytes == tail->out_bytes && region->inputs[operand->port].dies)
      plan->in_place = (int)operand->port;
    return;
  }
}

/* ---- running */

void wnn_tail_begin(const wnn_tail *tail, const wnn_run *run, float *rows) {
  for (size_t i = 0; i < tail->n_operands; i++) {
    const wnn_tail_operand *operand = &tail->operands[i];
    const float *numbers = run->inputs[operand->port];
    float *row = rows + operand->row;
    const size_t n = operand->n != 0 ? tail->piece * tail->channels : 0, size = operand->element_bytes;
    if (operand->n == 1 && size == 1) memset(row, *(const uint8_t *)run->inputs[operand->port], n);
    for (size_t k = 0; k < n && operand->n == 1 && size != 1; k++) row[k] = *numbers;
    for (size_t k = 0; k < n && operand->n > 1; k += operand->n)
      memcpy((char *)row + k * size, numbers, operand->n * size);
  }
}

/* `n` numbers from number `at` of the output on, the first of which is of channel `channel`. */
static void run_piece(const wnn_tail *tail, const wnn_run *run, const float *rows, float *pixels, size_t at, size_t channel,
                      size_t n) {
  void *out = (char *)run->outputs[0] + at * tail->out_bytes;
  float kept[PIECE];
  if (tail->keeps_first) memcpy(kept, pixels, n * sizeof *kept);
  for (size_t s = 0; s < tail->n_stages; s++) {
    const wnn_tail_stage *stage = &tail->stages[s];
    const void *in[WNN_MAX_POST_INPUTS];
    for (size_t k = 0; k < stage->n_in; k++) {
      in[k] = stage->from[k] == WNN_TAIL_KEPT ? kept : pixels;
      if (stage->from[k] < 0) continue;
      const wnn_tail_operand *operand = &tail->operands[stage->from[k]];
      const char *repeated = (const char *)(rows + operand->row) + channel * operand->element_bytes;
      in[k] = operand->n != 0 ? repeated : (const char *)run->inputs[operand->port] + at * operand->element_bytes;
    }
    stage->fn(in, s + 1 == tail->n_stages ? out : (void *)pixels, n, &stage->args);
    if (stage->is_kept) memcpy(kept, pixels, n * sizeof *kept);
  }
  if (tail->n_stages == 0 && pixels != out) memcpy(out, pixels, n * sizeof *pixels);
}

void wnn_tail_run(const wnn_tail *tail, const wnn_run *run, const float *rows, float *pixels, size_t at, size_t n) {
  for (size_t k = 0; k < n; k += tail->piece) {
    size_t more = n - k < tail->piece ? n - k : tail->piece;
    run_piece(tail, run, rows, pixels + k * tail->channels, (at + k) * tail->channels, 0, more * tail->channels);
  }
}

void wnn_tail_run_columns(const wnn_tail *tail, const wnn_run *run, const float *rows, float *numbers, size_t at, size_t n,
                          const wnn_tail_columns *columns) {
  for (size_t k = 0; k < n; k++)
    run_piece(tail, run, rows, numbers + k * columns->stride, (at + k) * tail->channels + columns->first, columns->first,
              columns->n);
}
