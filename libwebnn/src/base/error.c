#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const char *const status_names[] = {
#define WEBNN_X(id, name) name,
    WEBNN_STATUS_MAP(WEBNN_X)
#undef WEBNN_X
};

const char *webnn_status_name(webnn_status status) {
  size_t n = sizeof status_names / sizeof status_names[0];
  return (size_t)status < n ? status_names[status] : "UnknownError";
}

webnn_status wnn_error_setv(webnn_error *err, webnn_status status, const char *format, va_list args) {
  if (err == NULL) return status;
  err->status = status;
  int n = vsnprintf(err->message, sizeof err->message, format, args);
  if (n < 0) err->message[0] = '\0';
  if (n >= (int)sizeof err->message) { /* never end inside a character */
    size_t end = sizeof err->message - 1;
    while (end > 0 && ((unsigned char)err->message[end - 1] & 0xC0) == 0x80) end--;
    if (end > 0 && (unsigned char)err->message[end - 1] >= 0xC0) end--;
    err->message[end] = '\0';
  }
  return status;
}

webnn_status wnn_error_set(webnn_error *err, webnn_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  wnn_error_setv(err, status, format, args);
  va_end(args);
  return status;
}

static const char no_memory[] = "out of memory";

webnn_status wnn_error_no_memory(webnn_error *err) {
  return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, no_memory);
}

bool wnn_error_is_no_memory(const webnn_error *err) {
  size_t n = strlen(err->message), n_end = sizeof no_memory - 1;
  return err->status == WEBNN_ERROR_UNKNOWN && n >= n_end &&
         memcmp(err->message + n - n_end, no_memory, n_end) == 0;
}

/* Bytes of the well-formed character at `s`, 0 when there is none; its code point in `*code`. */
static size_t utf8_next(const unsigned char *s, size_t n, uint32_t *code) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  size_t size = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC2 ? 2 : 0;
  if (size == 0 || size > n || s[0] > 0xF4) return 0;
  uint32_t c = size == 1 ? s[0] : s[0] & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
    c = c << 6 | (s[i] & 0x3Fu);
  }
  if (c < least[size] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
  *code = c;
  return size;
}

bool wnn_utf8_valid(webnn_str text) {
  uint32_t code;
  for (size_t i = 0; i < text.size;) {
    size_t n = utf8_next((const unsigned char *)text.data + i, text.size - i, &code);
    if (n == 0) return false;
    i += n;
  }
  return true;
}

/* Controls, and what turns the direction of the text round it. */
static bool is_unprintable(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

wnn_quoted wnn_quote(webnn_str text) {
  wnn_quoted out;
  size_t at = 0;
  for (size_t i = 0; i < text.size;) {
    uint32_t code = 0;
    const unsigned char *s = (const unsigned char *)text.data + i;
    size_t n = utf8_next(s, text.size - i, &code);
    if (at + 12 > sizeof out.text - 4) {
      memcpy(out.text + at, "...", 3);
      at += 3;
      break;
    }
    if (n == 0) {
      at += (size_t)snprintf(out.text + at, sizeof out.text - at, "\\x%02x", (unsigned)s[0]);
      n = 1;
    } else if (is_unprintable(code)) {
      at += (size_t)snprintf(out.text + at, sizeof out.text - at, "\\u%04x", (unsigned)code);
    } else {
      memcpy(out.text + at, s, n);
      at += n;
    }
    i += n;
  }
  out.text[at] = '\0';
  return out;
}
