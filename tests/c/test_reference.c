/* The reference's functions against values from the formulas and IEEE 754, row by row of what the
 * documentation promises where the specification is silent. */
#include "../../backends/reference/reference.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>

/* One operand: floats or integers (unsigned 64-bit ones by their bits). Neither: absent. */
typedef struct tensor {
  webnn_data_type type;
  uint32_t rank;
  uint32_t dims[4];
  const double *floats;
  const int64_t *integers;
} tensor;

#define MAX_INPUTS 5
typedef struct row {
  const char *name;
  wnn_op_id op;
  const void *attrs;
  tensor in[MAX_INPUTS];
  tensor out;
} row;

/* clang-format off */
#define D(...) {__VA_ARGS__}
#define F(type_, rank_, dims_, ...) {WEBNN_DATA_TYPE_##type_, rank_, dims_, (double[]){__VA_ARGS__}, NULL}
#define I(type_, rank_, dims_, ...) {WEBNN_DATA_TYPE_##type_, rank_, dims_, NULL, (int64_t[]){__VA_ARGS__}}
#define NONE {0, 0, D(0), NULL, NULL}
#define NUM(x) {WEBNN_NUMBER_DOUBLE, {.f = (x)}}
#define INT(x) {WEBNN_NUMBER_INT64, {.i = (x)}}
#define UINT(x) {WEBNN_NUMBER_UINT64, {.u = (x)}}
#define LIST(n, ...) {(uint32_t[]){__VA_ARGS__}, n, true}
#define EMPTY_LIST {(uint32_t[]){0}, 0, true}
#define ATTRS(type, ...) &(const wnn_##type##_attrs){__VA_ARGS__}
#define IN(...) {__VA_ARGS__}
#define ROW(name_, op_, attrs_, in_, ...) {name_, WNN_OP_##op_, attrs_, in_, __VA_ARGS__}
/* clang-format on */

/* Vectors and scalars. */
#define F32(n, ...) F(FLOAT32, 1, D(n), __VA_ARGS__)
#define F16(n, ...) F(FLOAT16, 1, D(n), __VA_ARGS__)
#define I8(n, ...) I(INT8, 1, D(n), __VA_ARGS__)
#define U8(n, ...) I(UINT8, 1, D(n), __VA_ARGS__)
#define I32(n, ...) I(INT32, 1, D(n), __VA_ARGS__)
#define U32(n, ...) I(UINT32, 1, D(n), __VA_ARGS__)
#define I64(n, ...) I(INT64, 1, D(n), __VA_ARGS__)
#define U64(n, ...) I(UINT64, 1, D(n), __VA_ARGS__)
#define S32(x) F(FLOAT32, 0, D(0), x)

#define HUGE_F 3.4028234663852886e38 /* the largest float32 */

static size_t count_of(const tensor *t) {
  size_t n = 1;
  for (uint32_t i = 0; i < t->rank; i++) n *= t->dims[i];
  return n;
}

static bool is_present(const tensor *t) { return t->floats != NULL || t->integers != NULL; }

static wnn_desc desc_of(const tensor *t) {
  wnn_desc desc = {.type = t->type, .rank = t->rank};
  for (uint32_t i = 0; i < t->rank; i++) desc.dims[i] = t->dims[i];
  return desc;
}

/* The bytes, in memory of exactly their length, so that the address sanitizer sees a step too far.
 */
static void *bytes_of(const tensor *t) {
  size_t n = count_of(t);
  void *data = malloc(n * webnn_data_type_bytes(t->type));
  for (size_t i = 0; i < n; i++) {
    if (t->floats != NULL)
      wnn_ref_store_f(data, t->type, i, t->floats[i]);
    else
      wnn_ref_store_bits(data, t->type, i, (uint64_t)t->integers[i]);
  }
  return data;
}

/* Bit for bit, the sign of zero too; any NaN for a NaN. */
static void check_elements(const tensor *expected, const void *is) {
  void *wanted = bytes_of(expected);
  size_t n_bytes = webnn_data_type_bytes(expected->type);
  for (size_t i = 0; i < count_of(expected); i++) {
    bool same = memcmp((char *)wanted + i * n_bytes, (const char *)is + i * n_bytes, n_bytes) == 0;
    if (wnn_type_is_float(expected->type)) {
      double x = wnn_ref_load_f(is, expected->type, i),
             y = wnn_ref_load_f(wanted, expected->type, i);
      same = same || (x != x && y != y);
      if (!CHECK(same)) printf("    element %zu is %.9g, expected %.9g\n", i, x, y);
    } else if (!CHECK(same)) {
      printf("    element %zu is %lld, expected %lld\n", i,
             (long long)wnn_ref_signed(wnn_ref_load_bits(is, expected->type, i)),
             (long long)expected->integers[i]);
    }
  }
  free(wanted);
}

static void run_row(const row *r) {
  wnn_ref_input inputs[MAX_INPUTS] = {{0}};
  wnn_desc descs[MAX_INPUTS], out_desc = desc_of(&r->out);
  void *data[MAX_INPUTS] = {NULL};
  size_t n = 0;
  CONTEXT("%s: %s", wnn_op_get(r->op)->name, r->name);
  for (size_t i = 0; i < MAX_INPUTS; i++) {
    if (!is_present(&r->in[i])) continue;
    descs[i] = desc_of(&r->in[i]);
    data[i] = bytes_of(&r->in[i]);
    inputs[i] = (wnn_ref_input){&descs[i], data[i]};
    n = i + 1;
  }
  void *result = malloc(wnn_desc_bytes(&out_desc));
  wnn_ref_output output = {&out_desc, result};
  wnn_node_view view = {r->op, r->attrs, inputs, n, &output, 1, NULL};
  wnn_reference_fn fn = wnn_reference_lookup(r->op);
  if (REQUIRE(fn != NULL)) {
    CHECK_STATUS(fn(&view), WEBNN_OK);
    check_elements(&r->out, result);
  }
  for (size_t i = 0; i < MAX_INPUTS; i++) free(data[i]);
  free(result);
  CONTEXT("%s", "");
}

static void run_rows(const row *rows, size_t n) {
  for (size_t i = 0; i < n; i++) run_row(&rows[i]);
}
#define RUN_ROWS(rows) run_rows(rows, sizeof rows / sizeof rows[0])

static const row unary_rows[] = {
    ROW("keeps what is no number", ABS, NULL, IN(F32(3, -2, -INFINITY, NAN)),
        F32(3, 2, INFINITY, NAN)),
    ROW("zero loses its sign", ABS, NULL, IN(F32(1, -0.0)), F32(1, 0.0)),
    ROW("the smallest wraps", ABS, NULL, IN(I8(3, -128, -127, 5)), I8(3, -128, 127, 5)),
    ROW("the smallest wraps", ABS, NULL, IN(I64(2, INT64_MIN, -7)), I64(2, INT64_MIN, 7)),
    ROW("the smallest wraps", NEG, NULL, IN(I32(3, INT32_MIN, 5, 0)), I32(3, INT32_MIN, -5, 0)),
    ROW("flips zero", NEG, NULL, IN(F32(2, 0.0, 1)), F32(2, -0.0, -1)),
    ROW("64 bits are exact", NEG, NULL, IN(I64(1, 9007199254740993)), I64(1, -9007199254740993)),
    ROW("up", CEIL, NULL, IN(F32(4, 1.5, -1.5, -0.5, 3)), F32(4, 2, -1, -0.0, 3)),
    ROW("down", FLOOR, NULL, IN(F32(3, 1.5, -1.5, 3)), F32(3, 1, -2, 3)),
    ROW("halves to even", ROUND_EVEN, NULL, IN(F32(6, -3.5, -2.5, 0.5, 1.5, 2.5, 2.6)),
        F32(6, -4, -2, 0, 2, 2, 3)),
    ROW("NaN is 0, zero has no sign", SIGN, NULL, IN(F32(5, NAN, -0.0, 3, -INFINITY, 1e-45)),
        F32(5, 0, 0, 1, -1, 1)),
    ROW("integers", SIGN, NULL, IN(I64(3, INT64_MIN, 0, 9)), I64(3, -1, 0, 1)),
    ROW("by zero", RECIPROCAL, NULL, IN(F32(4, 0.0, -0.0, 4, -INFINITY)),
        F32(4, INFINITY, -INFINITY, 0.25, -0.0)),
    ROW("of a negative", SQRT, NULL, IN(F32(3, 9, -1, INFINITY)), F32(3, 3, NAN, INFINITY)),
    ROW("of zero and below", LOG, NULL, IN(F32(4, 1, 0, -1, 2)),
        F32(4, 0, -INFINITY, NAN, 0.6931471805599453)),
    ROW("ends", EXP, NULL, IN(F32(5, 0, 1, 89, -INFINITY, NAN)),
        F32(5, 1, 2.718281828459045, INFINITY, 0, NAN)),
    ROW("denormals are kept", NEG, NULL, IN(F32(1, 1e-45)), F32(1, -1e-45)),
    ROW("values", ERF, NULL, IN(F32(4, 0.5, -1.5, INFINITY, -0.0)),
        F32(4, 0.5204998778130465, -0.9661051464753108, 1, -0.0)),
    ROW("values", SIN, NULL, IN(F32(2, 1, INFINITY)), F32(2, 0.8414709848078965, NAN)),
    ROW("values", COS, NULL, IN(F32(2, 1, 0)), F32(2, 0.5403023058681398, 1)),
    ROW("values", TAN, NULL, IN(F32(1, 1)), F32(1, 1.5574077246549023)),
    ROW("float16 rounds once", SQRT, NULL, IN(F16(2, 2, 65504)),
        F16(2, 1.4142135623730951, 255.9374938964843)),
    ROW("copies bits", IDENTITY, NULL, IN(U64(1, -1)), U64(1, -1)),
    ROW("a scalar", NEG, NULL, IN(S32(2)), S32(-2)),
    ROW("sees NaN", IS_NAN, NULL, IN(F32(3, NAN, INFINITY, 0)), U8(3, 1, 0, 0)),
    ROW("sees both infinities", IS_INFINITE, NULL, IN(F16(4, NAN, INFINITY, -INFINITY, 65504)),
        U8(4, 0, 1, 1, 0)),
    ROW("any other byte is true", LOGICAL_NOT, NULL, IN(U8(4, 0, 1, 2, 255)), U8(4, 1, 0, 0, 0)),
};
TEST(unary) { RUN_ROWS(unary_rows); }

static const row binary_rows[] = {
    ROW("wraps", ADD, NULL, IN(I8(2, 127, -128), I8(2, 1, -1)), I8(2, -128, 127)),
    ROW("wraps", ADD, NULL, IN(U8(1, 255), U8(1, 3)), U8(1, 2)),
    ROW("wraps", ADD, NULL, IN(I32(1, INT32_MAX), I32(1, 1)), I32(1, INT32_MIN)),
    ROW("wraps", ADD, NULL, IN(I64(1, INT64_MAX), I64(1, 1)), I64(1, INT64_MIN)),
    ROW("wraps", SUB, NULL, IN(U32(1, 0), U32(1, 1)), U32(1, UINT32_MAX)),
    ROW("wraps", SUB, NULL, IN(U64(1, 0), U64(1, 1)), U64(1, -1)),
    ROW("wraps", MUL, NULL, IN(I32(2, 65536, -3), I32(2, 65536, 5)), I32(2, 0, -15)),
    ROW("wraps", MUL, NULL, IN(I64(1, INT64_MIN), I64(1, -1)), I64(1, INT64_MIN)),
    ROW("64 bits are exact", ADD, NULL, IN(I64(1, 9007199254740993), I64(1, 0)),
        I64(1, 9007199254740993)),
    ROW("denormals are kept", ADD, NULL, IN(F32(1, 1e-45), F32(1, 1e-45)), F32(1, 3e-45)),
    ROW("rounds to even", ADD, NULL, IN(F32(2, 16777216, 16777218), F32(2, 1, 1)),
        F32(2, 16777216, 16777220)),
    ROW("rounds float16 once", ADD, NULL, IN(F16(3, 2048, 2050, 65504), F16(3, 1, 1, 16)),
        F16(3, 2048, 2052, INFINITY)),
    ROW("broadcasts both ways", SUB, NULL, IN(F(FLOAT32, 2, D(2, 1), 10, 20), F32(3, 1, 2, 3)),
        F(FLOAT32, 2, D(2, 3), 9, 8, 7, 19, 18, 17)),
    ROW("broadcasts a scalar", MUL, NULL, IN(S32(2), F(FLOAT32, 2, D(2, 2), 1, 2, 3, 4)),
        F(FLOAT32, 2, D(2, 2), 2, 4, 6, 8)),
    ROW("towards zero, by zero, the smallest by -1", DIV, NULL,
        IN(I32(5, 7, -7, 5, -5, INT32_MIN), I32(5, -2, 2, 0, 0, -1)),
        I32(5, -3, -3, 0, 0, INT32_MIN)),
    ROW("8 bits", DIV, NULL, IN(I8(2, -128, -7), I8(2, -1, 2)), I8(2, -128, -3)),
    ROW("64 bits", DIV, NULL, IN(I64(2, INT64_MIN, INT64_MAX), I64(2, -1, 2)),
        I64(2, INT64_MIN, 4611686018427387903)),
    ROW("unsigned", DIV, NULL, IN(U64(2, -1, 7), U64(2, 2, 0)), U64(2, INT64_MAX, 0)),
    ROW("floats by zero", DIV, NULL, IN(F32(3, 1, -1, 0), F32(3, 0, 0, 0)),
        F32(3, INFINITY, -INFINITY, NAN)),
    ROW("NaN from either side", MAX, NULL, IN(F32(3, NAN, 1, 2), F32(3, 1, NAN, 3)),
        F32(3, NAN, NAN, 3)),
    ROW("NaN from either side", MIN, NULL, IN(F32(3, NAN, 1, 2), F32(3, 1, NAN, 3)),
        F32(3, NAN, NAN, 2)),
    ROW("signed", MAX, NULL, IN(I8(1, -1), I8(1, 1)), I8(1, 1)),
    ROW("unsigned", MAX, NULL, IN(U8(1, 255), U8(1, 1)), U8(1, 255)),
    ROW("64 bits", MIN, NULL, IN(U64(1, -1), U64(1, 1)), U64(1, 1)),
    ROW("neighbours beyond doubles", MAX, NULL,
        IN(I64(1, 9007199254740992), I64(1, 9007199254740993)), I64(1, 9007199254740993)),
    ROW("IEEE", POW, NULL, IN(F32(5, 2, NAN, 1, -2, -8), F32(5, 0.5, 0, NAN, 3, 0.5)),
        F32(5, 1.4142135623730951, 1, 1, -8, NAN)),
    ROW("wraps", POW, NULL, IN(I32(4, 2, 3, -2, 0), I32(4, 31, 21, 3, 0)),
        I32(4, INT32_MIN, 1870418611, -8, 1)),
    ROW("negative exponents", POW, NULL,
        IN(I32(6, 2, 1, -1, -1, 0, -2), I32(6, -1, -5, -3, -2, -1, -1)), I32(6, 0, 1, -1, 1, 0, 0)),
    ROW("8 bits wrap", POW, NULL, IN(U8(2, 3, 2), U8(2, 6, 8)), U8(2, 217, 0)),
    ROW("64 bits", POW, NULL, IN(I64(2, 3, -1), I64(2, 39, INT64_MIN)),
        I64(2, 4052555153018976267, 1)),
};
TEST(binary) { RUN_ROWS(binary_rows); }

static const row comparison_rows[] = {
    ROW("NaN", EQUAL, NULL, IN(F32(3, NAN, 1, -0.0), F32(3, NAN, 1, 0.0)), U8(3, 0, 1, 1)),
    ROW("NaN", NOT_EQUAL, NULL, IN(F32(2, NAN, 1), F32(2, NAN, 1)), U8(2, 1, 0)),
    ROW("NaN", GREATER, NULL, IN(F32(3, NAN, 2, 1), F32(3, 1, 1, 1)), U8(3, 0, 1, 0)),
    ROW("NaN", GREATER_OR_EQUAL, NULL, IN(F32(3, NAN, 1, 0), F32(3, NAN, 1, 1)), U8(3, 0, 1, 0)),
    ROW("NaN", LESSER, NULL, IN(F32(3, NAN, 1, 0), F32(3, 1, 1, 1)), U8(3, 0, 0, 1)),
    ROW("NaN", LESSER_OR_EQUAL, NULL, IN(F32(3, NAN, 1, 2), F32(3, 1, 1, 1)), U8(3, 0, 1, 0)),
    ROW("64 bits are exact", EQUAL, NULL, IN(I64(1, 9007199254740993), I64(1, 9007199254740992)),
        U8(1, 0)),
    ROW("unsigned", GREATER, NULL, IN(U64(1, -1), U64(1, 1)), U8(1, 1)),
    ROW("signed", GREATER, NULL, IN(I64(1, -1), I64(1, 1)), U8(1, 0)),
    ROW("broadcasts", LESSER, NULL, IN(F(FLOAT32, 2, D(2, 1), 1, 3), F32(2, 2, 4)),
        I(UINT8, 2, D(2, 2), 1, 1, 0, 1)),
    ROW("2 and 4 are both true", LOGICAL_AND, NULL, IN(U8(4, 2, 2, 0, 0), U8(4, 4, 0, 4, 0)),
        U8(4, 1, 0, 0, 0)),
    ROW("2 and 4 are both true", LOGICAL_OR, NULL, IN(U8(4, 2, 2, 0, 0), U8(4, 4, 0, 4, 0)),
        U8(4, 1, 1, 1, 0)),
    ROW("2 and 4 are both true", LOGICAL_XOR, NULL, IN(U8(4, 2, 2, 0, 0), U8(4, 4, 0, 4, 0)),
        U8(4, 0, 1, 1, 0)),
    ROW("what isn't chosen doesn't leak", WHERE, NULL,
        IN(U8(3, 0, 1, 7), F32(3, NAN, 2, INFINITY), F32(3, 1, NAN, NAN)), F32(3, 1, 2, INFINITY)),
    ROW("the condition enlarges", WHERE, NULL,
        IN(I(UINT8, 2, D(2, 1), 1, 0), I64(2, INT64_MIN, 2), I64(1, -3)),
        I(INT64, 2, D(2, 2), INT64_MIN, 2, -3, -3)),
};
TEST(comparisons) { RUN_ROWS(comparison_rows); }

#define CAST(type) ATTRS(cast, WEBNN_DATA_TYPE_##type)
static const row cast_rows[] = {
    ROW("truncates, saturates", CAST, CAST(INT8),
        IN(F32(7, 1.9, -1.9, 200, -200, NAN, INFINITY, -INFINITY)),
        I8(7, 1, -1, 127, -128, 0, 127, -128)),
    ROW("truncates, saturates", CAST, CAST(UINT8), IN(F32(5, -1, 255.9, 256, -0.9, NAN)),
        U8(5, 0, 255, 255, 0, 0)),
    ROW("truncates, saturates", CAST, CAST(INT32),
        IN(F32(3, 2147483648.0, -2147483648.0, 2147483520.0)),
        I32(3, INT32_MAX, INT32_MIN, 2147483520)),
    ROW("truncates, saturates", CAST, CAST(UINT32), IN(F32(2, 4294967296.0, 4294967040.0)),
        U32(2, UINT32_MAX, 4294967040)),
    ROW("truncates, saturates", CAST, CAST(INT64), IN(F32(3, 0x1p63, -0x1p63, 0x1.fffffep62)),
        I64(3, INT64_MAX, INT64_MIN, 9223371487098961920)),
    ROW("truncates, saturates", CAST, CAST(UINT64), IN(F32(3, 0x1p64, -1, 0x1p63)),
        U64(3, -1, 0, INT64_MIN)),
    ROW("float16", CAST, CAST(UINT8), IN(F16(2, 300, 2.5)), U8(2, 255, 2)),
    ROW("to nearest, halves to even", CAST, CAST(FLOAT16),
        IN(F32(6, 2049, 2051, 65519, 65520, 1e-8, -3e-8)),
        F16(6, 2048, 2052, 65504, INFINITY, 0, -0x1p-24)),
    ROW("beyond float16", CAST, CAST(FLOAT16), IN(I32(2, 70000, -65504)), F16(2, INFINITY, -65504)),
    ROW("64 bits round once", CAST, CAST(FLOAT32), IN(I64(2, 9007199791611905, -9007199791611905)),
        F32(2, 9007200328482816, -9007200328482816)),
    ROW("unsigned", CAST, CAST(FLOAT32), IN(U64(1, -1)), F32(1, 0x1p64)),
    ROW("keeps the low bits", CAST, CAST(INT8), IN(I32(3, 300, -129, 128)), I8(3, 44, 127, -128)),
    ROW("extends the sign", CAST, CAST(UINT64), IN(I8(1, -1)), U64(1, -1)),
    ROW("extends by zeros", CAST, CAST(INT64), IN(U32(1, UINT32_MAX)), I64(1, UINT32_MAX)),
    ROW("widens exactly", CAST, CAST(FLOAT32), IN(F16(3, 0x1p-24, 65504, NAN)),
        F32(3, 0x1p-24, 65504, NAN)),
    ROW("the same type", CAST, CAST(INT64), IN(I64(1, INT64_MIN)), I64(1, INT64_MIN)),
};
TEST(casts) { RUN_ROWS(cast_rows); }

static const row clamp_rows[] = {
    ROW("NaN stays", CLAMP, ATTRS(clamp, NUM(-1), NUM(1)), IN(F32(5, NAN, 2, -2, 0.5, INFINITY)),
        F32(5, NAN, 1, -1, 0.5, 1)),
    ROW("no bounds", CLAMP, ATTRS(clamp, NUM(-INFINITY), NUM(INFINITY)),
        IN(F32(3, NAN, -INFINITY, INFINITY)), F32(3, NAN, -INFINITY, INFINITY)),
    ROW("signed", CLAMP, ATTRS(clamp, INT(-3), INT(INT64_MAX)),
        IN(I64(2, INT64_MIN, 9007199254740993)), I64(2, -3, 9007199254740993)),
    ROW("unsigned", CLAMP, ATTRS(clamp, UINT(1), UINT(UINT64_MAX - 1)), IN(U64(2, -1, 0)),
        U64(2, -2, 1)),
    ROW("8 bits", CLAMP, ATTRS(clamp, INT(-1), INT(1)), IN(I8(3, -128, 0, 127)), I8(3, -1, 0, 1)),
    ROW("alpha and beta", LINEAR, ATTRS(alpha_beta, NUM(2), NUM(-1)), IN(F32(3, 3, NAN, INFINITY)),
        F32(3, 5, NAN, INFINITY)),
    /* The product is a little over 1; rounded by itself it would be 1, and the sum a tie that goes
       down. */
    ROW("rounds float16 once", LINEAR, ATTRS(alpha_beta, NUM(1.0009765625), NUM(2048)),
        IN(F16(1, 0.99951171875)), F16(1, 2050)),
};
TEST(clamps) { RUN_ROWS(clamp_rows); }

#define ALPHA(x) ATTRS(alpha, NUM(x))
static const row activation_rows[] = {
    ROW("NaN stays", RELU, NULL, IN(F32(5, NAN, -1, 2, -INFINITY, INFINITY)),
        F32(5, NAN, 0, 2, 0, INFINITY)),
    ROW("integers", RELU, NULL, IN(I8(3, -128, 0, 127)), I8(3, 0, 0, 127)),
    ROW("64 bits", RELU, NULL, IN(I64(2, INT64_MIN, 9007199254740993)),
        I64(2, 0, 9007199254740993)),
    ROW("NaN stays", LEAKY_RELU, ALPHA(0.5), IN(F32(3, NAN, -2, 2)), F32(3, NAN, -1, 2)),
    ROW("an infinite slope", LEAKY_RELU, ALPHA(INFINITY), IN(F32(3, 2, 0, -1)),
        F32(3, 2, 0, -INFINITY)),
    ROW("an infinite slope", PRELU, NULL, IN(F32(3, 2, 0, -1), F32(1, INFINITY)),
        F32(3, 2, 0, -INFINITY)),
    ROW("NaN of either", PRELU, NULL, IN(F32(3, NAN, -1, 3), F32(3, 2, NAN, NAN)),
        F32(3, NAN, NAN, 3)),
    ROW("wraps", PRELU, NULL, IN(I8(3, -128, -3, 4), I8(3, -1, 2, 9)), I8(3, -128, -6, 4)),
    ROW("the slope enlarges", PRELU, NULL, IN(F32(2, -1, 1), F(FLOAT32, 2, D(2, 1), 2, 3)),
        F(FLOAT32, 2, D(2, 2), -2, 1, -3, 1)),
    ROW("ends", ELU, ALPHA(2), IN(F32(4, 3, -1, -INFINITY, NAN)),
        F32(4, 3, 2 * -0.6321205588285577, -2, NAN)),
    ROW("small ones keep their digits", ELU, ALPHA(1), IN(F32(1, -1e-10)), F32(1, -1e-10)),
    ROW("NaN stays", HARD_SIGMOID, ATTRS(alpha_beta, NUM(0.25), NUM(0.5)),
        IN(F32(6, NAN, 1, 2, 9, -9, INFINITY)), F32(6, NAN, 0.75, 1, 1, 0, 1)),
    ROW("the formula", HARD_SWISH, NULL, IN(F32(6, NAN, -INFINITY, INFINITY, 3, -3, 1)),
        F32(6, NAN, NAN, INFINITY, 3, -0.0, 4.0 / 6)),
    ROW("never overflows", SIGMOID, NULL, IN(F32(6, 1, -2, 1000, -1000, 0, NAN)),
        F32(6, 0.7310585786300049, 0.11920292202211755, 1, 0, 0.5, NAN)),
    ROW("never overflows", SOFTPLUS, NULL, IN(F32(6, 1, 1000, -20, -INFINITY, INFINITY, NAN)),
        F32(6, 1.3132616875182228, 1000, 2.061153620314381e-09, 0, INFINITY, NAN)),
    ROW("float16 above 11", SOFTPLUS, NULL, IN(F16(1, 12)), F16(1, 12)),
    ROW("the formula", SOFTSIGN, NULL, IN(F32(4, 3, -1, INFINITY, NAN)),
        F32(4, 0.75, -0.5, NAN, NAN)),
    ROW("never overflows", TANH, NULL, IN(F32(5, 0.5, 1000, -1000, -0.0, NAN)),
        F32(5, 0.46211715726000974, 1, -1, -0.0, NAN)),
    ROW("exact form", GELU, NULL, IN(F32(5, 1, -1, 0, INFINITY, NAN)),
        F32(5, 0.8413447460685429, -0.15865525393145707, 0, INFINITY, NAN)),
    ROW("far below keeps its digits", GELU, NULL, IN(F32(1, -7)), F32(1, -8.958687807200846e-12)),
    ROW("tanh form", GELU_TANH, NULL, IN(F32(2, 1, 0)), F32(2, 0.8411919906082768, 0)),
    ROW("values", SILU, NULL, IN(F32(3, 2, 0, NAN)), F32(3, 1.7615941559557646, 0, NAN)),
    ROW("values", MISH, NULL, IN(F32(3, 1, -1, NAN)),
        F32(3, 0.8650983882673103, -0.30340146137410895, NAN)),
};
TEST(activations) { RUN_ROWS(activation_rows); }

#define OVER(n, ...) ATTRS(reduce, LIST(n, __VA_ARGS__), false)
#define OVER_NONE ATTRS(reduce, EMPTY_LIST, false)
#define M23(...) F(FLOAT32, 2, D(2, 3), __VA_ARGS__)
static const row reduce_rows[] = {
    ROW("rows", REDUCE_SUM, OVER(1, 1), IN(M23(1, 2, 3, 4, 5, 6)), F32(2, 6, 15)),
    ROW("columns", REDUCE_SUM, OVER(1, 0), IN(M23(1, 2, 3, 4, 5, 6)), F32(3, 5, 7, 9)),
    ROW("unsorted axes", REDUCE_SUM, OVER(2, 2, 0),
        IN(F(FLOAT32, 3, D(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8)), F32(2, 14, 22)),
    ROW("a scalar", REDUCE_SUM_SQUARE, OVER_NONE, IN(S32(-3)), S32(9)),
    ROW("no axes", REDUCE_SUM_SQUARE, OVER_NONE, IN(F32(2, -3, 2)), F32(2, 9, 4)),
    ROW("no axes", REDUCE_L1, OVER_NONE, IN(F32(2, -3, 2)), F32(2, 3, 2)),
    ROW("no axes", REDUCE_L2, OVER_NONE, IN(F32(2, -3, 2)), F32(2, 3, 2)),
    ROW("no axes", REDUCE_LOG_SUM, OVER_NONE, IN(F32(2, 1, 2)), F32(2, 0, 0.6931471805599453)),
    ROW("no axes", REDUCE_LOG_SUM_EXP, OVER_NONE, IN(F32(3, -3, 2, 500)), F32(3, -3, 2, 500)),
    ROW("no axes", REDUCE_MEAN, OVER_NONE, IN(F32(2, -3, 2)), F32(2, -3, 2)),
    ROW("no axes", REDUCE_MAX, OVER_NONE, IN(F32(2, -3, NAN)), F32(2, -3, NAN)),
    ROW("no axes", REDUCE_PRODUCT, OVER_NONE, IN(I32(2, -3, 2)), I32(2, -3, 2)),
    ROW("float16 sums in more digits", REDUCE_SUM, OVER(1, 0), IN(F16(3, 2048, 1, 1)),
        F16(1, 2050)),
    ROW("keeps what is small beside what cancels", REDUCE_SUM, OVER(1, 0),
        IN(F32(3, 0x1p30, 1, -0x1p30)), F32(1, 1)),
    ROW("wraps", REDUCE_SUM, OVER(1, 0), IN(I32(2, INT32_MAX, 1)), I32(1, INT32_MIN)),
    ROW("wraps", REDUCE_SUM, OVER(1, 0), IN(U64(2, -1, 3)), U64(1, 2)),
    ROW("wraps", REDUCE_L1, OVER(1, 0), IN(I32(2, INT32_MIN, -1)), I32(1, -INT32_MAX)),
    ROW("unsigned", REDUCE_L1, OVER(1, 0), IN(U32(2, UINT32_MAX, 0)), U32(1, UINT32_MAX)),
    ROW("wraps", REDUCE_SUM_SQUARE, OVER(1, 0), IN(I32(2, 65536, 3)), I32(1, 9)),
    ROW("wraps", REDUCE_PRODUCT, OVER(1, 0), IN(I64(3, 0x100000000, 0x100000000, 5)), I64(1, 0)),
    ROW("64 bits are exact", REDUCE_SUM, OVER(1, 0), IN(I64(2, 9007199254740993, 1)),
        I64(1, 9007199254740994)),
    ROW("NaN", REDUCE_MAX, OVER(1, 1), IN(M23(1, NAN, 3, -4, -5, -6)), F32(2, NAN, -4)),
    ROW("NaN first", REDUCE_MIN, OVER(1, 1), IN(M23(NAN, 1, 3, -4, -5, -6)), F32(2, NAN, -6)),
    ROW("infinities", REDUCE_MAX, OVER(1, 0), IN(F32(2, -INFINITY, -INFINITY)), F32(1, -INFINITY)),
    ROW("unsigned", REDUCE_MAX, OVER(1, 0), IN(U8(2, 1, 255)), U8(1, 255)),
    ROW("signed", REDUCE_MIN, OVER(1, 0), IN(I8(2, 1, -1)), I8(1, -1)),
    ROW("large ones", REDUCE_LOG_SUM_EXP, OVER(1, 0), IN(F32(2, 1000, 1000)),
        F32(1, 1000.6931471805599)),
    ROW("all -inf", REDUCE_LOG_SUM_EXP, OVER(1, 0), IN(F32(2, -INFINITY, -INFINITY)),
        F32(1, -INFINITY)),
    ROW("+inf", REDUCE_LOG_SUM_EXP, OVER(1, 0), IN(F32(2, INFINITY, 1)), F32(1, INFINITY)),
    ROW("one -inf", REDUCE_LOG_SUM_EXP, OVER(1, 0), IN(F32(2, -INFINITY, 1)), F32(1, 1)),
    ROW("NaN", REDUCE_LOG_SUM_EXP, OVER(1, 0), IN(F32(2, NAN, INFINITY)), F32(1, NAN)),
    ROW("a negative sum", REDUCE_LOG_SUM, OVER(1, 0), IN(F32(2, -2, 1)), F32(1, NAN)),
    ROW("values", REDUCE_LOG_SUM, OVER(1, 0), IN(F32(2, 1, 2)), F32(1, 1.0986122886681098)),
    ROW("pythagoras", REDUCE_L2, OVER(1, 0), IN(F32(2, -3, 4)), F32(1, 5)),
    ROW("float16 squares don't overflow", REDUCE_L2, OVER(1, 0), IN(F16(2, 300, -400)),
        F16(1, 500)),
    ROW("all axes", REDUCE_MEAN, OVER(2, 0, 1), IN(M23(1, 2, 3, 4, 5, 6)), S32(3.5)),
    ROW("floats", REDUCE_PRODUCT, OVER(1, 1), IN(M23(1, 2, 3, 4, -5, 0.5)), F32(2, 6, -10)),
    ROW("keeps dimensions", REDUCE_SUM, ATTRS(reduce, LIST(1, 0), true), IN(M23(1, 2, 3, 4, 5, 6)),
        F(FLOAT32, 2, D(1, 3), 5, 7, 9)),
};
TEST(reductions) { RUN_ROWS(reduce_rows); }

#define ARG(axis) ATTRS(arg, axis, false, WEBNN_DATA_TYPE_INT32)
#define CUMULATE(exclusive, reversed) ATTRS(cumulative_sum, 0, exclusive, reversed)
static const row lane_rows[] = {
    ROW("the lowest of equals", ARG_MAX, ARG(0), IN(F32(4, 1, 3, 3, 2)), I(INT32, 0, D(0), 1)),
    ROW("the lowest of equals", ARG_MIN, ARG(0), IN(F32(4, 3, 1, 1, 2)), I(INT32, 0, D(0), 1)),
    ROW("zeros are equal", ARG_MAX, ARG(0), IN(F32(2, -0.0, 0.0)), I(INT32, 0, D(0), 0)),
    ROW("the first NaN", ARG_MAX, ARG(0), IN(F32(4, INFINITY, NAN, 9, NAN)), I(INT32, 0, D(0), 1)),
    ROW("the first NaN", ARG_MIN, ARG(0), IN(F32(4, -INFINITY, 1, NAN, NAN)), I(INT32, 0, D(0), 2)),
    ROW("exact", ARG_MAX, ARG(0), IN(I64(2, 9007199254740992, 9007199254740993)),
        I(INT32, 0, D(0), 1)),
    ROW("unsigned", ARG_MIN, ARG(0), IN(U64(2, -1, 1)), I(INT32, 0, D(0), 1)),
    ROW("the outer axis", ARG_MAX, ARG(0), IN(M23(1, 5, 3, 4, 2, 3)), I32(3, 1, 0, 0)),
    ROW("the inner axis, into 64 bits", ARG_MIN, ATTRS(arg, 1, true, WEBNN_DATA_TYPE_INT64),
        IN(M23(1, 5, 0, 4, 2, 3)), I(INT64, 2, D(2, 1), 2, 1)),
    ROW("inclusive", CUMULATIVE_SUM, CUMULATE(false, false), IN(F32(4, 1, 2, 3, 4)),
        F32(4, 1, 3, 6, 10)),
    ROW("exclusive", CUMULATIVE_SUM, CUMULATE(true, false), IN(F32(4, 1, 2, 3, 4)),
        F32(4, 0, 1, 3, 6)),
    ROW("reversed", CUMULATIVE_SUM, CUMULATE(false, true), IN(F32(4, 1, 2, 3, 4)),
        F32(4, 10, 9, 7, 4)),
    ROW("both", CUMULATIVE_SUM, CUMULATE(true, true), IN(I32(4, 1, 2, 3, 4)), I32(4, 9, 7, 4, 0)),
    ROW("wraps", CUMULATIVE_SUM, CUMULATE(false, false), IN(I32(3, INT32_MAX, 1, 1)),
        I32(3, INT32_MAX, INT32_MIN, -INT32_MAX)),
    ROW("float16 sums in more digits", CUMULATIVE_SUM, CUMULATE(false, false),
        IN(F16(3, 2048, 1, 1)), F16(3, 2048, 2048, 2050)),
    ROW("the outer axis", CUMULATIVE_SUM, CUMULATE(false, true), IN(M23(1, 2, 3, 4, 5, 6)),
        M23(5, 7, 9, 4, 5, 6)),
};
TEST(lanes) { RUN_ROWS(lane_rows); }

static const row product_rows[] = {
    ROW("plain", MATMUL, NULL, IN(M23(1, 2, 3, 4, 5, 6), F(FLOAT32, 2, D(3, 2), 1, 0, 0, 1, 1, 1)),
        F(FLOAT32, 2, D(2, 2), 4, 5, 10, 11)),
    ROW("broadcasts batches of other ranks", MATMUL, NULL,
        IN(F(FLOAT32, 2, D(1, 2), 1, 10), F(FLOAT32, 3, D(3, 2, 1), 1, 2, 3, 4, 5, 6)),
        F(FLOAT32, 3, D(3, 1, 1), 21, 43, 65)),
    ROW("broadcasts batches both ways", MATMUL, NULL,
        IN(F(FLOAT32, 4, D(2, 1, 1, 1), 2, 3), F(FLOAT32, 3, D(2, 1, 1), 5, 7)),
        F(FLOAT32, 4, D(2, 2, 1, 1), 10, 14, 15, 21)),
    ROW("0 * inf is NaN", MATMUL, NULL,
        IN(F(FLOAT32, 2, D(1, 2), 0, 1), F(FLOAT32, 2, D(2, 1), INFINITY, 1)),
        F(FLOAT32, 2, D(1, 1), NAN)),
    ROW("float16 sums in more digits", MATMUL, NULL,
        IN(F(FLOAT16, 2, D(1, 3), 2048, 1, 1), F(FLOAT16, 2, D(3, 1), 1, 1, 1)),
        F(FLOAT16, 2, D(1, 1), 2050)),
    ROW("transposed", GEMM, ATTRS(gemm, NUM(1), NUM(1), true, true),
        IN(F(FLOAT32, 2, D(2, 1), 1, 2), F(FLOAT32, 2, D(3, 2), 1, 2, 3, 4, 5, 6)),
        F(FLOAT32, 2, D(1, 3), 5, 11, 17)),
    ROW("alpha, beta, c a row", GEMM, ATTRS(gemm, NUM(2), NUM(10), false, false),
        IN(F(FLOAT32, 2, D(2, 1), 1, 2), F(FLOAT32, 2, D(1, 2), 3, 4), F32(2, 1, 2)),
        F(FLOAT32, 2, D(2, 2), 16, 28, 22, 36)),
    ROW("c a column", GEMM, ATTRS(gemm, NUM(1), NUM(1), false, false),
        IN(F(FLOAT32, 2, D(2, 1), 1, 2), F(FLOAT32, 2, D(1, 2), 3, 4),
           F(FLOAT32, 2, D(2, 1), 100, 200)),
        F(FLOAT32, 2, D(2, 2), 103, 104, 206, 208)),
    ROW("c a scalar", GEMM, ATTRS(gemm, NUM(1), NUM(-1), false, false),
        IN(F(FLOAT32, 2, D(1, 1), 5), F(FLOAT32, 2, D(1, 2), 3, 4), S32(1)),
        F(FLOAT32, 2, D(1, 2), 14, 19)),
    ROW("without c", GEMM, ATTRS(gemm, NUM(0.5), NUM(9), false, false),
        IN(F(FLOAT32, 2, D(1, 1), 5), F(FLOAT32, 2, D(1, 1), 4)), F(FLOAT32, 2, D(1, 1), 10)),
};
TEST(products) { RUN_ROWS(product_rows); }

static const row norm_rows[] = {
    ROW("scale and bias by channel", BATCH_NORMALIZATION, ATTRS(batch_normalization, 1, NUM(0)),
        IN(F(FLOAT32, 2, D(2, 2), 1, 2, 3, 6), F32(2, 1, 2), F32(2, 4, 16), F32(2, 2, 1),
           F32(2, 10, 0)),
        F(FLOAT32, 2, D(2, 2), 10, 0, 12, 1)),
    ROW("absent scale and bias", BATCH_NORMALIZATION, ATTRS(batch_normalization, 0, NUM(1)),
        IN(F32(2, 3, 4), F32(2, 1, 4), F32(2, 3, 8)), F32(2, 1, 0)),
    ROW("absent scale alone", BATCH_NORMALIZATION, ATTRS(batch_normalization, 0, NUM(1)),
        IN(F32(1, 3), F32(1, 1), F32(1, 3), NONE, F32(1, 7)), F32(1, 8)),
    ROW("nchw", INSTANCE_NORMALIZATION,
        ATTRS(instance_normalization, NUM(0), WEBNN_INPUT_OPERAND_LAYOUT_NCHW),
        IN(F(FLOAT32, 4, D(1, 2, 1, 2), 1, 3, 10, 30), F32(2, 2, 1), F32(2, 5, 0)),
        F(FLOAT32, 4, D(1, 2, 1, 2), 3, 7, -1, 1)),
    ROW("nhwc", INSTANCE_NORMALIZATION,
        ATTRS(instance_normalization, NUM(0), WEBNN_INPUT_OPERAND_LAYOUT_NHWC),
        IN(F(FLOAT32, 4, D(1, 1, 2, 2), 1, 10, 3, 30), F32(2, 2, 1), F32(2, 5, 0)),
        F(FLOAT32, 4, D(1, 1, 2, 2), 3, -1, 7, 1)),
    ROW("epsilon inside the root", INSTANCE_NORMALIZATION,
        ATTRS(instance_normalization, NUM(8), WEBNN_INPUT_OPERAND_LAYOUT_NCHW),
        IN(F(FLOAT32, 4, D(1, 1, 1, 2), 1, 3)), F(FLOAT32, 4, D(1, 1, 1, 2), -1.0 / 3, 1.0 / 3)),
    ROW("two passes", LAYER_NORMALIZATION, ATTRS(layer_normalization, LIST(1, 0), NUM(0)),
        IN(F32(2, 1e8, 1e8 + 8)), F32(2, -1, 1)),
    ROW("no axes", LAYER_NORMALIZATION, ATTRS(layer_normalization, EMPTY_LIST, NUM(1e-5)),
        IN(F32(2, 5, -7), NONE, S32(3)), F32(2, 3, 3)),
    ROW("no axes, no bias", LAYER_NORMALIZATION, ATTRS(layer_normalization, EMPTY_LIST, NUM(1e-5)),
        IN(S32(5)), S32(0)),
    /* Along both axes mean 2, variance 1: the parameters lie as [columns, rows]. */
    ROW("parameters in the order of the axes", LAYER_NORMALIZATION,
        ATTRS(layer_normalization, LIST(2, 1, 0), NUM(0)),
        IN(F(FLOAT32, 2, D(2, 2), 1, 3, 3, 1), F(FLOAT32, 2, D(2, 2), 1, 10, 100, 1000),
           F(FLOAT32, 2, D(2, 2), 0, 0, 0, 0.5)),
        F(FLOAT32, 2, D(2, 2), -1, 100, 10, -999.5)),
    ROW("axes apart", LAYER_NORMALIZATION, ATTRS(layer_normalization, LIST(2, 0, 2), NUM(0)),
        IN(F(FLOAT32, 3, D(2, 2, 1), 1, 10, 3, 30)), F(FLOAT32, 3, D(2, 2, 1), -1, -1, 1, 1)),
    ROW("large ones", SOFTMAX, ATTRS(axis, 0), IN(F32(2, HUGE_F, HUGE_F)), F32(2, 0.5, 0.5)),
    ROW("all -inf", SOFTMAX, ATTRS(axis, 0), IN(F32(2, -INFINITY, -INFINITY)), F32(2, NAN, NAN)),
    ROW("one -inf", SOFTMAX, ATTRS(axis, 0), IN(F32(3, -INFINITY, 1, 1)), F32(3, 0, 0.5, 0.5)),
    ROW("+inf", SOFTMAX, ATTRS(axis, 0), IN(F32(2, INFINITY, 1)), F32(2, NAN, NAN)),
    ROW("NaN", SOFTMAX, ATTRS(axis, 0), IN(F32(3, 1, NAN, 2)), F32(3, NAN, NAN, NAN)),
    ROW("the outer axis", SOFTMAX, ATTRS(axis, 0), IN(F(FLOAT32, 2, D(2, 2), 1, 5, 1, 5)),
        F(FLOAT32, 2, D(2, 2), 0.5, 0.5, 0.5, 0.5)),
    ROW("values", SOFTMAX, ATTRS(axis, 1), IN(F(FLOAT32, 2, D(1, 3), 2, 1, 0)),
        F(FLOAT32, 2, D(1, 3), 0.6652409557748218, 0.24472847105479764, 0.09003057317038046)),
};
TEST(norms) { RUN_ROWS(norm_rows); }

static const row quantize_rows[] = {
    ROW("ties to even before the zero point", QUANTIZE_LINEAR, NULL,
        IN(F32(5, 0.5, 1.5, 2.5, -0.5, -1.5), F32(1, 1), U8(1, 3)), U8(5, 3, 5, 5, 3, 1)),
    ROW("divides", QUANTIZE_LINEAR, NULL, IN(F32(2, 3, 7), F32(1, 2), I8(1, 0)), I8(2, 2, 4)),
    ROW("saturates", QUANTIZE_LINEAR, NULL,
        IN(F32(4, 300, -300, INFINITY, -INFINITY), F32(1, 1), I8(1, 1)),
        I8(4, 127, -128, 127, -128)),
    ROW("saturates", QUANTIZE_LINEAR, NULL, IN(F32(2, 300, -300), F32(1, 1), U8(1, 128)),
        U8(2, 255, 0)),
    ROW("NaN gives the zero point", QUANTIZE_LINEAR, NULL,
        IN(F32(2, NAN, 0), F32(2, 1, 0), U8(2, 7, 9)), U8(2, 7, 9)),
    ROW("32 bits are exact", QUANTIZE_LINEAR, NULL,
        IN(F32(4, 1, -2147483648.0, 2147483520.0, 3e9), F32(4, 1, 1, 1, 1),
           I32(4, 16777216, -1, 127, -1)),
        I32(4, 16777217, INT32_MIN, INT32_MAX, INT32_MAX)),
    ROW("unsigned 32 bits", QUANTIZE_LINEAR, NULL,
        IN(F32(3, -1, 1, 5e9), F32(3, 1, 1, 1), U32(3, UINT32_MAX, UINT32_MAX, 0)),
        U32(3, UINT32_MAX - 1, UINT32_MAX, UINT32_MAX)),
    ROW("a far quotient comes back", QUANTIZE_LINEAR, NULL,
        IN(F32(1, -4e9), F32(1, 1), U32(1, 4100000000)), U32(1, 100000000)),
    ROW("a far quotient comes back", QUANTIZE_LINEAR, NULL,
        IN(F32(1, 3e9), F32(1, 1), I32(1, INT32_MIN)), I32(1, 852516352)),
    ROW("blocks", QUANTIZE_LINEAR, NULL,
        IN(F(FLOAT32, 2, D(2, 4), 2, 4, 6, 9, 2, 4, 6, 9), F(FLOAT32, 2, D(2, 2), 1, 2, 2, 3),
           I(UINT8, 2, D(2, 2), 0, 1, 10, 20)),
        I(UINT8, 2, D(2, 4), 2, 4, 4, 5, 11, 12, 22, 23)),
    ROW("float16", QUANTIZE_LINEAR, NULL, IN(F16(2, 1000, -3), F16(1, 0.25), I32(1, 1)),
        I32(2, 4001, -11)),
    ROW("a scalar", QUANTIZE_LINEAR, NULL, IN(S32(5), S32(2), I(INT8, 0, D(0), -1)),
        I(INT8, 0, D(0), 1)),
    ROW("exact difference", DEQUANTIZE_LINEAR, NULL,
        IN(I32(3, INT32_MIN, 16777217, INT32_MAX), F32(1, 1), I32(1, 16777216)),
        F32(3, -2164260864.0, 1, 2130706432.0)),
    ROW("64 bits of difference", DEQUANTIZE_LINEAR, NULL,
        IN(I32(1, INT32_MIN), F32(1, 0.5), I32(1, INT32_MAX)), F32(1, -2147483648.0)),
    ROW("rounds once, after the scale", DEQUANTIZE_LINEAR, NULL,
        IN(I32(1, 16777217), F32(1, 3), I32(1, 0)), F32(1, 50331652)),
    ROW("unsigned", DEQUANTIZE_LINEAR, NULL, IN(U8(3, 0, 128, 255), F32(1, 2), U8(1, 128)),
        F32(3, -256, 0, 254)),
    ROW("a difference beyond float16", DEQUANTIZE_LINEAR, NULL,
        IN(I32(1, 100000), F16(1, 0.5), I32(1, 20)), F16(1, 49990)),
    ROW("blocks", DEQUANTIZE_LINEAR, NULL, IN(I8(4, 1, 2, 3, 4), F32(2, 1, 10), I8(2, 0, 1)),
        F32(4, 1, 2, 20, 30)),
};
TEST(quantizations) { RUN_ROWS(quantize_rows); }

TEST(every_operation_is_somebodys) {
  for (size_t i = 0; i < WNN_N_OPS; i++) {
    CONTEXT("%s", wnn_op_get((wnn_op_id)i)->name);
    CHECK(wnn_reference_lookup((wnn_op_id)i) != NULL);
  }
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(unary),
                                       RUN(binary),
                                       RUN(comparisons),
                                       RUN(casts),
                                       RUN(clamps),
                                       RUN(activations),
                                       RUN(reductions),
                                       RUN(lanes),
                                       RUN(products),
                                       RUN(norms),
                                       RUN(quantizations),
                                       RUN(every_operation_is_somebodys),
                                       {NULL, NULL}});
}
