/* A file in memory. What isn't needed any longer is given back page by page. */
#define _DEFAULT_SOURCE /* madvise */
#include "serial/map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static webnn_status fail(const char *path, webnn_error *err) {
  wnn_quoted name = wnn_quote((webnn_str){path, strlen(path)});
  return wnn_error_set(err, WEBNN_ERROR_UNKNOWN, "read: '%s': %s", name.text, strerror(errno));
}

static webnn_status map_descriptor(int descriptor, const char *path, wnn_mapping *mapping, webnn_error *err) {
  struct stat about;
  if (fstat(descriptor, &about) != 0) return fail(path, err);
  if (!S_ISREG(about.st_mode) || about.st_size <= 0)
    return wnn_error_set(err, WEBNN_ERROR_OPERATION, "read: '%s' is no file, or empty",
                         wnn_quote((webnn_str){path, strlen(path)}).text);
  void *data = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) return fail(path, err);
  mapping->data = data;
  mapping->n_bytes = (size_t)about.st_size;
  return WEBNN_OK;
}

webnn_status wnn_mapping_open(const char *path, const wnn_alloc *alloc, wnn_mapping **out, webnn_error *err) {
  *out = NULL;
  wnn_mapping *mapping = wnn_alloc_zeroed(alloc, sizeof *mapping);
  if (mapping == NULL) return wnn_error_no_memory(err);
  wnn_ref_init(&mapping->ref);
  mapping->alloc = *alloc;
  /* Opening a pipe would wait for who writes it; what it is shows only then. */
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  webnn_status status = descriptor < 0 ? fail(path, err) : map_descriptor(descriptor, path, mapping, err);
  if (descriptor >= 0) close(descriptor);
  if (status == WEBNN_OK) *out = mapping;
  else wnn_mapping_release(mapping);
  return status;
}

void wnn_mapping_retain(wnn_mapping *mapping) { wnn_ref_retain(&mapping->ref); }

void wnn_mapping_release(wnn_mapping *mapping) {
  if (mapping == NULL || !wnn_ref_release(&mapping->ref)) return;
  wnn_alloc alloc = mapping->alloc;
  if (mapping->data != NULL) munmap((void *)mapping->data, mapping->n_bytes);
  wnn_alloc_free(&alloc, mapping, sizeof *mapping);
}

struct wnn_mapped_part {
  wnn_mapping *mapping;
  const char *data;
  size_t n_bytes;
};

wnn_mapped_part *wnn_mapping_part(wnn_mapping *mapping, const char *data, size_t n_bytes) {
  wnn_mapped_part *part = wnn_alloc_get(&mapping->alloc, sizeof *part);
  if (part == NULL) return NULL;
  wnn_mapping_retain(mapping);
  *part = (wnn_mapped_part){mapping, data, n_bytes};
  return part;
}

/* The pages that lie wholly in the part: whoever reads them all the same gets them from the file again. */
static void let_pages_go(const wnn_mapped_part *part) {
#ifdef MADV_DONTNEED
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), at = (size_t)(part->data - part->mapping->data);
  const size_t begin = (at + page - 1) / page * page, end = (at + part->n_bytes) / page * page;
  if (begin < end) (void)madvise((char *)part->mapping->data + begin, end - begin, MADV_DONTNEED);
#else
  (void)part;
#endif
}

void wnn_mapped_part_release(void *ud) {
  wnn_mapped_part *part = ud;
  wnn_mapping *mapping = part->mapping;
  let_pages_go(part);
  wnn_alloc_free(&mapping->alloc, part, sizeof *part);
  wnn_mapping_release(mapping);
}
