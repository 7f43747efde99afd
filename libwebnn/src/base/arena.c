#include "base/arena.h"

#include <string.h>

#define CHUNK_BYTES ((size_t)16 * 1024)
#define LATER_BYTES ((size_t)64 * 1024) /* enough for pages of their own */
#define ALIGN ((size_t)16)

struct wnn_arena_chunk {
  wnn_arena_chunk *older;
  size_t size; /* of the whole chunk, this header included */
  size_t used;
};

static size_t round_up(size_t n) { return (n + ALIGN - 1) & ~(ALIGN - 1); }

#define HEADER_BYTES round_up(sizeof(wnn_arena_chunk))

void wnn_arena_init(wnn_arena *arena, const wnn_alloc *alloc) {
  arena->alloc = *alloc;
  arena->chunks = NULL;
}

static void drop_newest(wnn_arena *arena) {
  wnn_arena_chunk *chunk = arena->chunks;
  arena->chunks = chunk->older;
  wnn_alloc_free_brief(&arena->alloc, chunk, chunk->size);
}

void wnn_arena_reset(wnn_arena *arena) {
  while (arena->chunks != NULL) drop_newest(arena);
}

void *wnn_arena_get(wnn_arena *arena, size_t n_bytes) {
  wnn_arena_chunk *chunk = arena->chunks;
  if (n_bytes > SIZE_MAX / 2) return NULL;
  n_bytes = round_up(n_bytes ? n_bytes : 1);
  if (chunk == NULL || chunk->size - chunk->used < n_bytes) {
    const size_t usual = chunk == NULL ? CHUNK_BYTES : LATER_BYTES;
    size_t size = HEADER_BYTES + n_bytes > usual ? HEADER_BYTES + n_bytes : usual;
    chunk = wnn_alloc_briefly(&arena->alloc, size);
    if (chunk == NULL) return NULL;
    *chunk = (wnn_arena_chunk){arena->chunks, size, HEADER_BYTES};
    arena->chunks = chunk;
  }
  void *out = (char *)chunk + chunk->used;
  chunk->used += n_bytes;
  memset(out, 0, n_bytes);
  return out;
}

void *wnn_arena_array(wnn_arena *arena, size_t n, size_t element_bytes) {
  size_t n_bytes;
  if (__builtin_mul_overflow(n, element_bytes, &n_bytes)) return NULL;
  return wnn_arena_get(arena, n_bytes);
}

void *wnn_arena_copy(wnn_arena *arena, const void *data, size_t n_bytes) {
  void *out = wnn_arena_get(arena, n_bytes);
  if (out != NULL && n_bytes != 0) memcpy(out, data, n_bytes);
  return out;
}

bool wnn_arena_str(wnn_arena *arena, webnn_str text, webnn_str *out) {
  *out = (webnn_str){NULL, 0};
  if (text.size == 0) return true;
  char *copy = wnn_arena_get(arena, text.size + 1);
  if (copy == NULL) return false;
  memcpy(copy, text.data, text.size);
  *out = (webnn_str){copy, text.size};
  return true;
}

wnn_arena_mark wnn_arena_here(const wnn_arena *arena) {
  return (wnn_arena_mark){arena->chunks, arena->chunks ? arena->chunks->used : 0};
}

void wnn_arena_back(wnn_arena *arena, wnn_arena_mark mark) {
  while (arena->chunks != mark.chunk) drop_newest(arena);
  if (arena->chunks != NULL) arena->chunks->used = mark.used;
}
