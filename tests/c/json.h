/* A small JSON reader for test data: a tree of nodes over a copy of the text. Numbers keep their
 * text, so that 64-bit integers stay exact. */
#ifndef WEBNN_TESTS_JSON_H
#define WEBNN_TESTS_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_kind {
  JSON_NULL,
  JSON_FALSE,
  JSON_TRUE,
  JSON_NUMBER,
  JSON_STRING,
  JSON_LIST,
  JSON_OBJECT,
} json_kind;

typedef struct json json;
struct json {
  json_kind kind;
  const char *text; /* strings: decoded, UTF-8; numbers: as written, something else may follow */
  size_t size;      /* strings and numbers: bytes of text; lists and objects: how many children */
  const char *key;  /* in an object */
  size_t key_size;
  const json *first, *next; /* children in order; the next sibling */
};

typedef struct json_document json_document;

/* Reads a whole text; NULL when it is no JSON or memory ran out: `message` then says where. */
json_document *json_parse(const char *text, size_t size, char message[128]);
/* The same of a file. */
json_document *json_load(const char *path, char message[128]);
void json_free(json_document *document); /* NULL is allowed */
const json *json_root(const json_document *document);

/* The child of that key; NULL when there is none or `object` is no object (NULL is allowed). */
const json *json_get(const json *object, const char *key);
/* True when `value` is this string. */
bool json_is(const json *value, const char *text);

#endif
