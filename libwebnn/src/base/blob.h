/* Constant bytes with several owners: builder, constant tensor, graph. */
#ifndef WNN_BASE_BLOB_H
#define WNN_BASE_BLOB_H

#include "base/alloc.h"
#include "base/ref.h"

typedef struct wnn_blob {
  wnn_ref ref;
  wnn_alloc alloc;
  const void *data;
  size_t n_bytes;
  void (*release)(void *ud); /* caller's bytes; NULL: our own, behind this header */
  void *ud;
  atomic_bool withdrawn;
  bool brief; /* our own bytes came from wnn_alloc_briefly */
} wnn_blob;

wnn_blob *wnn_blob_create(const wnn_alloc *alloc, size_t n_bytes);  /* to be filled through wnn_blob_bytes */
/* The same for constants that come from outside: most go when a build has packed them, and heaps
 * outlive that. */
wnn_blob *wnn_blob_create_brief(const wnn_alloc *alloc, size_t n_bytes);
wnn_blob *wnn_blob_wrap(const wnn_alloc *alloc, const void *data, size_t n_bytes, void (*release)(void *),
                        void *ud);
void *wnn_blob_bytes(wnn_blob *blob); /* of a created blob, while it has one owner */
wnn_blob *wnn_blob_retain(wnn_blob *blob);
void wnn_blob_release(wnn_blob *blob); /* NULL is allowed */

/* The constant tensor whose bytes these are was destroyed: graphs that have them keep them, no new
 * one may. */
void wnn_blob_withdraw(wnn_blob *blob);
bool wnn_blob_withdrawn(wnn_blob *blob);

#endif
