/* Memory from the context's hooks or the system; for what is large, huge pages are asked for. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* Where memory of so many bytes begins: at a huge page if it is to have some. */
static size_t alignment_of(size_t n_bytes) { return n_bytes < 2 * HUGE_PAGE ? WNN_CACHE_LINE : HUGE_PAGE; }

/* A wish: fewer faults when the memory is first touched, fewer entries of the address tables later.
 */
static void wish_huge_pages(char *begin, size_t n_bytes) {
#ifdef MADV_HUGEPAGE
  char *first = begin + (HUGE_PAGE - (uintptr_t)begin % HUGE_PAGE) % HUGE_PAGE;
  if (n_bytes < 2 * HUGE_PAGE) return;
  (void)madvise(first, (size_t)(begin + n_bytes - first) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
  (void)begin, (void)n_bytes;
#endif
}

/* posix_memalign goes past the C library's caches of small blocks. So a small one is a little
 * larger than asked for: it begins at the first cache line inside, and the byte before says how far
 * in. */
#ifdef __SANITIZE_ADDRESS__
#define SMALL 0 /* every block ends where it was asked to */
#else
#define SMALL 960
#endif

static void *get(size_t n_bytes) {
  void *block = NULL;
  if (n_bytes > SMALL) {
    if (posix_memalign(&block, alignment_of(n_bytes), n_bytes) != 0) return NULL;
    wish_huge_pages(block, n_bytes);
    return block;
  }
  unsigned char *raw = malloc(n_bytes + WNN_CACHE_LINE);
  if (raw == NULL) return NULL;
  const size_t offset = WNN_CACHE_LINE - (uintptr_t)raw % WNN_CACHE_LINE;
  raw[offset - 1] = (unsigned char)offset;
  return raw + offset;
}

static void put(void *ptr, size_t n_bytes) {
  unsigned char *begin = ptr;
  if (begin != NULL && n_bytes <= SMALL) begin -= begin[-1];
  free(begin);
}

static void *system_reallocate(void *ptr, size_t old_size, size_t new_size) {
  void *fresh = new_size == 0 ? NULL : get(new_size);
  if (new_size != 0 && fresh == NULL) return NULL;
  if (ptr != NULL && fresh != NULL) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
  put(ptr, old_size);
  return fresh;
}

void *wnn_alloc_resize(const wnn_alloc *alloc, void *ptr, size_t old_bytes, size_t new_bytes) {
  if (alloc->reallocate == NULL) return system_reallocate(ptr, old_bytes, new_bytes);
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
