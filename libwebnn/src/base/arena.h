/* Bump memory: everything in it dies together. */
#ifndef WNN_BASE_ARENA_H
#define WNN_BASE_ARENA_H

#include "base/alloc.h"

typedef struct wnn_arena_chunk wnn_arena_chunk;

typedef struct wnn_arena {
  wnn_alloc alloc;
  wnn_arena_chunk *chunks; /* newest first */
} wnn_arena;

void wnn_arena_init(wnn_arena *arena, const wnn_alloc *alloc);
void wnn_arena_reset(wnn_arena *arena); /* frees everything; usable again */

/* NULL when out of memory. Zeroed, aligned to 16 bytes. */
void *wnn_arena_get(wnn_arena *arena, size_t n_bytes);
void *wnn_arena_array(wnn_arena *arena, size_t n, size_t element_bytes); /* overflow gives NULL */
void *wnn_arena_copy(wnn_arena *arena, const void *data, size_t n_bytes);

/* A copy with a NUL behind it, so that it can be printed; `{NULL, 0}` for an empty one.
 * False when out of memory. */
bool wnn_arena_str(wnn_arena *arena, webnn_str text, webnn_str *out);

/* A mark to fall back to: a failed call takes back what it took. */
typedef struct wnn_arena_mark {
  wnn_arena_chunk *chunk;
  size_t used;
} wnn_arena_mark;
wnn_arena_mark wnn_arena_here(const wnn_arena *arena);
void wnn_arena_back(wnn_arena *arena, wnn_arena_mark mark);

#endif
