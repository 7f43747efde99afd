/* Source text that grows. */
#ifndef WNN_OPENCL_SOURCE_H
#define WNN_OPENCL_SOURCE_H

#include <stdarg.h>
#include "base/alloc.h"

/* Once memory runs out nothing is added any more, and `failed` tells. */
typedef struct wnn_source {
  const wnn_alloc *alloc;
  char *data; /* NUL-terminated; NULL while empty */
  size_t size, room;
  bool failed;
} wnn_source;

static inline wnn_source wnn_source_on(const wnn_alloc *alloc) {
  return (wnn_source){.alloc = alloc};
}
void wnn_source_add(wnn_source *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wnn_source_addv(wnn_source *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void wnn_source_put(wnn_source *text, const char *words); /* as they are */
void wnn_source_free(wnn_source *text);

#endif
