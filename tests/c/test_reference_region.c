/* The reference's region kernel: layouts, chains of nodes, and what a plan keeps. */
#include "../../backends/reference/reference.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>

/* The device as wnn_device_host sees it. */
typedef struct device {
  const wnn_host *host;
} device;

static wnn_node node_of(wnn_op_id op, const void *attrs, size_t n_inputs) {
  return (wnn_node){.op = wnn_op_get(op), .attrs = attrs, .n_inputs = n_inputs, .n_outputs = 1};
}

static wnn_port port_in(const wnn_desc *desc, wnn_layout layout) {
  return (wnn_port){.desc = desc, .layout = layout};
}

/* Plans and runs a region of one output in scratch of exactly the size it asked for. */
static void run_region(const wnn_region *region, void *const *inputs, void *output, bool *heavy) {
  wnn_host host = {0};
  device dev = {&host};
  wnn_plan *plan = NULL;
  if (!REQUIRE(wnn_reference_region.plan((wnn_device *)(void *)&dev, region, &plan) == WEBNN_OK))
    return;
  void *scratch = wnn_alloc_get(&host.alloc, plan->scratch_bytes);
  memset(scratch, 0xA5, plan->scratch_bytes ? plan->scratch_bytes : 1);
  void *outputs[] = {output};
  wnn_run run = {inputs, outputs, scratch};
  CHECK_STATUS(wnn_reference_region.run(plan, &run), WEBNN_OK);
  CHECK_STATUS(wnn_reference_region.run(plan, &run), WEBNN_OK); /* and again: nothing is used up */
  if (heavy != NULL) *heavy = plan->heavy;
  wnn_alloc_free(&host.alloc, scratch, plan->scratch_bytes);
  wnn_reference_region.free(plan);
}

TEST(reorder_pads_blocks_with_zeros) {
  wnn_desc desc = {WEBNN_DATA_TYPE_FLOAT32, 4, {1, 3, 1, 2}};
  float plain[6] = {1, 2, 3, 4, 5, 6}, blocked[8], back[6];
  const float expected[8] = {1, 3, 5, 0, 2, 4, 6, 0};
  memset(blocked, 0xFF, sizeof blocked);
  wnn_node node = node_of(WNN_OP_REORDER, NULL, 1);
  wnn_port from = port_in(&desc, wnn_layout_plain(4)), to = port_in(&desc, wnn_layout_blocked(4));
  wnn_region region = {.anchor = &node,
                       .inputs = &from,
                       .n_inputs = 1,
                       .outputs = &to,
                       .n_outputs = 1,
                       .anchor_desc = desc};
  bool heavy = true;
  run_region(&region, (void *[]){plain}, blocked, &heavy);
  CHECK(memcmp(blocked, expected, sizeof blocked) == 0);
  CHECK(!heavy);
  region.inputs = &to;
  region.outputs = &from;
  run_region(&region, (void *[]){blocked}, back, NULL);
  CHECK(memcmp(back, plain, sizeof back) == 0);
}

/* softmax over channels (x blocked) + bias (plain, broadcast), then minus the first stage, channels
 * last. */
TEST(chains_read_ports_and_stages) {
  wnn_desc desc = {WEBNN_DATA_TYPE_FLOAT32, 4, {1, 3, 1, 2}},
           bias_desc = {WEBNN_DATA_TYPE_FLOAT32, 3, {3, 1, 1}};
  float x[8] = {7, 7, -INFINITY, 99, -INFINITY, 0, -INFINITY, 99}, bias[3] = {10, 20, 30}, y[6];
  const float expected[6] = {10, 20, 30, 10, 20, 30};
  wnn_axis_attrs attrs = {1};
  wnn_node softmax = node_of(WNN_OP_SOFTMAX, &attrs, 1), add = node_of(WNN_OP_ADD, NULL, 2),
           sub = node_of(WNN_OP_SUB, NULL, 2);
  wnn_port inputs[2] = {port_in(&desc, wnn_layout_blocked(4)),
                        port_in(&bias_desc, wnn_layout_plain(3))};
  wnn_port output = port_in(&desc, wnn_layout_channels_last());
  wnn_region region = {.anchor = &softmax,
                       .inputs = inputs,
                       .n_inputs = 2,
                       .outputs = &output,
                       .n_outputs = 1,
                       .anchor_desc = desc,
                       .n_posts = 2};
  region.posts[0] = (wnn_post){&add, {WNN_FROM_STAGE(0), 1, WNN_FROM_NONE}, desc};
  region.posts[1] = (wnn_post){&sub, {WNN_FROM_STAGE(1), WNN_FROM_STAGE(0), WNN_FROM_NONE}, desc};
  run_region(&region, (void *[]){x, bias}, y, NULL);
  CHECK(memcmp(y, expected, sizeof y) == 0);
}

/* 2048 + 1 ties down to 2048, + 1 again; in one go it would be 2050. */
TEST(chains_round_float16_at_every_operand) {
  wnn_desc desc = {WEBNN_DATA_TYPE_FLOAT16, 1, {1}};
  uint16_t x = wnn_f16_from_f32(2048), one = wnn_f16_from_f32(1), y = 0;
  wnn_node add = node_of(WNN_OP_ADD, NULL, 2);
  wnn_port inputs[2] = {port_in(&desc, wnn_layout_plain(1)), port_in(&desc, wnn_layout_plain(1))};
  wnn_region region = {.anchor = &add,
                       .inputs = inputs,
                       .n_inputs = 2,
                       .outputs = inputs,
                       .n_outputs = 1,
                       .anchor_desc = desc,
                       .n_posts = 1};
  region.posts[0] = (wnn_post){&add, {1, WNN_FROM_STAGE(0), WNN_FROM_NONE}, desc};
  run_region(&region, (void *[]){&x, &one}, &y, NULL);
  CHECK(wnn_f16_to_f32(y) == 2048);
}

/* The graph, its lists and nodes are gone when the region runs. */
TEST(plans_outlive_the_graph) {
  wnn_host host = {0};
  device dev = {&host};
  wnn_desc desc = {WEBNN_DATA_TYPE_FLOAT32, 2, {2, 2}}, reduced = {WEBNN_DATA_TYPE_FLOAT32, 1, {2}};
  uint32_t axes[1] = {0};
  wnn_reduce_attrs attrs = {{axes, 1, true}, false};
  wnn_node node = node_of(WNN_OP_REDUCE_SUM, &attrs, 1);
  wnn_port input = port_in(&desc, wnn_layout_plain(2)),
           output = port_in(&reduced, wnn_layout_plain(1));
  wnn_region region = {.anchor = &node,
                       .inputs = &input,
                       .n_inputs = 1,
                       .outputs = &output,
                       .n_outputs = 1,
                       .anchor_desc = reduced};
  wnn_plan *plan = NULL;
  if (!REQUIRE(wnn_reference_region.plan((wnn_device *)(void *)&dev, &region, &plan) == WEBNN_OK))
    return;
  axes[0] = 1;
  memset(&attrs, 0xFF, sizeof attrs);
  memset(&node, 0xFF, sizeof node);
  memset(&desc, 0xFF, sizeof desc);
  memset(&region, 0xFF, sizeof region);
  float x[4] = {1, 2, 3, 4}, y[2] = {0, 0};
  void *scratch = wnn_alloc_get(&host.alloc, plan->scratch_bytes);
  CHECK_STATUS(wnn_reference_region.run(plan, &(wnn_run){(void *[]){x}, (void *[]){y}, scratch}),
               WEBNN_OK);
  CHECK(y[0] == 4 && y[1] == 6);
  wnn_alloc_free(&host.alloc, scratch, plan->scratch_bytes);
  wnn_reference_region.free(plan);
}

/* Plans `op` on `n` operands of this shape and says whether that is heavy. */
static bool is_heavy(wnn_op_id op, size_t n, const wnn_desc *desc) {
  static float data[64 * 64], result[64 * 64];
  wnn_node node = node_of(op, NULL, n);
  wnn_port ports[2] = {port_in(desc, wnn_layout_plain(2)), port_in(desc, wnn_layout_plain(2))};
  wnn_region region = {.anchor = &node,
                       .inputs = ports,
                       .n_inputs = n,
                       .outputs = ports,
                       .n_outputs = 1,
                       .anchor_desc = *desc};
  bool heavy = false;
  run_region(&region, (void *[]){data, data}, result, &heavy);
  return heavy;
}

TEST(large_work_is_heavy) {
  wnn_desc small = {WEBNN_DATA_TYPE_FLOAT32, 2, {16, 16}};
  wnn_desc middle = {WEBNN_DATA_TYPE_FLOAT32, 2, {32, 32}};
  wnn_desc large = {WEBNN_DATA_TYPE_FLOAT32, 2, {64, 64}};
  CHECK(!is_heavy(WNN_OP_NEG, 1, &middle));
  CHECK(is_heavy(WNN_OP_NEG, 1, &large));
  CHECK(!is_heavy(WNN_OP_MATMUL, 2, &small));
  CHECK(is_heavy(WNN_OP_MATMUL, 2, &middle));
}

/* An allocator that refuses after some calls and counts what is out. */
typedef struct meter {
  size_t calls_left;
  ptrdiff_t blocks;
} meter;

static void *metered(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  meter *m = ud;
  (void)old_size;
  if (new_size == 0) {
    free(ptr);
    m->blocks--;
    return NULL;
  }
  if (m->calls_left == 0) return NULL;
  m->calls_left--;
  m->blocks++;
  return aligned_alloc(alignment, (new_size + alignment - 1) / alignment * alignment);
}

TEST(running_out_of_memory_leaks_nothing) {
  wnn_desc desc = {WEBNN_DATA_TYPE_FLOAT32, 2, {2, 2}};
  uint32_t axes[1] = {0};
  wnn_reduce_attrs attrs = {{axes, 1, true}, false};
  wnn_node node = node_of(WNN_OP_REDUCE_SUM, &attrs, 1);
  wnn_port port = port_in(&desc, wnn_layout_plain(2));
  wnn_region region = {.anchor = &node,
                       .inputs = &port,
                       .n_inputs = 1,
                       .outputs = &port,
                       .n_outputs = 1,
                       .anchor_desc = desc};
  bool was_refused = false, was_planned = false;
  for (size_t n = 0; n < 8; n++) {
    meter m = {n, 0};
    wnn_host host = {.alloc = {metered, &m}};
    device dev = {&host};
    wnn_plan *plan = NULL;
    webnn_status status = wnn_reference_region.plan((wnn_device *)(void *)&dev, &region, &plan);
    CHECK(status == (plan != NULL ? WEBNN_OK : WEBNN_ERROR_UNKNOWN));
    CHECK(plan != NULL || !was_planned);
    was_planned = plan != NULL;
    was_refused = was_refused || plan == NULL;
    if (plan != NULL) wnn_reference_region.free(plan);
    CHECK(m.blocks == 0);
  }
  CHECK(was_refused && was_planned);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(reorder_pads_blocks_with_zeros),
                                       RUN(chains_read_ports_and_stages),
                                       RUN(chains_round_float16_at_every_operand),
                                       RUN(plans_outlive_the_graph),
                                       RUN(large_work_is_heavy),
                                       RUN(running_out_of_memory_leaks_nothing),
                                       {NULL, NULL}});
}
