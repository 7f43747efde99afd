#include "json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_PER_CHUNK 1024
#define MAX_DEPTH 64

typedef struct chunk {
  struct chunk *older;
  size_t used;
  json nodes[NODES_PER_CHUNK];
} chunk;

struct json_document {
  char *text; /* strings are decoded in place: they never grow */
  chunk *chunks;
  json *root;
};

typedef struct reader {
  json_document *document;
  char *at, *end;
  const char *problem;
  int depth;
} reader;

static json *read_value(reader *in);

static void *fail(reader *in, const char *problem) {
  if (in->problem == NULL) in->problem = problem;
  return NULL;
}

static json *new_node(reader *in, json_kind kind) {
  chunk *newest = in->document->chunks;
  if (newest == NULL || newest->used == NODES_PER_CHUNK) {
    newest = calloc(1, sizeof *newest);
    if (newest == NULL) return fail(in, "out of memory");
    newest->older = in->document->chunks;
    in->document->chunks = newest;
  }
  json *node = &newest->nodes[newest->used++];
  node->kind = kind;
  return node;
}

static void skip_space(reader *in) {
  while (in->at < in->end &&
         (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t'))
    in->at++;
}

static bool take(reader *in, char c) {
  skip_space(in);
  if (in->at == in->end || *in->at != c) return false;
  in->at++;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The four digits after \u; -1 when they aren't. */
static long read_unit(reader *in) {
  long unit = 0;
  if (in->end - in->at < 4) return -1;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*in->at++);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static char *put_utf8(char *to, uint32_t c) {
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xC0 | c >> 6);
    *to++ = (char)(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *to++ = (char)(0xE0 | c >> 12);
    *to++ = (char)(0x80 | (c >> 6 & 63));
    *to++ = (char)(0x80 | (c & 63));
  } else {
    *to++ = (char)(0xF0 | c >> 18);
    *to++ = (char)(0x80 | (c >> 12 & 63));
    *to++ = (char)(0x80 | (c >> 6 & 63));
    *to++ = (char)(0x80 | (c & 63));
  }
  return to;
}

/* A \u escape, or two that make up one character. */
static char *read_unicode(reader *in, char *to) {
  long high = read_unit(in);
  if (high < 0) return fail(in, "bad \\u escape");
  if (high < 0xD800 || high > 0xDFFF) return put_utf8(to, (uint32_t)high);
  if (high > 0xDBFF || in->end - in->at < 2 || in->at[0] != '\\' || in->at[1] != 'u')
    return fail(in, "lone surrogate");
  in->at += 2;
  long low = read_unit(in);
  if (low < 0xDC00 || low > 0xDFFF) return fail(in, "lone surrogate");
  return put_utf8(to, 0x10000u + (uint32_t)(high - 0xD800) * 1024u + (uint32_t)(low - 0xDC00));
}

static char *read_escape(reader *in, char *to) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  if (in->at == in->end) return fail(in, "open string");
  char c = *in->at++;
  if (c == 'u') return read_unicode(in, to);
  const char *name = c != '\0' ? strchr(names, c) : NULL;
  if (name == NULL) return fail(in, "unknown escape");
  *to++ = values[name - names];
  return to;
}

/* Decodes a string, whose opening quote is taken; a NUL goes where its closing quote was. */
static bool read_string(reader *in, const char **text, size_t *size) {
  char *begin = in->at, *to = begin;
  while (in->at < in->end && *in->at != '"') {
    char c = *in->at++;
    if ((unsigned char)c < 0x20) return fail(in, "control character in a string") != NULL;
    if (c != '\\') *to++ = c;
    else if ((to = read_escape(in, to)) == NULL) return false;
  }
  if (in->at == in->end) return fail(in, "open string") != NULL;
  in->at++;
  *to = '\0';
  *text = begin;
  *size = (size_t)(to - begin);
  return true;
}

static size_t count_digits(reader *in) {
  const char *begin = in->at;
  while (in->at < in->end && *in->at >= '0' && *in->at <= '9') in->at++;
  return (size_t)(in->at - begin);
}

static json *read_number(reader *in) {
  json *node = new_node(in, JSON_NUMBER);
  if (node == NULL) return NULL;
  node->text = in->at;
  if (*in->at == '-') in->at++;
  bool leading_zero = in->at < in->end && *in->at == '0';
  size_t n_digits = count_digits(in);
  if (n_digits == 0 || (leading_zero && n_digits > 1)) return fail(in, "bad number");
  if (in->at < in->end && *in->at == '.') {
    in->at++;
    if (count_digits(in) == 0) return fail(in, "bad number");
  }
  if (in->at < in->end && (*in->at == 'e' || *in->at == 'E')) {
    in->at++;
    if (in->at < in->end && (*in->at == '+' || *in->at == '-')) in->at++;
    if (count_digits(in) == 0) return fail(in, "bad number");
  }
  node->size = (size_t)(in->at - node->text);
  return node;
}

static json *read_word(reader *in) {
  static const struct {
    const char *text;
    json_kind kind;
  } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t size = strlen(words[i].text);
    if ((size_t)(in->end - in->at) < size || memcmp(in->at, words[i].text, size) != 0) continue;
    in->at += size;
    return new_node(in, words[i].kind);
  }
  return fail(in, "no value");
}

static bool read_key(reader *in, const char **key, size_t *size) {
  if (!take(in, '"')) return fail(in, "no key") != NULL;
  if (!read_string(in, key, size)) return false;
  return take(in, ':') || fail(in, "no colon") != NULL;
}

/* The children of a list or an object, whose opening bracket is taken. */
static json *read_children(reader *in, json_kind kind) {
  char closing = kind == JSON_LIST ? ']' : '}';
  json *parent = new_node(in, kind);
  if (parent == NULL) return NULL;
  const json **link = &parent->first;
  if (take(in, closing)) return parent;
  do {
    const char *key = NULL;
    size_t key_size = 0;
    if (kind == JSON_OBJECT && !read_key(in, &key, &key_size)) return NULL;
    json *child = read_value(in);
    if (child == NULL) return NULL;
    child->key = key;
    child->key_size = key_size;
    *link = child;
    link = &child->next;
    parent->size++;
  } while (take(in, ','));
  return take(in, closing) ? parent : fail(in, "no closing bracket");
}

static json *read_value(reader *in) {
  json *node;
  skip_space(in);
  if (in->at == in->end) return fail(in, "no value");
  if (*in->at == '-' || (*in->at >= '0' && *in->at <= '9')) return read_number(in);
  if (take(in, '"')) {
    node = new_node(in, JSON_STRING);
    return node != NULL && read_string(in, &node->text, &node->size) ? node : NULL;
  }
  bool is_list = *in->at == '[';
  if (!is_list && *in->at != '{') return read_word(in);
  if (in->depth == MAX_DEPTH) return fail(in, "nested too deep");
  in->at++;
  in->depth++;
  node = read_children(in, is_list ? JSON_LIST : JSON_OBJECT);
  in->depth--;
  return node;
}

/* Takes the text, `size` bytes and a NUL behind them. */
static json_document *parse_owned(char *text, size_t size, char message[128]) {
  json_document *document = calloc(1, sizeof *document);
  reader in = {.document = document, .at = text, .end = text + size};
  if (document == NULL) {
    free(text);
    snprintf(message, 128, "out of memory");
    return NULL;
  }
  document->text = text;
  document->root = read_value(&in);
  skip_space(&in);
  if (document->root != NULL && in.at == in.end) return document;
  fail(&in, "more text after the value");
  snprintf(message, 128, "byte %zu: %s", (size_t)(in.at - text), in.problem);
  json_free(document);
  return NULL;
}

json_document *json_parse(const char *text, size_t size, char message[128]) {
  char *copy = malloc(size + 1);
  if (copy == NULL) {
    snprintf(message, 128, "out of memory");
    return NULL;
  }
  if (size != 0) memcpy(copy, text, size);
  copy[size] = '\0';
  return parse_owned(copy, size, message);
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long end = -1;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) text = malloc((size_t)end + 1);
  if (text != NULL && fread(text, 1, (size_t)end, file) != (size_t)end) {
    free(text);
    text = NULL;
  }
  fclose(file);
  if (text == NULL) return NULL;
  text[end] = '\0';
  *size = (size_t)end;
  return text;
}

json_document *json_load(const char *path, char message[128]) {
  size_t size;
  char *text = read_file(path, &size);
  if (text != NULL) return parse_owned(text, size, message);
  snprintf(message, 128, "can't be read");
  return NULL;
}

void json_free(json_document *document) {
  if (document == NULL) return;
  while (document->chunks != NULL) {
    chunk *older = document->chunks->older;
    free(document->chunks);
    document->chunks = older;
  }
  free(document->text);
  free(document);
}

const json *json_root(const json_document *document) { return document->root; }

const json *json_get(const json *object, const char *key) {
  if (object == NULL || object->kind != JSON_OBJECT) return NULL;
  size_t size = strlen(key);
  for (const json *child = object->first; child != NULL; child = child->next)
    if (child->key_size == size && memcmp(child->key, key, size) == 0) return child;
  return NULL;
}

bool json_is(const json *value, const char *text) {
  return value != NULL && value->kind == JSON_STRING && value->size == strlen(text) &&
         memcmp(value->text, text, value->size) == 0;
}
