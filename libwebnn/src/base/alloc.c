/* Memory from the context's hooks or the system; for what is large, huge pages are asked for. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* A wish: fewer faults when the memory is first touched, fewer entries of the address tables later. */
static void wish_huge_pages(char *begin, size_t n_bytes) {
#ifdef MADV_HUGEPAGE
  char *first = begin + (HUGE_PAGE - (uintptr_t)begin % HUGE_PAGE) % HUGE_PAGE;
  if (n_bytes < 2 * HUGE_PAGE) return;
  (void)madvise(first, (size_t)(begin + n_bytes - first) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
  (void)begin, (void)n_bytes;
#endif
}

static void *system_reallocate(void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  void *fresh = NULL;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  if (posix_memalign(&fresh, alignment, new_size) != 0) return NULL;
  wish_huge_pages(fresh, new_size);
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
