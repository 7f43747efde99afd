/* Memory from the context's hooks or the system; for what is large, huge pages are asked for. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

#ifdef __SANITIZE_ADDRESS__
#define OWN_PAGES SIZE_MAX /* it watches the heap alone */
#else
#define OWN_PAGES ((size_t)64 * 1024) /* fewer bytes aren't worth calls of the system */
#endif

static bool has_own_pages(const wnn_alloc *alloc, size_t n_bytes) {
  return alloc->reallocate == NULL && n_bytes >= OWN_PAGES;
}

#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

/* With MAP_POPULATE pages are there at once: all will be written, and a fault for each takes
 * longer. */
static char *map_pages(size_t n_bytes, int flags) {
  void *pages =
      mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return pages != MAP_FAILED ? pages : NULL;
}

void *wnn_alloc_briefly(const wnn_alloc *alloc, size_t n_bytes) {
  if (!has_own_pages(alloc, n_bytes)) return wnn_alloc_get(alloc, n_bytes);
  const size_t alignment = alignment_of(n_bytes), page = (size_t)sysconf(_SC_PAGESIZE);
  if (alignment < page) return map_pages(n_bytes, MAP_POPULATE);
  char *pages = map_pages(n_bytes + alignment, 0); /* what lies before and behind goes */
  if (pages == NULL) return NULL;
  const size_t before = (alignment - (uintptr_t)pages % alignment) % alignment;
  const size_t end = (before + n_bytes + page - 1) / page * page;
  if (before != 0) (void)munmap(pages, before);
  if (end < n_bytes + alignment) (void)munmap(pages + end, n_bytes + alignment - end);
  wish_huge_pages(pages + before, n_bytes);
  return pages + before;
}

void wnn_alloc_free_brief(const wnn_alloc *alloc, void *ptr, size_t n_bytes) {
  if (ptr == NULL || !has_own_pages(alloc, n_bytes))
    wnn_alloc_free(alloc, ptr, n_bytes);
  else
    (void)munmap(ptr, n_bytes);
}

void wnn_alloc_give_back(const wnn_alloc *alloc, void *ptr, size_t used, size_t n_bytes) {
#ifdef MADV_DONTNEED
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *begin = (char *)ptr + used, *end = (char *)ptr + n_bytes;
  begin += (page - (uintptr_t)begin % page) % page;
  end -= (uintptr_t)end % page;
  if (alloc->reallocate == NULL && begin < end)
    (void)madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
#else
  (void)alloc, (void)ptr, (void)used, (void)n_bytes;
#endif
}

void *wnn_alloc_zeroed(const wnn_alloc *alloc, size_t n_bytes) {
  void *ptr = wnn_alloc_get(alloc, n_bytes);
  if (ptr != NULL) memset(ptr, 0, n_bytes ? n_bytes : 1);
  return ptr;
}

void wnn_alloc_free(const wnn_alloc *alloc, void *ptr, size_t n_bytes) {
  if (ptr != NULL) (void)wnn_alloc_resize(alloc, ptr, n_bytes ? n_bytes : 1, 0);
}
