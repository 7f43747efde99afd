/* JSON, as much as graph files need: a reader that trusts nothing, and a growing text. */
#ifndef WNN_SERIAL_JSON_H
#define WNN_SERIAL_JSON_H

#include "base/arena.h"

typedef enum wnn_json_kind {
  WNN_JSON_NULL,
  WNN_JSON_BOOL,
  WNN_JSON_NUMBER, /* kept as text: exact */
  WNN_JSON_STRING,
  WNN_JSON_ARRAY,
  WNN_JSON_OBJECT,
} wnn_json_kind;

typedef struct wnn_json wnn_json;
struct wnn_json {
  wnn_json_kind kind;
  bool truth;
  webnn_str text; /* STRING: decoded; NUMBER: as written */
  webnn_str key;  /* of a member of an object */
  wnn_json *first, *next; /* items or members, in order */
  size_t n;
};

/* Reads one value and nothing behind it. NULL: `*why` says what is wrong, or is NULL when out of
 * memory. */
const wnn_json *wnn_json_read(wnn_arena *arena, webnn_str text, const char **why);

/* The member of an object, NULL when there is none. */
const wnn_json *wnn_json_get(const wnn_json *object, const char *key);
static inline bool wnn_json_is(const wnn_json *value, wnn_json_kind kind) {
  return value != NULL && value->kind == kind;
}
bool wnn_json_str_is(webnn_str text, const char *expected);

/* An integer that fits; false for anything else. */
bool wnn_json_uint(const wnn_json *value, uint64_t max, uint64_t *out);
/* A number, or a string that holds one: "NaN", "Infinity", "-Infinity", an integer beyond 2^53. */
bool wnn_json_number(const wnn_json *value, webnn_number *out);

/* A text that grows; once it has failed it stays failed. */
typedef struct wnn_text {
  wnn_alloc alloc;
  char *data;
  size_t n, room;
  bool failed;
} wnn_text;

void wnn_text_free(wnn_text *text);
void wnn_text_raw(wnn_text *text, const char *data, size_t n);
void wnn_text_words(wnn_text *text, const char *words); /* as they stand */
void wnn_text_string(wnn_text *text, webnn_str string); /* quoted and escaped */
void wnn_text_uint(wnn_text *text, uint64_t number);
void wnn_text_number(wnn_text *text, webnn_number number);

#endif
