/* Memory through the context's hooks. Every block remembers nothing: who frees tells the size. */
#ifndef WNN_BASE_ALLOC_H
#define WNN_BASE_ALLOC_H

#include <webnn/base.h>

#define WNN_CACHE_LINE 64

/* The hooks of a context; `reallocate` NULL means the system's. */
typedef webnn_allocator wnn_alloc;

void *wnn_alloc_get(const wnn_alloc *alloc, size_t n_bytes); /* aligned to a cache line, not cleared */
void *wnn_alloc_zeroed(const wnn_alloc *alloc, size_t n_bytes);
void *wnn_alloc_resize(const wnn_alloc *alloc, void *ptr, size_t old_bytes, size_t new_bytes);
void wnn_alloc_free(const wnn_alloc *alloc, void *ptr, size_t n_bytes); /* NULL is allowed */

#endif
