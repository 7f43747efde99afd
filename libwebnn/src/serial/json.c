#include "serial/json.h"

#include "base/error.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64
#define EXACT (UINT64_C(1) << 53) /* larger integers are written as strings */

/* ---- reading */

typedef struct reader {
  wnn_arena *arena;
  const char *at, *end;
  int depth;
  const char *why;
  bool starved; /* it isn't the text's fault */
} reader;

static wnn_json *refuse(reader *r, const char *why) {
  if (r->why == NULL) r->why = why;
  return NULL;
}

static wnn_json *starve(reader *r) {
  r->starved = true;
  return NULL;
}

static void skip_space(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) r->at++;
}

static bool take(reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four hex digits behind "\u"; -1 when they aren't there. */
static int32_t read_code_unit(reader *r) {
  int32_t unit = 0;
  if (r->end - r->at < 4) return -1;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*r->at++);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static size_t put_utf8(char *out, uint32_t c) {
  if (c < 0x80) return out[0] = (char)c, 1;
  if (c < 0x800) return out[0] = (char)(0xC0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3F)), 2;
  if (c < 0x10000) {
    out[0] = (char)(0xE0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3F)), out[2] = (char)(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 0x3F));
  out[2] = (char)(0x80 | (c >> 6 & 0x3F)), out[3] = (char)(0x80 | (c & 0x3F));
  return 4;
}

/* What follows a backslash, decoded into `out`; 0 when it is nothing. */
static size_t read_escape(reader *r, char *out) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  if (r->at == r->end) return 0;
  char c = *r->at++;
  const char *name = c ? strchr(names, c) : NULL;
  if (name != NULL) return out[0] = values[name - names], 1;
  int32_t unit = c == 'u' ? read_code_unit(r) : -1;
  if (unit < 0 || (unit >= 0xDC00 && unit <= 0xDFFF)) return 0;
  if (unit < 0xD800 || unit > 0xDBFF) return put_utf8(out, (uint32_t)unit);
  if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u') return 0;
  r->at += 2;
  int32_t low = read_code_unit(r);
  if (low < 0xDC00 || low > 0xDFFF) return 0;
  return put_utf8(out, 0x10000u + (((uint32_t)unit - 0xD800u) << 10) + ((uint32_t)low - 0xDC00u));
}

/* Behind the opening quote. Decoding never makes a text longer. */
static bool read_string(reader *r, webnn_str *out) {
  const char *close = r->at;
  while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= r->end) return refuse(r, "a string has no end") != NULL;
  char *text = wnn_arena_get(r->arena, (size_t)(close - r->at) + 1);
  size_t n = 0;
  if (text == NULL) return starve(r) != NULL;
  while (r->at < close) {
    char c = *r->at++;
    if ((unsigned char)c < 0x20) return refuse(r, "a string holds a control character") != NULL;
    size_t more = 1;
    if (c == '\\') more = read_escape(r, text + n);
    else text[n] = c;
    if (more == 0) return refuse(r, "a string holds a bad escape") != NULL;
    n += more;
  }
  r->at = close + 1;
  *out = (webnn_str){text, n};
  return wnn_utf8_valid(*out) || refuse(r, "a string is not UTF-8") != NULL;
}

/* JSON's own grammar of numbers. */
static bool read_number(reader *r, webnn_str *out) {
  const char *start = r->at;
#define DIGITS() while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++
  if (r->at < r->end && *r->at == '-') r->at++;
  const char *digits = r->at;
  DIGITS();
  if (r->at == digits || (*digits == '0' && r->at - digits > 1)) return false;
  if (r->at < r->end && *r->at == '.') {
    const char *fraction = ++r->at;
    DIGITS();
    if (r->at == fraction) return false;
  }
  if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
    r->at++;
    if (r->at < r->end && (*r->at == '+' || *r->at == '-')) r->at++;
    const char *exponent = r->at;
    DIGITS();
    if (r->at == exponent) return false;
  }
#undef DIGITS
  *out = (webnn_str){start, (size_t)(r->at - start)};
  return true;
}

static wnn_json *read_value(reader *r);

static bool read_members(reader *r, wnn_json *value, bool is_object) {
  char close = is_object ? '}' : ']';
  wnn_json *last = NULL;
  if (take(r, close)) return true;
  do {
    webnn_str key = {NULL, 0};
    if (is_object && (!take(r, '"') || !read_string(r, &key) || !take(r, ':')))
      return refuse(r, "an object's member has no name") != NULL;
    wnn_json *item = read_value(r);
    if (item == NULL) return false;
    item->key = key;
    if (last != NULL) last->next = item;
    else value->first = item;
    last = item;
    value->n++;
  } while (take(r, ','));
  return take(r, close) || refuse(r, "a list or object has no end") != NULL;
}

static bool take_word(reader *r, const char *word) {
  size_t n = strlen(word);
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
  r->at += n;
  return true;
}

static wnn_json *read_value(reader *r) {
  skip_space(r);
  if (r->at == r->end) return refuse(r, "the text ends too early");
  if (r->depth == MAX_DEPTH) return refuse(r, "it is nested too deeply");
  wnn_json *value = wnn_arena_get(r->arena, sizeof *value);
  if (value == NULL) return starve(r);
  r->depth++;
  char c = *r->at;
  bool held = true;
  if (c == '{' || c == '[') {
    r->at++;
    value->kind = c == '{' ? WNN_JSON_OBJECT : WNN_JSON_ARRAY;
    held = read_members(r, value, c == '{');
  } else if (c == '"') {
    r->at++;
    value->kind = WNN_JSON_STRING;
    held = read_string(r, &value->text);
  } else if (take_word(r, "true") || take_word(r, "false")) {
    value->kind = WNN_JSON_BOOL;
    value->truth = c == 't';
  } else if (!take_word(r, "null")) {
    value->kind = WNN_JSON_NUMBER;
    held = read_number(r, &value->text) || refuse(r, "a value is none") != NULL;
  }
  r->depth--;
  return held ? value : NULL;
}

const wnn_json *wnn_json_read(wnn_arena *arena, webnn_str text, const char **why) {
  reader r = {.arena = arena, .at = text.data, .end = text.data + text.size};
  const wnn_json *value = read_value(&r);
  skip_space(&r);
  if (value != NULL && r.at != r.end) value = refuse(&r, "something follows the end");
  *why = r.starved ? NULL : r.why;
  return value;
}

bool wnn_json_str_is(webnn_str text, const char *expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

const wnn_json *wnn_json_get(const wnn_json *object, const char *key) {
  if (!wnn_json_is(object, WNN_JSON_OBJECT)) return NULL;
  for (const wnn_json *member = object->first; member != NULL; member = member->next)
    if (wnn_json_str_is(member->key, key)) return member;
  return NULL;
}

/* An integer without sign in decimal digits. */
static bool parse_digits(webnn_str text, uint64_t *out) {
  *out = 0;
  for (size_t i = 0; i < text.size; i++) {
    unsigned digit = (unsigned)(text.data[i] - '0');
    if (digit > 9 || *out > (UINT64_MAX - digit) / 10) return false;
    *out = *out * 10 + digit;
  }
  return text.size > 0;
}

bool wnn_json_uint(const wnn_json *value, uint64_t max, uint64_t *out) {
  return wnn_json_is(value, WNN_JSON_NUMBER) && parse_digits(value->text, out) && *out <= max;
}

static bool parse_integer(webnn_str text, webnn_number *out) {
  bool negative = text.size > 0 && text.data[0] == '-';
  uint64_t magnitude;
  if (!parse_digits((webnn_str){text.data + negative, text.size - negative}, &magnitude)) return false;
  if (!negative) *out = (webnn_number){WEBNN_NUMBER_UINT64, {.u = magnitude}};
  else if (magnitude == 0) *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = -0.0}};
  else if (magnitude > UINT64_C(1) << 63) return false;
  else *out = (webnn_number){WEBNN_NUMBER_INT64, {.i = (int64_t)(0 - magnitude)}};
  return true;
}

/* strtod reads the point of the host's locale. */
static bool parse_double(webnn_str text, webnn_number *out) {
  char copy[64];
  if (text.size == 0 || text.size >= sizeof copy) return false;
  memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  char *point = strchr(copy, '.'), *end = NULL;
  if (point != NULL) *point = *localeconv()->decimal_point;
  *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = strtod(copy, &end)}};
  return *end == '\0';
}

bool wnn_json_number(const wnn_json *value, webnn_number *out) {
  if (wnn_json_is(value, WNN_JSON_NUMBER)) return parse_integer(value->text, out) || parse_double(value->text, out);
  if (!wnn_json_is(value, WNN_JSON_STRING)) return false;
  static const struct {
    const char *name;
    double value;
  } specials[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    if (wnn_json_str_is(value->text, specials[i].name)) {
      *out = (webnn_number){WEBNN_NUMBER_DOUBLE, {.f = specials[i].value}};
      return true;
    }
  return parse_integer(value->text, out);
}

/* ---- writing */

void wnn_text_free(wnn_text *text) {
  wnn_alloc_free(&text->alloc, text->data, text->room);
  text->data = NULL;
}

void wnn_text_raw(wnn_text *text, const char *data, size_t n) {
  if (text->failed || n == 0) return;
  if (n > text->room - text->n) {
    size_t room = text->room ? text->room : 1024;
    while (room - text->n < n) room *= 2;
    char *grown = wnn_alloc_resize(&text->alloc, text->data, text->room, room);
    if (grown == NULL) {
      text->failed = true;
      return;
    }
    text->data = grown;
    text->room = room;
  }
  memcpy(text->data + text->n, data, n);
  text->n += n;
}

void wnn_text_words(wnn_text *text, const char *words) { wnn_text_raw(text, words, strlen(words)); }

void wnn_text_string(wnn_text *text, webnn_str string) {
  char escape[8];
  wnn_text_words(text, "\"");
  for (size_t i = 0; i < string.size; i++) {
    unsigned char c = (unsigned char)string.data[i];
    if (c == '"' || c == '\\') {
      wnn_text_raw(text, (char[]){'\\', (char)c}, 2);
    } else if (c < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", c);
      wnn_text_words(text, escape);
    } else {
      wnn_text_raw(text, &string.data[i], 1);
    }
  }
  wnn_text_words(text, "\"");
}

void wnn_text_uint(wnn_text *text, uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  wnn_text_words(text, digits);
}

void wnn_text_number(wnn_text *text, webnn_number number) {
  char digits[40];
  bool big = false;
  if (number.kind == WEBNN_NUMBER_UINT64) {
    big = number.as.u > EXACT;
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number.as.u);
  } else if (number.kind == WEBNN_NUMBER_INT64) {
    big = number.as.i > (int64_t)EXACT || number.as.i < -(int64_t)EXACT;
    snprintf(digits, sizeof digits, "%lld", (long long)number.as.i);
  } else if (isfinite(number.as.f)) {
    snprintf(digits, sizeof digits, "%.17g", number.as.f);
    for (char *c = digits; *c != '\0'; c++) /* the point of the host's locale */
      if (strchr("0123456789+-eE", *c) == NULL) *c = '.';
  } else {
    big = true;
    snprintf(digits, sizeof digits, "%s", number.as.f != number.as.f ? "NaN" : number.as.f > 0 ? "Infinity" : "-Infinity");
  }
  if (big) wnn_text_words(text, "\"");
  wnn_text_words(text, digits);
  if (big) wnn_text_words(text, "\"");
}
