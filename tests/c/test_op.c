/* The operation table and the binding of calls: rows, fields, limits, checks in their order,
 * messages, memory. */
#include "op_rows.h"

#include <math.h>

TEST(table_lists_public_rows) {
  size_t n = 0, n_extensions = 0;
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL; n++) {
    CONTEXT("%s", op->name);
    CHECK(!op->internal);
    CHECK(webnn_op_find(op->name) == op && webnn_op_find(op->spec_name) == op);
    CHECK(webnn_op_extension(op) == op->extension);
    n_extensions += op->extension;
  }
  CHECK(n - n_extensions == 95);
  CHECK(n_extensions == 1);
  CHECK(webnn_op_next(NULL) == wnn_op_get(WNN_OP_ARG_MIN));
  CHECK(webnn_op_find("silu") == NULL && webnn_op_find("reorder") == NULL);
  CHECK(webnn_op_find("") == NULL && webnn_op_find(NULL) == NULL);
  for (size_t i = 0; i < WNN_N_OPS; i++) CHECK(wnn_ops[i].id == (wnn_op_id)i);
}

static void check_default_text(const wnn_field *field) {
  const char *text = field->pub.default_text;
  double number = field->default_number.as.f;
  if (strcmp(text, "None") == 0)
    CHECK(field->default_number.kind == WEBNN_NUMBER_ABSENT);
  else
    switch (field->pub.kind) {
      case WEBNN_FIELD_UINT:
      case WEBNN_FIELD_INT:
      case WEBNN_FIELD_NUMBER: CHECK(strtod(text, NULL) == number); break;
      case WEBNN_FIELD_BOOL: CHECK_STR(text, number != 0 ? "True" : "False"); break;
      case WEBNN_FIELD_ENUM:
        CHECK(strncmp(text + 1, field->pub.enum_values[(size_t)number], strlen(text) - 2) == 0);
        break;
      case WEBNN_FIELD_DATA_TYPE:
        CHECK(type_named(text + 1, strlen(text) - 2) == (webnn_data_type)number);
        break;
      case WEBNN_FIELD_LABEL: CHECK_STR(text, "''"); break;
      default: CHECK(!"a kind that can have a default");
    }
}

TEST(fields_are_well_formed) {
  for (const webnn_op *op = NULL; (op = webnn_op_next(op)) != NULL;) {
    const wnn_signature *signature = op->signature;
    size_t n_operands = 0;
    CHECK(signature->n_fields <= WEBNN_MAX_FIELDS && signature->n_outputs > 0);
    CHECK(webnn_op_field(op, signature->n_fields) == NULL);
    CHECK(webnn_op_output(op, signature->n_outputs) == NULL);
    for (size_t i = 0; i < signature->n_fields; i++) {
      const wnn_field *field = &signature->fields[i];
      bool is_operand =
          field->pub.kind == WEBNN_FIELD_OPERAND || field->pub.kind == WEBNN_FIELD_OPERANDS;
      CONTEXT("%s: %s", op->name, field->pub.name);
      CHECK((field->pub.kind == WEBNN_FIELD_LABEL) == (i + 1u == signature->n_fields));
      CHECK(field->pub.required == (field->pub.default_text == NULL));
      CHECK(i == 0 || !field->pub.required || signature->fields[i - 1].pub.required);
      CHECK(field->pub.doc != NULL && strlen(field->pub.doc) > 5);
      CHECK((field->pub.enum_values != NULL) ==
            (field->pub.kind == WEBNN_FIELD_ENUM || field->pub.kind == WEBNN_FIELD_ENUMS));
      CHECK(is_operand || field->pub.kind == WEBNN_FIELD_LABEL ||
            field->offset < signature->attrs_bytes);
      if (!field->pub.required) check_default_text(field);
      if (is_operand && field->same_type_as != WNN_NO_FIELD) CHECK(field->same_type_as < i);
      n_operands += is_operand;
    }
    CHECK(n_operands == signature->n_operands);
  }
}

TEST(limits_come_from_row_or_field) {
  webnn_tensor_limits limits = WEBNN_TENSOR_LIMITS_INIT;
  const webnn_op *where = wnn_op_get(WNN_OP_WHERE), *relu = wnn_op_get(WNN_OP_RELU);
  webnn_op_get_limits(where, webnn_op_field(where, 0), &limits);
  CHECK(limits.allowed_types == WNN_TYPE_BIT(UINT8) && limits.max_rank == 8 &&
        limits.required_max_rank == 5);
  webnn_op_get_limits(where, webnn_op_field(where, 1), &limits);
  CHECK(limits.allowed_types == 0xFF && limits.required_types == 7);
  webnn_op_get_limits(relu, webnn_op_output(relu, 0), &limits);
  CHECK(limits.allowed_types == wnn_types_SIGNED_F.allowed);
  webnn_op_get_limits(relu, webnn_op_field(relu, 1), &limits);
  CHECK(limits.allowed_types == 0 && limits.max_rank == 0 && limits.struct_size == sizeof limits);
  limits = (webnn_tensor_limits){offsetof(webnn_tensor_limits, min_rank), 0, 0, 99, 99, 99, 99};
  webnn_op_get_limits(relu, webnn_op_field(relu, 0), &limits);
  CHECK(limits.allowed_types != 0 && limits.min_rank == 99 && limits.max_rank == 99);
}

TEST(bind_checks_values) {
  const row rows[] = {
      {WNN_OP_ADD, {X("a", "float32[2]")}, NULL, "add: b is missing"},
      {WNN_OP_ADD, {{"a", {WEBNN_FIELD_OPERAND, 0, {.operand = NULL}}}}, NULL, "add: a is missing"},
      {WNN_OP_ADD, {U("a", 1), X("b", "float32[]")}, NULL, "add: a is no operand"},
      {WNN_OP_ADD,
       {FOREIGN("a", "float32[2]"), X("b", "int32[2]")},
       NULL,
       "add: a belongs to another builder"},
      {WNN_OP_GEMM,
       {X("a", "float32[2,2]"), X("b", "float32[2,2]"), FOREIGN("c", "float32[]")},
       NULL,
       "gemm: c belongs to another builder"},
      {WNN_OP_SOFTMAX, {X("input", "float32[2]")}, NULL, "softmax: axis is missing"},
      {WNN_OP_SOFTMAX,
       {X("input", "float32[2]"), B("axis", true)},
       NULL,
       "softmax: axis is a boolean, expected an unsigned number"},
      {WNN_OP_ELU,
       {X("input", "float32[2]"), N("alpha", NAN)},
       NULL,
       "elu: alpha is NaN, no finite number"},
      {WNN_OP_LINEAR,
       {X("input", "float16[2]"), N("alpha", 1e300), N("beta", INFINITY)},
       NULL,
       "linear: beta is Infinity, no finite number"},
      {WNN_OP_LAYER_NORMALIZATION,
       {X("input", "float32[2]"), N("epsilon", -INFINITY)},
       NULL,
       "layer_normalization: epsilon is -Infinity, no finite number"},
      {WNN_OP_CAST,
       {X("input", "float32[2]"), TYPE("data_type", 8)},
       NULL,
       "cast: dataType has no value number 8"},
      {WNN_OP_INSTANCE_NORMALIZATION,
       {X("input", "float32[1,2,3,4]"), E("layout", 2)},
       NULL,
       "instance_normalization: layout has no value number 2"},
      {WNN_OP_RESAMPLE2D,
       {X("input", "float32[1,2,3,4]"), FS("scales", 2, FLOATS(1, INFINITY))},
       NULL,
       "resample2d: scales[1] is no finite float"},
      {WNN_OP_RESAMPLE2D,
       {X("input", "float32[1,2,3,4]"), FS("scales", 2, FLOATS(1, 1e300))},
       NULL,
       "resample2d: scales[1] is no finite float"},
      {WNN_OP_REDUCE_SUM,
       {X("input", "float32[2]"), US("axes", 1, NULL)},
       NULL,
       "reduce_sum: axes is no list of 1 items"},
      {WNN_OP_REDUCE_SUM,
       {X("input", "float32[2]"), US("axes", ((size_t)1 << 24) + 1, LIST(0))},
       NULL,
       "reduce_sum: axes is no list of 16777217 items"},
      {WNN_OP_ELU,
       {X("input", "float32[2]"),
        {"alpha", {WEBNN_FIELD_NUMBER, 0, {.number = {(webnn_number_kind)4, {.f = 1}}}}}},
       NULL,
       "elu: alpha has no value number 4"},
      {WNN_OP_CONCAT, {U("axis", 0)}, NULL, "concat: inputs is missing"},
  };
  CHECK_ROWS(rows);
}

TEST(bind_checks_types_and_ranks) {
  const row rows[] = {
      {WNN_OP_ADD,
       {X("a", "float32[2,3]"), X("b", "int32[2,3]")},
       NULL,
       "add: a is float32[2,3], b is int32[2,3]: types differ"},
      {WNN_OP_ABS,
       {X("input", "uint8[2]")},
       NULL,
       "abs: input is uint8[2], expected float32, float16, int32, int64, int8"},
      {WNN_OP_LOGICAL_NOT, {X("a", "int8[]")}, NULL, "logical_not: a is int8[], expected uint8"},
      {WNN_OP_IS_NAN,
       {X("a", "int32[2]")},
       NULL,
       "is_nan: a is int32[2], expected float32, float16"},
      {WNN_OP_CONV2D,
       {X("input", "float32[1,2,3,4]"), X("filter", "float32[1,2,3]")},
       NULL,
       "conv2d: filter has rank 3, expected 4"},
      {WNN_OP_MATMUL,
       {X("a", "float32[3]"), X("b", "float32[3,3]")},
       NULL,
       "matmul: a has rank 1, expected at least 2"},
      {WNN_OP_GEMM,
       {X("a", "float32[2,2]"), X("b", "float32[2,2]"), X("c", "float32[1,2,2]")},
       NULL,
       "gemm: c has rank 3, expected at most 2"},
      {WNN_OP_CUMULATIVE_SUM,
       {X("input", "int8[2]"), U("axis", 0)},
       NULL,
       "cumulative_sum: input is int8[2], expected float32, float16, int32, uint32, int64, uint64"},
      {WNN_OP_ARG_MIN,
       {X("input", "int8[]"), U("axis", 0)},
       NULL,
       "arg_min: input has rank 0, expected at least 1"},
  };
  CHECK_ROWS(rows);
}

TEST(messages_begin_with_the_label) {
  char label[400], expected[512];
  const row rows[] = {
      {WNN_OP_ADD, {LABEL("stem"), X("a", "float32[2]")}, NULL, "[stem] add: b is missing"},
      {WNN_OP_ADD,
       {LABEL("\xc3\xa9\n\x01"), X("a", "float32[2]")},
       NULL,
       "[\xc3\xa9\\u000a\\u0001] add: b is missing"},
      {WNN_OP_ADD,
       {LABEL("stem"), X("a", "float32[65536,1]"), X("b", "float32[1,65536]")},
       NULL,
       "[stem] add: output: more than 2147483647 elements"},
  };
  CHECK_ROWS(rows);
  memset(label, 'x', sizeof label - 1);
  label[sizeof label - 1] = '\0';
  bind(WNN_OP_ADD, (argument[MAX_ARGS]){LABEL(label), X("a", "float32[2]")});
  CHECK(strstr(bound.err.message, "xxx...] add: b is missing") != NULL);
  label[200] = '\0';
  snprintf(expected, sizeof expected, "[%s] add: b is missing", label);
  bind(WNN_OP_ADD, (argument[MAX_ARGS]){LABEL(label), X("a", "float32[2]")});
  CHECK_STR(bound.err.message, expected);
}

TEST(bind_refuses_too_many_values) {
  webnn_value values[WEBNN_MAX_FIELDS] = {{0}};
  const webnn_op *op = wnn_op_get(WNN_OP_RELU);
  values[0] = X("input", "float32[2]").value;
  wnn_arena_reset(&bound.arena);
  CHECK_STATUS(wnn_bind(op, values, 3, NULL, desc_of, &bound.arena, &bound.operands,
                        &bound.n_operands, &bound.node, &bound.err),
               WEBNN_ERROR_TYPE);
  CHECK_STR(bound.err.message, "relu: 3 values given, expected at most 2");
  CHECK_STATUS(wnn_bind(op, values, 1, NULL, desc_of, &bound.arena, &bound.operands,
                        &bound.n_operands, &bound.node, NULL),
               WEBNN_OK);
  wnn_arena_reset(&bound.arena);
}

TEST(outputs_stay_within_the_limits) {
  const row rows[] = {
      {WNN_OP_MUL,
       {X("a", "int64[32768,1]"), X("b", "int64[1,32768]")},
       NULL,
       "mul: output: 8589934592 bytes, the limit is 4294967295"},
      {WNN_OP_MUL, {X("a", "int8[32768,1]"), X("b", "int8[1,32768]")}, "int8[32768,32768]", NULL},
      {WNN_OP_MATMUL,
       {X("a", "float32[65536,1]"), X("b", "float32[1,65536]")},
       NULL,
       "matmul: output: more than 2147483647 elements"},
      {WNN_OP_WHERE,
       {X("condition", "uint8[65536,1,1]"), X("true_value", "int8[65536,1]"),
        X("false_value", "int8[1]")},
       NULL,
       "where: output: more than 2147483647 elements"},
      {WNN_OP_CAST,
       {X("input", "int8[1073741824]"), TYPE("data_type", WEBNN_DATA_TYPE_FLOAT32)},
       NULL,
       "cast: output: 4294967296 bytes, the limit is 4294967295"},
  };
  CHECK_ROWS(rows);
}

TEST(lists_are_copied) {
  uint32_t axes[] = {1, 0};
  argument args[MAX_ARGS] = {X("input", "float32[2,3]"), US("axes", 2, axes), LABEL("sum")};
  CHECK_STATUS(bind(WNN_OP_REDUCE_SUM, args), WEBNN_OK);
  axes[0] = 9;
  const wnn_reduce_attrs *attrs = bound.node.attrs;
  CHECK(attrs->axes.given && attrs->axes.data[0] == 1 && attrs->axes.data[1] == 0);
  CHECK(bound.node.label.size == 3 && memcmp(bound.node.label.data, "sum", 3) == 0);
  CHECK(bound.node.label.data != args[2].value.as.str.data);
  wnn_arena_reset(&bound.arena);
}

static webnn_status bind_concat(const webnn_operand *const *list, size_t n) {
  argument args[MAX_ARGS] = {{"inputs", {WEBNN_FIELD_OPERANDS, n, {.operands = list}}},
                             U("axis", 0)};
  return bind(WNN_OP_CONCAT, args);
}

TEST(operand_lists_are_bound) {
  const webnn_operand *list[] = {operand("int8[2,3]"), operand("int8[4,3]"), operand("int8[1,3]")};
  struct webnn_operand *other = operand("int8[1,3]");
  other->foreign = true;
  CHECK_STATUS(bind_concat(list, 3), WEBNN_OK);
  CHECK_STR(bound.text, "int8[7,3]");
  CHECK(bound.n_operands == 3 && bound.operands != list && bound.operands[2] == list[2]);
  list[1] = other;
  CHECK_STATUS(bind_concat(list, 3), WEBNN_ERROR_TYPE);
  CHECK_STR(bound.text, "concat: inputs[1] belongs to another builder");
  list[1] = NULL;
  CHECK_STATUS(bind_concat(list, 3), WEBNN_ERROR_TYPE);
  CHECK_STR(bound.text, "concat: inputs[1] is missing");
  list[1] = operand("int8[]");
  CHECK_STATUS(bind_concat(list, 3), WEBNN_ERROR_TYPE);
  CHECK_STR(bound.text, "concat: inputs[1] has rank 0, expected at least 1");
  CHECK_STATUS(bind_concat(list, 0), WEBNN_ERROR_TYPE);
  CHECK_STATUS(bind_concat(NULL, 1), WEBNN_ERROR_TYPE);
  CHECK_STATUS(bind_concat(list, SIZE_MAX), WEBNN_ERROR_TYPE);
  wnn_arena_reset(&bound.arena);
}

/* Fails from the n-th allocation on. */
static void *failing(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  size_t *left = ud;
  (void)old_size;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  if (*left == 0) return NULL;
  --*left;
  return aligned_alloc(alignment, (new_size + alignment - 1) / alignment * alignment);
}

TEST(out_of_memory_is_reported) {
  static uint32_t long_list[5000]; /* longer than one chunk of the arena */
  webnn_value values[] = {X("input", "float32[2]").value, US("repetitions", 5000, long_list).value};
  webnn_status status = WEBNN_ERROR_UNKNOWN;
  size_t n = 0;
  for (; status == WEBNN_ERROR_UNKNOWN && n < 10; n++) {
    size_t left = n;
    wnn_alloc alloc = {failing, &left};
    wnn_arena arena;
    CONTEXT("%zu allocations", n);
    wnn_arena_init(&arena, &alloc);
    bound.err.status = WEBNN_OK;
    status = wnn_bind(wnn_op_get(WNN_OP_TILE), values, 2, NULL, desc_of, &arena, &bound.operands,
                      &bound.n_operands, &bound.node, &bound.err);
    CHECK(bound.err.status == status);
    wnn_arena_reset(&arena);
  }
  CHECK_STATUS(status, WEBNN_ERROR_TYPE); /* the list is too long for the rank */
  CHECK(n > 2);
}

int main(int argc, char **argv) {
  static const harness_test tests[] = {
      RUN(table_lists_public_rows),
      RUN(fields_are_well_formed),
      RUN(limits_come_from_row_or_field),
      RUN(bind_checks_values),
      RUN(bind_checks_types_and_ranks),
      RUN(messages_begin_with_the_label),
      RUN(bind_refuses_too_many_values),
      RUN(outputs_stay_within_the_limits),
      RUN(lists_are_copied),
      RUN(operand_lists_are_bound),
      RUN(out_of_memory_is_reported),
      {NULL, NULL},
  };
  return rows_main(argc, argv, tests);
}
