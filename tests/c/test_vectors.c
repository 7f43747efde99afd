/* The judge judged: the JSON reader and the comparison of elements that conformance runs rest on.
 */
#include "elements.h"
#include "harness.h"

#include <math.h>

static char message[128];

static json_document *parse(const char *text) { return json_parse(text, strlen(text), message); }

TEST(json_reads_every_kind) {
  json_document *document =
      parse(" {\"a\": [null, true, false, -1.5e+3], \"b\": {}, \"c\": \"x\"} ");
  if (!REQUIRE(document != NULL)) return;
  const json *root = json_root(document), *item = json_get(root, "a")->first;
  CHECK(root->kind == JSON_OBJECT && root->size == 3);
  CHECK(item->kind == JSON_NULL);
  CHECK(item->next->kind == JSON_TRUE);
  CHECK(item->next->next->kind == JSON_FALSE);
  item = item->next->next->next;
  CHECK(item->kind == JSON_NUMBER && item->size == 7 && memcmp(item->text, "-1.5e+3", 7) == 0);
  CHECK(item->next == NULL);
  CHECK(json_get(root, "b")->kind == JSON_OBJECT && json_get(root, "b")->first == NULL);
  CHECK(json_is(json_get(root, "c"), "x"));
  CHECK(json_get(root, "d") == NULL && json_get(item, "a") == NULL);
  json_free(document);
}

TEST(json_decodes_escapes) {
  json_document *document = parse("\"\\u0000\\n\\\"\\\\\\/\\u00e9\\u263A\\ud83d\\ude00\xC3\xA9\"");
  static const char expected[] = "\0\n\"\\/\xC3\xA9\xE2\x98\xBA\xF0\x9F\x98\x80\xC3\xA9";
  if (!REQUIRE(document != NULL)) return;
  const json *root = json_root(document);
  CHECK(root->size == sizeof expected - 1);
  CHECK(memcmp(root->text, expected, sizeof expected) == 0);
  json_free(document);
}

TEST(json_refuses_what_is_none) {
  static const char *const texts[] = {
      "",
      "[1,]",
      "{\"a\" 1}",
      "{1:2}",
      "[1 2]",
      "\"open",
      "\"\\x\"",
      "\"\\ud800\"",
      "\"\\udc00\"",
      "\"\\u12G4\"",
      "01",
      "1.",
      "-",
      "1e",
      "nul",
      "[1] 2",
      "[",
      "{\"a\":",
      "\"\n\"",
      ".5",
      "\"\\ud800\\u0041\"",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    CONTEXT("%s", texts[i]);
    json_document *document = parse(texts[i]);
    CHECK(document == NULL);
    json_free(document);
  }
}

static bool number(const char *text, webnn_number *out) {
  json_document *document = parse(text);
  bool ok = document != NULL && elements_number(json_root(document), out);
  json_free(document);
  return ok;
}

TEST(numbers_stay_exact) {
  webnn_number x;
  CHECK(number("9007199254740993", &x) && x.kind == WEBNN_NUMBER_INT64 &&
        x.as.i == 9007199254740993);
  CHECK(number("\"-9223372036854775808\"", &x) && x.kind == WEBNN_NUMBER_INT64 &&
        x.as.i == INT64_MIN);
  CHECK(number("\"18446744073709551615\"", &x) && x.kind == WEBNN_NUMBER_UINT64 &&
        x.as.u == UINT64_MAX);
  CHECK(number("-0", &x) && x.kind == WEBNN_NUMBER_DOUBLE && signbit(x.as.f));
  CHECK(number("\"-Infinity\"", &x) && isinf(x.as.f) && x.as.f < 0);
  CHECK(number("\"NaN\"", &x) && isnan(x.as.f));
  CHECK(number("1e3", &x) && x.kind == WEBNN_NUMBER_DOUBLE && x.as.f == 1000);
  CHECK(!number("\"\"", &x) && !number("\"one\"", &x) && !number("true", &x) && !number("[1]", &x));
}

static const char *fill(void *out, webnn_data_type type, size_t n, const char *text) {
  json_document *document = parse(text);
  const char *problem =
      document != NULL ? elements_fill(out, type, n, json_root(document)) : "JSON";
  json_free(document);
  return problem;
}

TEST(elements_are_stored_exactly_or_refused) {
  uint16_t half[7];
  static const uint16_t bits[7] = {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x0400, 0x7C00, 0x8000};
  int8_t small[2];
  uint64_t big[2];
  const char *text = "[1, -2, 65504, 5.960464477539063e-08, 0.00006103515625, \"Infinity\", -0.0]";
  CHECK(fill(half, WEBNN_DATA_TYPE_FLOAT16, 7, text) == NULL);
  CHECK(memcmp(half, bits, sizeof bits) == 0);
  CHECK(fill(half, WEBNN_DATA_TYPE_FLOAT16, 1, "[0.1]") != NULL);
  CHECK(fill(half, WEBNN_DATA_TYPE_FLOAT16, 1, "[65520]") != NULL);
  CHECK(fill(small, WEBNN_DATA_TYPE_INT8, 2, "[-128, 127]") == NULL && small[0] == -128);
  CHECK(fill(small, WEBNN_DATA_TYPE_INT8, 1, "[128]") != NULL);
  CHECK(fill(small, WEBNN_DATA_TYPE_UINT8, 1, "[-1]") != NULL);
  CHECK(fill(small, WEBNN_DATA_TYPE_INT8, 1, "[1.5]") != NULL);
  CHECK(fill(big, WEBNN_DATA_TYPE_UINT64, 2, "{\"fill\": \"18446744073709551615\"}") == NULL);
  CHECK(big[0] == UINT64_MAX && big[1] == UINT64_MAX);
  CHECK(fill(big, WEBNN_DATA_TYPE_INT64, 1, "[\"9223372036854775808\"]") != NULL);
  CHECK(fill(big, WEBNN_DATA_TYPE_INT64, 2, "[1]") != NULL);
}

/* One element against another. */
static bool close(webnn_data_type type, const char *is, const char *expected,
                  elements_tolerance t) {
  uint64_t a = 0, b = 0;
  CHECK(fill(&a, type, 1, is) == NULL && fill(&b, type, 1, expected) == NULL);
  return elements_differ(&a, &b, type, 1, &t) == 1;
}

TEST(float_tolerances) {
  const webnn_data_type f32 = WEBNN_DATA_TYPE_FLOAT32, f16 = WEBNN_DATA_TYPE_FLOAT16;
  const elements_tolerance exact = {.ulp = true}, one = {.ulp = true, .value = 1};
  const elements_tolerance sign = {.ulp = true, .signed_zero = true}, half = {.value = 0.5};
  CHECK(close(f32, "[1]", "[1]", exact));
  CHECK(!close(f32, "[1.00000011920928955078125]", "[1]", exact));
  CHECK(close(f32, "[1.00000011920928955078125]", "[1]", one));
  CHECK(!close(f32, "[1.0000002384185791015625]", "[1]", one));
  CHECK(close(f16, "[2047]", "[2048]", one) && !close(f16, "[2046]", "[2048]", one));
  CHECK(close(f16, "[-5.960464477539063e-08]", "[0]", one));
  CHECK(!close(f16, "[-5.960464477539063e-08]", "[5.960464477539063e-08]", one));
  CHECK(close(f32, "[-0.0]", "[0]", exact) && !close(f32, "[-0.0]", "[0]", sign));
  CHECK(close(f32, "[-0.0]", "[-0.0]", sign));
  CHECK(close(f32, "[\"NaN\"]", "[\"NaN\"]", exact) && !close(f32, "[\"NaN\"]", "[1]", half));
  CHECK(!close(f32, "[1]", "[\"NaN\"]", half));
  CHECK(close(f16, "[\"Infinity\"]", "[\"Infinity\"]", half));
  CHECK(!close(f16, "[\"Infinity\"]", "[65504]", one) &&
        !close(f16, "[65504]", "[\"Infinity\"]", half));
  CHECK(close(f32, "[1.5]", "[1]", half) && !close(f32, "[1.625]", "[1]", half));
}

TEST(integer_tolerances) {
  const elements_tolerance exact = {.ulp = true}, one = {.ulp = true, .value = 1};
  CHECK(close(WEBNN_DATA_TYPE_INT8, "[-1]", "[0]", one) &&
        !close(WEBNN_DATA_TYPE_INT8, "[-1]", "[0]", exact));
  CHECK(!close(WEBNN_DATA_TYPE_UINT8, "[255]", "[0]", one));
  CHECK(!close(WEBNN_DATA_TYPE_INT64, "[9007199254740993]", "[9007199254740992]", exact));
  CHECK(!close(WEBNN_DATA_TYPE_INT64, "[\"-9223372036854775808\"]", "[\"9223372036854775807\"]",
               one));
  CHECK(!close(WEBNN_DATA_TYPE_UINT64, "[\"18446744073709551615\"]", "[0]", one));
  CHECK(close(WEBNN_DATA_TYPE_UINT64, "[\"18446744073709551615\"]", "[\"18446744073709551614\"]",
              one));
}

TEST(finds_the_first_difference) {
  const float is[] = {1, 2, 3, 5}, expected[] = {1, 2, 4, 4};
  const elements_tolerance exact = {.ulp = true};
  CHECK(elements_differ(is, expected, WEBNN_DATA_TYPE_FLOAT32, 4, &exact) == 2);
  CHECK(elements_differ(is, expected, WEBNN_DATA_TYPE_FLOAT32, 2, &exact) == 2);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){
                          RUN(json_reads_every_kind),
                          RUN(json_decodes_escapes),
                          RUN(json_refuses_what_is_none),
                          RUN(numbers_stay_exact),
                          RUN(elements_are_stored_exactly_or_refused),
                          RUN(float_tolerances),
                          RUN(integer_tolerances),
                          RUN(finds_the_first_difference),
                          {NULL, NULL},
                      });
}
