/* What all calls have in common: owners of operands, memory that ends. */
#include "call_rows.h"

/* One good call of every operation of the families that move, slide and recur, with all operands.
 */
static const struct {
  const char *op;
  call_row row;
} good_calls[] = {
    {"conv2d", {"input=f32[1,3,5,5] filter=f32[2,3,3,3] bias=f32[2]", "f32[1,2,3,3]", NULL}},
    {"conv_transpose2d",
     {"input=f32[1,1,3,3] filter=f32[1,2,3,3] bias=f32[2]", "f32[1,2,5,5]", NULL}},
    {"average_pool2d", {"input=f32[1,1,2,2]", "f32[1,1,1,1]", NULL}},
    {"l2_pool2d", {"input=f32[1,1,2,2]", "f32[1,1,1,1]", NULL}},
    {"max_pool2d", {"input=f32[1,1,2,2]", "f32[1,1,1,1]", NULL}},
    {"concat", {"inputs=f32[1];f32[1] axis=0", "f32[2]", NULL}},
    {"expand", {"input=f32[1] new_shape=2", "f32[2]", NULL}},
    {"pad", {"input=f32[1] beginning_padding=1 ending_padding=0", "f32[2]", NULL}},
    {"reshape", {"input=f32[2] new_shape=1,2", "f32[1,2]", NULL}},
    {"reverse", {"input=f32[2]", "f32[2]", NULL}},
    {"slice", {"input=f32[2] starts=1 sizes=1", "f32[1]", NULL}},
    {"split", {"input=f32[2] splits==2", "f32[1] f32[1]", NULL}},
    {"squeeze", {"input=f32[1]", "f32[]", NULL}},
    {"tile", {"input=f32[2] repetitions=2", "f32[4]", NULL}},
    {"transpose", {"input=f32[2,3]", "f32[3,2]", NULL}},
    {"triangular", {"input=f32[2,2]", "f32[2,2]", NULL}},
    {"gather", {"input=f32[2] indices=i32[2]", "f32[2]", NULL}},
    {"gather_elements", {"input=f32[2] indices=i32[2]", "f32[2]", NULL}},
    {"gather_nd", {"input=f32[2] indices=i32[2,1]", "f32[2]", NULL}},
    {"scatter_elements", {"input=f32[2] indices=i32[2] updates=f32[2]", "f32[2]", NULL}},
    {"scatter_nd", {"input=f32[2] indices=i32[2,1] updates=f32[2]", "f32[2]", NULL}},
    {"resample2d", {"input=f32[1,1,2,2] scales=1,2", "f32[1,1,2,4]", NULL}},
    {"gru",
     {"input=f32[2,3,5] weight=f32[1,12,5] recurrent_weight=f32[1,12,4] steps=2 hidden_size=4 "
      "bias=f32[1,12] recurrent_bias=f32[1,12] initial_hidden_state=f32[1,3,4]",
      "f32[1,3,4]", NULL}},
    {"gru_cell",
     {"input=f32[3,5] weight=f32[12,5] recurrent_weight=f32[12,4] hidden_state=f32[3,4] "
      "hidden_size=4 bias=f32[12] recurrent_bias=f32[12]",
      "f32[3,4]", NULL}},
    {"lstm",
     {"input=f32[2,3,5] weight=f32[1,16,5] recurrent_weight=f32[1,16,4] steps=2 hidden_size=4 "
      "bias=f32[1,16] recurrent_bias=f32[1,16] peephole_weight=f32[1,12] "
      "initial_hidden_state=f32[1,3,4] initial_cell_state=f32[1,3,4]",
      "f32[1,3,4] f32[1,3,4]", NULL}},
    {"lstm_cell",
     {"input=f32[3,5] weight=f32[16,5] recurrent_weight=f32[16,4] hidden_state=f32[3,4] "
      "cell_state=f32[3,4] hidden_size=4 bias=f32[16] recurrent_bias=f32[16] "
      "peephole_weight=f32[12]",
      "f32[3,4] f32[3,4]", NULL}},
};
#define N_GOOD_CALLS (sizeof good_calls / sizeof good_calls[0])

TEST(good_calls_work) {
  for (size_t i = 0; i < N_GOOD_CALLS; i++) check_row(good_calls[i].op, &good_calls[i].row);
}

/* Every operand, optional ones too, is refused when it belongs to another builder. */
TEST(refuses_operands_of_others) {
  for (size_t i = 0; i < N_GOOD_CALLS; i++) {
    const char *text = good_calls[i].row.call;
    for (const char *end = text; (end = strchr(end, ']')) != NULL; end++) {
      char changed[512];
      snprintf(changed, sizeof changed, "%.*s@%s", (int)(end + 1 - text), text, end + 1);
      check_row(good_calls[i].op, &(call_row){changed, NULL, "belongs to another builder"});
    }
  }
}

/* One block of memory, no second one. */
static void *one_block(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  bool *taken = ud;
  (void)old_size;
  if (new_size == 0) free(ptr);
  if (new_size == 0 || *taken) return NULL;
  *taken = true;
  return aligned_alloc(alignment, (new_size + alignment - 1) / alignment * alignment);
}

/* Binds in an arena whose only block has about `room` bytes left. */
static webnn_status bind_within(const char *op_name, const char *text, size_t room) {
  bool taken = false;
  wnn_alloc hooks = {one_block, &taken};
  wnn_arena arena;
  wnn_bound bound;
  webnn_error err = {.status = WEBNN_OK};
  wnn_arena_init(&arena, &hooks);
  CHECK(wnn_arena_get(&arena, 16 * 1024 - 64 - room) !=
        NULL); /* a block of 16 KiB, but its header */
  webnn_status status = bind_call(webnn_op_find(op_name), text, &arena, &bound, &err);
  wnn_arena_reset(&arena);
  return status;
}

TEST(reports_lack_of_memory) {
  for (size_t i = 0; i < N_GOOD_CALLS; i++) {
    webnn_status status = WEBNN_ERROR_UNKNOWN;
    size_t room = 0;
    CONTEXT("%s", good_calls[i].op);
    for (; room < 8192 && status == WEBNN_ERROR_UNKNOWN; room += 16)
      status = bind_within(good_calls[i].op, good_calls[i].row.call, room);
    CHECK_STATUS(status, WEBNN_OK);
    CHECK(room > 16); /* it did fail before */
  }
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(good_calls_work),
                                       RUN(refuses_operands_of_others),
                                       RUN(reports_lack_of_memory),
                                       {NULL, NULL}});
}
