/* A file's bytes in memory, with several owners. */
#ifndef WNN_SERIAL_MAP_H
#define WNN_SERIAL_MAP_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/ref.h"

typedef struct wnn_mapping {
  wnn_ref ref;
  wnn_alloc alloc;
  const char *data;
  size_t n_bytes;
} wnn_mapping;

webnn_status wnn_mapping_open(const char *path, const wnn_alloc *alloc, wnn_mapping **out, webnn_error *err);
void wnn_mapping_retain(wnn_mapping *mapping);
void wnn_mapping_release(wnn_mapping *mapping); /* NULL is allowed */

/* A constant's bytes in the mapping, which it keeps; NULL when out of memory. When it ends, the pages that held
 * nothing else are no longer resident, even if other parts keep the mapping. */
typedef struct wnn_mapped_part wnn_mapped_part;
wnn_mapped_part *wnn_mapping_part(wnn_mapping *mapping, const char *data, size_t n_bytes);
void wnn_mapped_part_release(void *part);

#endif
