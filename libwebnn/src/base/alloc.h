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

/* The same for what goes when others that came later stay: what is large has pages of its own,
 * which the system gets back, whereas a heap would keep them under what stays. */
void *wnn_alloc_briefly(const wnn_alloc *alloc, size_t n_bytes);
void wnn_alloc_free_brief(const wnn_alloc *alloc, void *ptr, size_t n_bytes); /* NULL is allowed */

/* Behind the `used` bytes nothing will be kept: whole pages there go back to the system until they
 * are written. */
void wnn_alloc_give_back(const wnn_alloc *alloc, void *ptr, size_t used, size_t n_bytes);

#endif
