#include "source.h"

#include <stdio.h>
#include <string.h>

static bool make_room(wnn_source *text, size_t more) {
  if (text->failed) return false;
  if (text->size + more + 1 <= text->room) return true;
  size_t room = 2 * (text->room + more) + 512;
  char *data = wnn_alloc_resize(text->alloc, text->data, text->room, room);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  text->data = data;
  text->room = room;
  return true;
}

void wnn_source_put(wnn_source *text, const char *words) {
  size_t n = strlen(words);
  if (!make_room(text, n)) return;
  memcpy(text->data + text->size, words, n + 1);
  text->size += n;
}

void wnn_source_addv(wnn_source *text, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  if (n >= 0 && make_room(text, (size_t)n)) {
    vsnprintf(text->data + text->size, (size_t)n + 1, format, again);
    text->size += (size_t)n;
  }
  va_end(again);
}

void wnn_source_add(wnn_source *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  wnn_source_addv(text, format, args);
  va_end(args);
}

void wnn_source_free(wnn_source *text) {
  wnn_alloc_free(text->alloc, text->data, text->room);
  *text = wnn_source_on(text->alloc);
}
