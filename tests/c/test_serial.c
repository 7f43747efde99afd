/* Graph files: what is written is laid out as promised, what is read is trusted in nothing. */
#include "graph/builder.h"
#include "harness.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <webnn/webnn.h>

typedef struct bytes {
  unsigned char *data;
  size_t n;
} bytes;

static bool append(void *ud, const void *data, size_t n_bytes) {
  bytes *file = ud;
  unsigned char *grown = realloc(file->data, file->n + n_bytes + 1);
  if (grown == NULL) return false;
  memcpy(grown + file->n, data, n_bytes);
  file->data = grown;
  file->n += n_bytes;
  return true;
}

static bool refuse(void *ud, const void *data, size_t n_bytes) {
  (void)ud, (void)data, (void)n_bytes;
  return false;
}

static webnn_context *make_context(void) {
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context *context = NULL;
  options.backend = "reference";
  CHECK_STATUS(webnn_context_create(&options, &context, NULL), WEBNN_OK);
  return context;
}

static webnn_builder *make_builder(webnn_context *context) {
  webnn_builder *builder = NULL;
  CHECK_STATUS(webnn_builder_create(context, &builder, NULL), WEBNN_OK);
  return builder;
}

#define NAME "n\"\\\n\xc3\xa9"

/* y = clamp(x, big bounds) of int64, and z = relu(w[3] + int8 pad); names and labels of all kinds. */
static size_t make_graph(webnn_builder *b, webnn_named_operand outputs[2]) {
  const uint32_t three = 3, one = 1;
  const webnn_descriptor longs = {WEBNN_DATA_TYPE_INT64, 1, &three}, bytes8 = {WEBNN_DATA_TYPE_INT8, 1, &three};
  const webnn_descriptor halves = {WEBNN_DATA_TYPE_FLOAT16, 1, &one};
  webnn_operand *x, *y, *k, *h, *z;
  webnn_clamp_options clamp = WEBNN_CLAMP_OPTIONS_INIT;
  const int8_t small[3] = {1, -2, 3};
  const uint16_t half = 0x3C00;
  clamp.label = WEBNN_STR("la\0bel");
  clamp.min_value = (webnn_number){WEBNN_NUMBER_INT64, {.i = INT64_MIN + 1}};
  clamp.max_value = (webnn_number){WEBNN_NUMBER_INT64, {.i = INT64_C(9007199254740993)}};
  CHECK_STATUS(webnn_builder_input(b, WEBNN_STR(NAME), &longs, &x), WEBNN_OK);
  CHECK_STATUS(webnn_clamp(b, x, &clamp, &y), WEBNN_OK);
  CHECK_STATUS(webnn_builder_constant(b, &bytes8, small, sizeof small, &k), WEBNN_OK);
  CHECK_STATUS(webnn_builder_constant(b, &halves, &half, sizeof half, &h), WEBNN_OK);
  CHECK_STATUS(webnn_cast(b, h, WEBNN_DATA_TYPE_INT8, NULL, &h), WEBNN_OK);
  CHECK_STATUS(webnn_add(b, k, h, NULL, &z), WEBNN_OK);
  outputs[0] = (webnn_named_operand){WEBNN_STR("y"), y};
  outputs[1] = (webnn_named_operand){WEBNN_STR("z\0z"), z};
  return 2;
}

static bytes make_file(webnn_context *context) {
  bytes file = {NULL, 0};
  webnn_builder *builder = make_builder(context);
  webnn_named_operand outputs[2];
  size_t n = make_graph(builder, outputs);
  CHECK_STATUS(webnn_serial_write(builder, outputs, n, append, &file), WEBNN_OK);
  webnn_builder_release(builder);
  return file;
}

static webnn_status read_into_fresh(webnn_context *context, const void *data, size_t n, webnn_error *err) {
  webnn_builder *builder = make_builder(context);
  const webnn_named_operand *outs;
  size_t n_outs;
  webnn_status status = webnn_serial_read(builder, data, n, &outs, &n_outs);
  if (err != NULL) *err = *webnn_builder_error(builder);
  webnn_builder_release(builder);
  return status;
}

TEST(a_file_is_what_it_was) {
  webnn_context *context = make_context();
  bytes file = make_file(context);
  webnn_builder *builder = make_builder(context);
  const webnn_named_operand *outs = NULL;
  size_t n_outs = 0;
  webnn_future *future = NULL;
  CHECK_STATUS(webnn_serial_read(builder, file.data, file.n, &outs, &n_outs), WEBNN_OK);
  CHECK(n_outs == 2 && outs[1].name.size == 3 && memcmp(outs[1].name.data, "z\0z", 3) == 0);
  CHECK(webnn_operand_label(outs[0].operand).size == 6);
  CHECK_STATUS(webnn_builder_build(builder, outs, n_outs, &future), WEBNN_OK);
  webnn_future_wait(future, -1);
  webnn_graph *graph = webnn_future_graph(future);
  int64_t in[3] = {INT64_MIN, INT64_C(9007199254740994), 5}, y[3];
  int8_t z[3];
  webnn_named_data outputs[2] = {{WEBNN_STR("y"), y, sizeof y}, {WEBNN_STR("z\0z"), z, sizeof z}};
  CHECK_STATUS(webnn_graph_compute(context, graph, &(webnn_named_data){WEBNN_STR(NAME), in, sizeof in}, 1,
                                   outputs, 2, NULL),
               WEBNN_OK);
  CHECK(y[0] == INT64_MIN + 1 && y[1] == INT64_C(9007199254740993) && y[2] == 5);
  CHECK(z[0] == 2 && z[1] == -1 && z[2] == 4);
  webnn_future_release(future);
  webnn_builder_release(builder);
  free(file.data);
  webnn_context_release(context);
}

TEST(data_begins_aligned_and_large_elements_come_first) {
  webnn_context *context = make_context();
  bytes file = make_file(context);
  uint64_t n = 0;
  for (size_t i = 0; i < 8; i++) n |= (uint64_t)file.data[i] << (8 * i);
  CHECK((8 + n) % 64 == 0);
  const char *header = (const char *)file.data + 8;
  CHECK(memcmp(header, "{\"__metadata__\":", 16) == 0);
  const uint16_t half = 0x3C00;
  CHECK(memcmp(file.data + 8 + n, &half, 2) == 0); /* then the bytes */
  CHECK(file.n == 8 + n + 2 + 3);
  free(file.data);
  webnn_context_release(context);
}

TEST(writing_leaves_the_builder_open) {
  webnn_context *context = make_context();
  webnn_builder *builder = make_builder(context);
  webnn_named_operand outputs[2];
  webnn_future *future = NULL;
  size_t n = make_graph(builder, outputs);
  bytes first = {NULL, 0}, second = {NULL, 0};
  CHECK_STATUS(webnn_serial_write(builder, outputs, n, append, &first), WEBNN_OK);
  CHECK_STATUS(webnn_serial_write(builder, outputs, n, append, &second), WEBNN_OK);
  CHECK(first.n == second.n && memcmp(first.data, second.data, first.n) == 0);
  CHECK_STATUS(webnn_serial_write(builder, outputs, n, refuse, NULL), WEBNN_ERROR_UNKNOWN);
  CHECK_STATUS(webnn_serial_write(builder, outputs, 0, append, &first), WEBNN_ERROR_TYPE);
  CHECK_STATUS(webnn_builder_build(builder, outputs, n, &future), WEBNN_OK);
  CHECK_STATUS(webnn_serial_write(builder, outputs, n, append, &first), WEBNN_ERROR_INVALID_STATE);
  webnn_future_wait(future, -1);
  CHECK_STATUS(webnn_future_result(future, NULL), WEBNN_OK);
  webnn_future_release(future);
  webnn_builder_release(builder);
  free(first.data);
  free(second.data);
  webnn_context_release(context);
}

/* Every shorter file is refused. What lies behind the last tensor is nobody's, so it isn't looked at. */
TEST(a_file_that_ends_too_early_is_refused) {
  webnn_context *context = make_context();
  bytes file = make_file(context);
  for (size_t n = 0; n < file.n; n++) {
    unsigned char *copy = malloc(n + 1); /* so that a byte too far is seen */
    memcpy(copy, file.data, n);
    CONTEXT("%zu of %zu bytes", n, file.n);
    CHECK_STATUS(read_into_fresh(context, copy, n, NULL), WEBNN_ERROR_OPERATION);
    free(copy);
  }
  CONTEXT("%s", "");
  free(file.data);
  webnn_context_release(context);
}

/* Damage anywhere ends in a status, never in a crash; each byte takes several values. */
TEST(damage_does_no_harm) {
  static const unsigned char values[] = {0, 0xFF, '"', '{', ']', '9', '-', 'e', '\\', ',', 0x80};
  webnn_context *context = make_context();
  bytes file = make_file(context);
  size_t n_refused = 0;
  for (size_t i = 0; i < file.n; i++)
    for (size_t k = 0; k < sizeof values; k++) {
      unsigned char old = file.data[i];
      if (old == values[k]) continue;
      file.data[i] = values[k];
      webnn_error err;
      webnn_status status = read_into_fresh(context, file.data, file.n, &err);
      CHECK(status == WEBNN_OK || err.message[0] != '\0');
      n_refused += status != WEBNN_OK;
      file.data[i] = old;
    }
  CHECK(n_refused > file.n);
  free(file.data);
  webnn_context_release(context);
}

#define OUTER(structure) "{\"__metadata__\":{\"webnn\":" structure "}"
#define GRAPH(text) OUTER("\"{\\\"version\\\":1," text "\"")
#define Q "\\\""
#define LISTS(inputs, constants, operators, outputs)                                                       \
  GRAPH(Q "inputs" Q ":[" inputs "]," Q "constants" Q ":[" constants "]," Q "operators" Q ":[" operators   \
        "]," Q "outputs" Q ":[" outputs "]}")
#define NAMED(text) Q "name" Q ":" Q text Q
#define OP(name) Q "op" Q ":" Q name Q
#define RELU(more, options, outputs)                                                                       \
  "{" OP("relu") "," Q "args" Q ":{" Q "input" Q ":0" more "}," Q "options" Q ":" options "," Q "outputs" Q \
                 ":[" outputs "]}"
#define K0 ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}" /* constant 0, a scalar */
static const struct {
  const char *header, *fragment;
} lies[] = {
    {"", "no JSON"},
    {"[]", "no object"},
    {"{}", "tensors but no graph"},
    {OUTER("\"[]\"") "}", "no object"},
    {OUTER("\"{}\"") "}", "version is missing"},
    {OUTER("\"{\\\"version\\\":2}\"") "}", "version 2"},
    {GRAPH(Q "inputs" Q ":[]}") "}", "list of constants is missing"},
    {GRAPH(Q "inputs" Q ":[{}]," Q "constants" Q ":[]," Q "operators" Q ":[]," Q "outputs" Q ":[]}") "}", "no name"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}") "}",
     "tensor of constant 0 is missing"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,2]}}",
     "no data type of WebNN's"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[4294967295,4294967295],\"data_offsets\":[0,4]}}",
     "dimension is no number"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[2147483647,2147483647],\"data_offsets\":[0,4]}}",
     "more than 2147483647 elements"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}",
     "inside the file"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,0]}}",
     "inside the file"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0,0]," Q "operators" Q ":[]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
     "there twice"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[]," Q "operators" Q ":[{" Q "op" Q ":" Q "silu" Q "," Q "outputs" Q
           ":[0]}]," Q "outputs" Q ":[]}") "}",
     "no operation 'silu'"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[]," Q "operators" Q ":[{" Q "op" Q ":" Q "relu" Q "," Q "args" Q
           ":{" Q "input" Q ":0}," Q "options" Q ":{}," Q "outputs" Q ":[0]}]," Q "outputs" Q ":[]}") "}",
     "isn't there before"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[{" Q "op" Q ":" Q "relu" Q "," Q "args" Q
           ":{" Q "input" Q ":0}," Q "options" Q ":{" Q "alpha" Q ":1}," Q "outputs" Q ":[1]}]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
     "'alpha' is no option of it"},
    {GRAPH(Q "inputs" Q ":[]," Q "constants" Q ":[0]," Q "operators" Q ":[{" Q "op" Q ":" Q "softmax" Q "," Q "args" Q
           ":{" Q "input" Q ":0," Q "axis" Q ":0}," Q "options" Q ":{}," Q "outputs" Q ":[1]}]," Q "outputs" Q ":[]}")
         ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
     "softmax: input has rank 0"},
    {LISTS("", "0", "", "") ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,3]}}", "inside the file"},
    {LISTS("", "0", "", "") ",\"0\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4,4]}}", "inside the file"},
    {LISTS("", "0", "", "") ",\"0\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
     "no list of at most 8 numbers"},
    {LISTS("", "0", "", "") ",\"0\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}",
     "no list of at most 8 numbers"},
    {LISTS("", "1", "", "") ",\"1\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", "no number below 1"},
    {LISTS("", "-1", "", "") "}", "a constant has no id"},
    {LISTS("", "1e3", "", "") "}", "a constant has no id"},
    {LISTS("{" NAMED("x") "," Q "shape" Q ":[]," Q "id" Q ":0}", "", "", "") "}", "input 'x' has no data type"},
    {LISTS("{" NAMED("x") "," Q "dataType" Q ":" Q "float32" Q "," Q "shape" Q ":[0]," Q "id" Q ":0}", "", "", "") "}",
     "dimension 0 is 0"},
    {LISTS("{" NAMED("x") "," Q "dataType" Q ":" Q "float32" Q "," Q "shape" Q ":[]}", "", "", "") "}",
     "no number below 1"},
    {LISTS("", "0", "{" OP("relu") "}", "") K0, "no name or no outputs"},
    {LISTS("", "0", "{" OP("relu") "," Q "outputs" Q ":[]}", "") K0, "no name or no outputs"},
    {LISTS("", "0", "{" Q "outputs" Q ":[1]}", "") K0, "no name or no outputs"},
    {LISTS("", "0", "{" OP("relu\\\\u0000") "," Q "outputs" Q ":[1]}", "") K0, "no operation 'relu"},
    {LISTS("", "0", "{" OP("relu") "," Q "outputs" Q ":[1]}", "") K0, "arguments or options are missing"},
    {LISTS("", "0", RELU("", "[]", "1"), "") K0, "arguments or options are missing"},
    {LISTS("", "0", RELU("," Q "input" Q ":0", "{}", "1"), "") K0, "'input' is no option of it, or there twice"},
    {LISTS("", "0", RELU("", "{" Q "input" Q ":0}", "1"), "") K0, "'input' is no option of it"},
    {LISTS("", "0", RELU("", "{" Q "label" Q ":7}", "1"), "") K0, "relu: label is of the wrong kind"},
    {LISTS("", "0", RELU("", "{}", "1,2"), "") K0, "relu: gives 1 operands, the file has 2"},
    {LISTS("", "0", RELU("", "{}", "0"), "") K0, "id 0 is there twice"},
    {LISTS("", "0", RELU("", "{}", "2"), "") K0, "no number below 2"},
    {LISTS("", "0", "", "{" Q "id" Q ":0}") K0, "an output has no name"},
    {LISTS("", "0", "", "{" NAMED("y") "," Q "id" Q ":1}") K0, "isn't there before"},
    {LISTS("", "0", "", "{" NAMED("y") "}") K0, "isn't there before"},
    {"{\"a\":1", "has no end"},
    {"{\"a\"", "member has no name"},
    {"{\"a\":", "ends too early"},
    {"{a:1}", "member has no name"},
    {"{} 1", "something follows the end"},
    {"{\"a\":+1}", "a value is none"},
    {"{\"a\":01}", "a value is none"},
    {"{\"a\":1.}", "a value is none"},
    {"{\"a\":1e}", "a value is none"},
    {"{\"a\":nul}", "a value is none"},
    {"{\"a\":\"b}", "a string has no end"},
    {"{\"a\":\"\t\"}", "control character"},
    {"{\"a\":\"\\x\"}", "bad escape"},
    {"{\"a\":\"\\u12G4\"}", "bad escape"},
    {"{\"a\":\"\\ud800\"}", "bad escape"},
    {"{\"a\":\"\\udc00\"}", "bad escape"},
    {"{\"a\":\"\xff\"}", "not UTF-8"},
};

TEST(lies_are_told_apart) {
  webnn_context *context = make_context();
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    size_t n = strlen(lies[i].header);
    unsigned char *file = calloc(1, 8 + n + 4);
    webnn_error err = {WEBNN_OK, ""};
    for (size_t k = 0; k < 8; k++) file[k] = (unsigned char)((uint64_t)n >> (8 * k));
    memcpy(file + 8, lies[i].header, n);
    CONTEXT("%s", lies[i].fragment);
    CHECK(read_into_fresh(context, file, 8 + n + 4, &err) != WEBNN_OK);
    if (!CHECK(strstr(err.message, lies[i].fragment) != NULL)) printf("    is \"%s\"\n", err.message);
    free(file);
  }
  CONTEXT("%s", "");
  webnn_context_release(context);
}

TEST(nesting_has_a_limit) {
  webnn_context *context = make_context();
  const size_t n = 1000000;
  unsigned char *file = malloc(8 + n);
  for (size_t k = 0; k < 8; k++) file[k] = (unsigned char)((uint64_t)n >> (8 * k));
  memset(file + 8, '[', n);
  webnn_error err;
  CHECK_STATUS(read_into_fresh(context, file, 8 + n, &err), WEBNN_ERROR_OPERATION);
  CHECK(strstr(err.message, "nested too deeply") != NULL);
  free(file);
  webnn_context_release(context);
}

/* A header that claims more than there is, up to all that a number holds. */
TEST(a_header_is_inside_its_file) {
  webnn_context *context = make_context();
  static const uint64_t lengths[] = {3, 4, UINT64_MAX - 7, UINT64_MAX};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    unsigned char file[10] = {0};
    webnn_error err;
    for (size_t k = 0; k < 8; k++) file[k] = (unsigned char)(lengths[i] >> (8 * k));
    memcpy(file + 8, "{}", 2);
    CHECK_STATUS(read_into_fresh(context, file, sizeof file, &err), WEBNN_ERROR_OPERATION);
    CHECK(strstr(err.message, "the file has 2 behind it") != NULL);
    CHECK_STATUS(read_into_fresh(context, file, i, &err), WEBNN_ERROR_OPERATION);
    CHECK(strstr(err.message, "too few for a header") != NULL);
  }
  webnn_context_release(context);
}

/* A file is mapped as long as a graph may use its bytes, whoever goes first. */
TEST(files_are_there_whole_and_stay_mapped) {
  webnn_context *context = make_context();
  webnn_builder *builder = make_builder(context);
  webnn_named_operand outputs[2];
  const webnn_named_operand *outs = NULL;
  webnn_future *future = NULL;
  size_t n = make_graph(builder, outputs), n_outs = 0;
  const char *path = "test_serial.webnn";
  CHECK_STATUS(webnn_serial_write_file(builder, outputs, n, path), WEBNN_OK);
  CHECK_STATUS(webnn_serial_write_file(builder, outputs, n, "no/such/folder/x.webnn"), WEBNN_ERROR_UNKNOWN);
  CHECK(strstr(webnn_builder_error(builder)->message, "no/such/folder/x.webnn") != NULL);
  webnn_builder_release(builder);

  builder = make_builder(context);
  CHECK_STATUS(webnn_serial_read_file(builder, "no such file", &outs, &n_outs), WEBNN_ERROR_UNKNOWN);
  CHECK_STATUS(webnn_serial_read_file(builder, ".", &outs, &n_outs), WEBNN_ERROR_OPERATION);
  CHECK_STATUS(webnn_serial_read_file(builder, path, &outs, &n_outs), WEBNN_OK);
  CHECK_STATUS(webnn_builder_build(builder, outs, n_outs, &future), WEBNN_OK);
  webnn_builder_release(builder);
  remove(path); /* its bytes live on */
  webnn_future_wait(future, -1);
  int64_t in[3] = {1, 2, 3}, y[3];
  int8_t z[3];
  webnn_named_data to[2] = {{WEBNN_STR("y"), y, sizeof y}, {WEBNN_STR("z\0z"), z, sizeof z}};
  CHECK_STATUS(webnn_graph_compute(context, webnn_future_graph(future),
                                   &(webnn_named_data){WEBNN_STR(NAME), in, sizeof in}, 1, to, 2, NULL),
               WEBNN_OK);
  CHECK(z[0] == 2 && z[1] == -1 && z[2] == 4);
  webnn_future_release(future);
  webnn_context_release(context);
}

/* A file is written under a name of its own, so what stands beside its place is let alone; a pipe is no file. */
TEST(other_files_are_let_alone) {
  webnn_context *context = make_context();
  webnn_builder *builder = make_builder(context);
  webnn_named_operand outputs[2];
  const webnn_named_operand *outs = NULL;
  size_t n = make_graph(builder, outputs), n_outs = 0;
  char text[16] = "";
  FILE *victim = fopen("test_serial.victim", "w");
  if (!REQUIRE(victim != NULL)) return;
  fputs("precious", victim);
  fclose(victim);
  CHECK(symlink("test_serial.victim", "test_serial.other.part") == 0);
  CHECK_STATUS(webnn_serial_write_file(builder, outputs, n, "test_serial.other"), WEBNN_OK);
  victim = fopen("test_serial.victim", "r");
  CHECK(victim != NULL && fgets(text, sizeof text, victim) != NULL);
  CHECK_STR(text, "precious");
  if (victim != NULL) fclose(victim);
  remove("test_serial.victim");
  remove("test_serial.other.part");
  remove("test_serial.other");

  CHECK(mkfifo("test_serial.pipe", 0600) == 0);
  alarm(20);
  CHECK_STATUS(webnn_serial_read_file(builder, "test_serial.pipe", &outs, &n_outs), WEBNN_ERROR_OPERATION);
  alarm(0);
  remove("test_serial.pipe");
  webnn_builder_release(builder);
  webnn_context_release(context);
}

/* The first input is read before the second one's name turns out to be taken. */
TEST(a_failed_reading_leaves_nothing) {
  webnn_context *context = make_context();
  webnn_builder *builder = make_builder(context);
  const webnn_descriptor one = {WEBNN_DATA_TYPE_FLOAT32, 1, &(uint32_t){1}};
  webnn_operand *a, *x, *y;
  bytes file = {NULL, 0};
  const webnn_named_operand *outs = NULL;
  size_t n_outs = 0;
  CHECK_STATUS(webnn_builder_input(builder, WEBNN_STR("a"), &one, &a), WEBNN_OK);
  CHECK_STATUS(webnn_builder_input(builder, WEBNN_STR("x"), &one, &x), WEBNN_OK);
  CHECK_STATUS(webnn_add(builder, a, x, NULL, &y), WEBNN_OK);
  CHECK_STATUS(webnn_serial_write(builder, &(webnn_named_operand){WEBNN_STR("y"), y}, 1, append, &file), WEBNN_OK);
  webnn_builder_release(builder);

  builder = make_builder(context);
  CHECK_STATUS(webnn_builder_input(builder, WEBNN_STR("x"), &one, &x), WEBNN_OK);
  CHECK_STATUS(webnn_serial_read(builder, file.data, file.n, &outs, &n_outs), WEBNN_ERROR_TYPE);
  CHECK(webnn_builder_n_operands(builder) == 1);
  CHECK_STATUS(webnn_builder_input(builder, WEBNN_STR("a"), &one, &a), WEBNN_OK);
  webnn_builder_release(builder);
  free(file.data);
  webnn_context_release(context);
}

int main(int argc, char **argv) {
  return harness_main(
      argc, argv,
      (harness_test[]){RUN(a_file_is_what_it_was), RUN(data_begins_aligned_and_large_elements_come_first),
                       RUN(writing_leaves_the_builder_open), RUN(a_file_that_ends_too_early_is_refused),
                       RUN(damage_does_no_harm), RUN(lies_are_told_apart), RUN(a_header_is_inside_its_file),
                       RUN(nesting_has_a_limit),
                       RUN(files_are_there_whole_and_stay_mapped), RUN(other_files_are_let_alone),
                       RUN(a_failed_reading_leaves_nothing), {NULL, NULL}});
}
