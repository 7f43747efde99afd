#include "base/bank.h"

#include "base/ref.h"

#define PIECE_BYTES ((size_t)8 << 20)

/* Memory that several share, itself at the front. */
typedef struct piece {
  wnn_ref ref; /* a share of each who has memory of it, and the bank's while it gives more */
  wnn_alloc alloc;
  size_t n_bytes, used;
} piece;

struct wnn_bank {
  wnn_alloc alloc;
  piece *open; /* or NULL */
  bool shares;
};

static size_t lines(size_t n_bytes) { return (n_bytes + WNN_CACHE_LINE - 1) / WNN_CACHE_LINE * WNN_CACHE_LINE; }

#define PIECE_HEADER (2 * (size_t)WNN_CACHE_LINE)
_Static_assert(sizeof(piece) <= PIECE_HEADER, "a piece is at the front of its memory");

wnn_bank *wnn_bank_create(const wnn_alloc *alloc) {
  wnn_bank *bank = wnn_alloc_zeroed(alloc, sizeof *bank);
  if (bank != NULL) bank->alloc = *alloc;
  return bank;
}

static void release(piece *is) {
  if (!wnn_ref_release(&is->ref)) return;
  const wnn_alloc alloc = is->alloc;
  wnn_alloc_free(&alloc, is, is->n_bytes);
}

/* It gives no more; what is left of a huge page isn't kept. */
static void close_piece(wnn_bank *bank) {
  if (bank->open == NULL) return;
  wnn_alloc_give_back(&bank->open->alloc, bank->open, bank->open->used, bank->open->n_bytes);
  release(bank->open);
  bank->open = NULL;
}

void wnn_bank_end(wnn_bank *bank) {
  if (bank == NULL) return;
  close_piece(bank);
  bank->shares = false;
}

void wnn_bank_free(wnn_bank *bank) {
  if (bank == NULL) return;
  wnn_bank_end(bank);
  const wnn_alloc alloc = bank->alloc;
  wnn_alloc_free(&alloc, bank, sizeof *bank);
}

void wnn_bank_begin(wnn_bank *bank, size_t n_bytes) {
  wnn_bank_end(bank);
  if (bank != NULL) bank->shares = n_bytes >= PIECE_BYTES / 2;
}

static piece *new_piece(const wnn_alloc *alloc, size_t n_bytes) {
  piece *is = wnn_alloc_get(alloc, n_bytes);
  if (is == NULL) return NULL;
  *is = (piece){.alloc = *alloc, .n_bytes = n_bytes, .used = PIECE_HEADER};
  wnn_ref_init(&is->ref);
  return is;
}

/* In front of the memory stands whose it is. */
static void *give(piece *is, size_t n_bytes) {
  char *at = (char *)is + is->used;
  *(piece **)(void *)at = is;
  is->used += WNN_CACHE_LINE + n_bytes;
  return at + WNN_CACHE_LINE;
}

void *wnn_bank_get(wnn_bank *bank, const wnn_alloc *alloc, size_t n_bytes) {
  n_bytes = lines(n_bytes);
  const size_t wanted = WNN_CACHE_LINE + n_bytes;
  if (bank == NULL || !bank->shares || wanted > PIECE_BYTES / 2) {
    piece *own = new_piece(alloc, PIECE_HEADER + wanted);
    return own != NULL ? give(own, n_bytes) : NULL;
  }
  if (bank->open != NULL && bank->open->n_bytes - bank->open->used < wanted) close_piece(bank);
  if (bank->open == NULL) bank->open = new_piece(alloc, PIECE_BYTES);
  if (bank->open == NULL) return NULL;
  wnn_ref_retain(&bank->open->ref);
  return give(bank->open, n_bytes);
}

void wnn_bank_put(void *bytes) {
  if (bytes != NULL) release(*(piece **)(void *)((char *)bytes - WNN_CACHE_LINE));
}
