#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *system_reallocate(void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  void *fresh = NULL;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  if (posix_memalign(&fresh, alignment, new_size) != 0) return NULL;
  if (ptr != NULL) {
    memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
    free(ptr);
  }
  return fresh;
}

void *wnn_alloc_resize(const wnn_alloc *alloc, void *ptr, size_t old_bytes, size_t new_bytes) {
  if (alloc->reallocate == NULL) return system_reallocate(ptr, old_bytes, new_bytes, WNN_CACHE_LINE);
  return alloc->reallocate(alloc->ud, ptr, old_bytes, new_bytes, WNN_CACHE_LINE);
}

void *wnn_alloc_get(const wnn_alloc *alloc, size_t n_bytes) {
  return wnn_alloc_resize(alloc, NULL, 0, n_bytes ? n_bytes : 1);
}

void *wnn_alloc_zeroed(const wnn_alloc *alloc, size_t n_bytes) {
  void *ptr = wnn_alloc_get(alloc, n_bytes);
  if (ptr != NULL) memset(ptr, 0, n_bytes ? n_bytes : 1);
  return ptr;
}

void wnn_alloc_free(const wnn_alloc *alloc, void *ptr, size_t n_bytes) {
  if (ptr != NULL) (void)wnn_alloc_resize(alloc, ptr, n_bytes ? n_bytes : 1, 0);
}
