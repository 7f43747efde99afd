/* Records a failure in one expression: `return wnn_error_set(err, WEBNN_ERROR_TYPE, "...", ...)`. */
#ifndef WNN_BASE_ERROR_H
#define WNN_BASE_ERROR_H

#include <stdarg.h>
#include <webnn/base.h>

/* Formats like printf (numbers and plain text only; text from users goes through wnn_quote first) and
 * returns `status`. `err` may be NULL. */
webnn_status wnn_error_set(webnn_error *err, webnn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
webnn_status wnn_error_setv(webnn_error *err, webnn_status status, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* "out of memory", UNKNOWN. */
webnn_status wnn_error_no_memory(webnn_error *err);
/* True for that, and for messages that end in it. */
bool wnn_error_is_no_memory(const webnn_error *err);

/* User's text made printable: control characters, bidirectional controls and invalid UTF-8 are escaped,
 * long text is cut. */
#define WNN_QUOTE_BYTES 320
typedef struct wnn_quoted {
  char text[WNN_QUOTE_BYTES];
} wnn_quoted;
wnn_quoted wnn_quote(webnn_str text);

/* True when the text is well-formed UTF-8 (NUL allowed, surrogates not). */
bool wnn_utf8_valid(webnn_str text);

#endif
