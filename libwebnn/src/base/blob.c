#include "base/blob.h"

#define HEADER_BYTES ((sizeof(wnn_blob) + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE)

static wnn_blob *with_header(const wnn_alloc *alloc, void *memory, size_t n_bytes, bool brief) {
  wnn_blob *blob = memory;
  if (blob == NULL) return NULL;
  *blob = (wnn_blob){
      .alloc = *alloc, .data = (char *)blob + HEADER_BYTES, .n_bytes = n_bytes, .brief = brief};
  wnn_ref_init(&blob->ref);
  atomic_init(&blob->withdrawn, false);
  return blob;
}

wnn_blob *wnn_blob_create(const wnn_alloc *alloc, size_t n_bytes) {
  return with_header(alloc, wnn_alloc_get(alloc, HEADER_BYTES + n_bytes), n_bytes, false);
}

wnn_blob *wnn_blob_create_brief(const wnn_alloc *alloc, size_t n_bytes) {
  return with_header(alloc, wnn_alloc_briefly(alloc, HEADER_BYTES + n_bytes), n_bytes, true);
}

wnn_blob *wnn_blob_wrap(const wnn_alloc *alloc, const void *data, size_t n_bytes, void (*release)(void *),
                        void *ud) {
  wnn_blob *blob = wnn_alloc_get(alloc, sizeof *blob);
  if (blob == NULL) return NULL;
  *blob = (wnn_blob){.alloc = *alloc, .data = data, .n_bytes = n_bytes, .release = release, .ud = ud};
  wnn_ref_init(&blob->ref);
  atomic_init(&blob->withdrawn, false);
  return blob;
}

void *wnn_blob_bytes(wnn_blob *blob) { return (char *)blob + HEADER_BYTES; }

wnn_blob *wnn_blob_retain(wnn_blob *blob) {
  wnn_ref_retain(&blob->ref);
  return blob;
}

void wnn_blob_release(wnn_blob *blob) {
  if (blob == NULL || !wnn_ref_release(&blob->ref)) return;
  wnn_alloc alloc = blob->alloc;
  size_t n_bytes = sizeof *blob;
  if (blob->release != NULL) blob->release(blob->ud);
  else n_bytes = HEADER_BYTES + blob->n_bytes;
  (blob->brief ? wnn_alloc_free_brief : wnn_alloc_free)(&alloc, blob, n_bytes);
}

void wnn_blob_withdraw(wnn_blob *blob) { atomic_store(&blob->withdrawn, true); }
bool wnn_blob_withdrawn(wnn_blob *blob) { return atomic_load(&blob->withdrawn); }
