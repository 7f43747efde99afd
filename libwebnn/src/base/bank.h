/* Weights that builds pack lie together, many in one piece of memory: a page for each few of them costs more than the
 * packing, where large pieces are given in huge pages. */
#ifndef WNN_BASE_BANK_H
#define WNN_BASE_BANK_H

#include "base/alloc.h"

typedef struct wnn_bank wnn_bank;

/* NULL: out of memory. */
wnn_bank *wnn_bank_create(const wnn_alloc *alloc);
void wnn_bank_free(wnn_bank *bank); /* NULL is allowed; what it gave stays */

/* A build begins, which has so many bytes of weights before they are packed: few get no room for more. Threads: begin,
 * get and end from one thread at a time. */
void wnn_bank_begin(wnn_bank *bank, size_t n_bytes);
void wnn_bank_end(wnn_bank *bank);

/* Memory by the cache line, with anything in it, NULL when there is none. `bank` NULL: a piece of its own. */
void *wnn_bank_get(wnn_bank *bank, const wnn_alloc *alloc, size_t n_bytes);
void wnn_bank_put(void *bytes); /* from any thread; NULL is allowed */

#endif
