/* Memory of weights: pieces that several share, and go with the last of them. Memory that goes back
 * to the system. */
#define _DEFAULT_SOURCE /* mincore */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/bank.h"
#include "harness.h"

enum { MIB = 1 << 20 };

/* Counts what there is. */
typedef struct account {
  size_t n_blocks, n_bytes;
  bool empty; /* nothing is given any more */
} account;

static void *reallocate(void *ud, void *ptr, size_t old_size, size_t new_size, size_t alignment) {
  account *is = ud;
  void *fresh = NULL;
  if (new_size != 0 && (is->empty || posix_memalign(&fresh, alignment, new_size) != 0)) return NULL;
  if (ptr != NULL && fresh != NULL) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
  free(ptr);
  is->n_blocks += (fresh != NULL) - (size_t)(ptr != NULL);
  is->n_bytes += new_size - old_size;
  return fresh;
}

static char *get(wnn_bank *bank, const wnn_alloc *alloc, size_t n_bytes, int seed) {
  char *bytes = wnn_bank_get(bank, alloc, n_bytes);
  if (bytes == NULL) return NULL;
  CHECK((uintptr_t)bytes % WNN_CACHE_LINE == 0);
  memset(bytes, seed, n_bytes);
  return bytes;
}

static bool is_all(const char *bytes, size_t n_bytes, int seed) {
  for (size_t i = 0; i < n_bytes; i++)
    if (bytes[i] != (char)seed) return false;
  return true;
}

TEST(many_share_a_piece) {
  account is = {0, 0, false};
  const wnn_alloc alloc = {reallocate, &is};
  enum { N = 60, EACH = 300001 };
  char *got[N];
  wnn_bank *bank = wnn_bank_create(&alloc);
  wnn_bank_begin(bank, 16 * MIB);
  for (int i = 0; i < N; i++) got[i] = get(bank, &alloc, EACH, i);
  CHECK(is.n_blocks == 1 + 3); /* 60 · 0.3 MB in pieces of 8 MiB, and the bank itself */
  char *large = get(bank, &alloc, 5 * MIB, 77);
  CHECK(is.n_blocks == 1 + 4);
  wnn_bank_end(bank);
  for (int i = 0; i < N; i++) CHECK(is_all(got[i], EACH, i));
  CHECK(is_all(large, 5 * MIB, 77));
  wnn_bank_put(large);
  CHECK(is.n_blocks == 1 + 3);
  for (int i = 0; i < N - 1; i++) wnn_bank_put(got[i]);
  CHECK(is.n_blocks == 1 + 1);
  wnn_bank_free(bank); /* what it gave stays */
  CHECK(is.n_blocks == 1 && is_all(got[N - 1], EACH, N - 1));
  wnn_bank_put(got[N - 1]);
  CHECK(is.n_blocks == 0 && is.n_bytes == 0);
}

TEST(few_bytes_have_memory_of_their_own) {
  account is = {0, 0, false};
  const wnn_alloc alloc = {reallocate, &is};
  wnn_bank *bank = wnn_bank_create(&alloc);
  const size_t before = is.n_bytes;
  wnn_bank_begin(bank, MIB);
  char *a = get(bank, &alloc, 1000, 1), *b = get(bank, &alloc, 0, 2), *c = get(NULL, &alloc, 64, 3);
  CHECK(is.n_bytes < before + 2000);
  wnn_bank_begin(bank, 16 * MIB); /* the next build, without an end of this one */
  char *d = get(bank, &alloc, 1000, 4);
  CHECK(is.n_bytes > before + MIB);
  wnn_bank_begin(bank, MIB);
  wnn_bank_put(d);
  CHECK(is.n_bytes < before + 2000 && is_all(a, 1000, 1) && is_all(c, 64, 3));
  wnn_bank_put(a);
  wnn_bank_put(b);
  wnn_bank_put(c);
  wnn_bank_put(NULL);
  wnn_bank_free(bank);
  CHECK(is.n_blocks == 0 && is.n_bytes == 0);
}

TEST(without_memory_there_is_none) {
  account is = {0, 0, false};
  const wnn_alloc alloc = {reallocate, &is};
  wnn_bank *bank = wnn_bank_create(&alloc);
  is.empty = true;
  CHECK(wnn_bank_create(&alloc) == NULL);
  for (size_t n = MIB; n <= 16 * MIB; n *= 16) {
    wnn_bank_begin(bank, n);
    CHECK(wnn_bank_get(bank, &alloc, 1000) == NULL);
    CHECK(wnn_bank_get(bank, &alloc, 6 * MIB) == NULL);
    wnn_bank_end(bank);
  }
  is.empty = false;
  wnn_bank_begin(bank, 16 * MIB);
  char *later = get(bank, &alloc, 1000, 5);
  CHECK(later != NULL);
  wnn_bank_free(bank);
  wnn_bank_put(later);
  CHECK(is.n_blocks == 0 && is.n_bytes == 0);
}

/* How many of the whole pages in [from, from + n_bytes) are there. */
static size_t pages_there(const char *from, size_t n_bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = ((uintptr_t)from + page - 1) / page * page,
                  end = ((uintptr_t)from + n_bytes) / page * page;
  size_t n = 0;
  for (uintptr_t at = begin; at < end; at += page) {
    unsigned char there = 0;
    n += mincore((void *)at, page, &there) == 0 && (there & 1);
  }
  return n;
}

TEST(what_is_left_of_a_piece_goes_back) {
  const wnn_alloc alloc = {NULL, NULL};
  wnn_bank *bank = wnn_bank_create(&alloc);
  wnn_bank_begin(bank, 16 * MIB);
  char *first = get(bank, &alloc, 3 * MIB, 1), *last = get(bank, &alloc, MIB, 2);
  memset(last + MIB, 3, 2 * MIB); /* behind it nothing is given yet */
  CHECK(pages_there(last + MIB, 2 * MIB) > 0);
  wnn_bank_end(bank);
  CHECK(pages_there(last + MIB, 2 * MIB) == 0);
  CHECK(is_all(first, 3 * MIB, 1) && is_all(last, MIB, 2));
  wnn_bank_put(first);
  wnn_bank_put(last);
  wnn_bank_free(bank);
}

TEST(brief_memory_goes_back) {
  static const size_t sizes[] = {1, 65535, 65536, 100001, 5 * MIB + 3};
  const wnn_alloc alloc = {NULL, NULL};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *bytes = wnn_alloc_briefly(&alloc, sizes[i]);
    CHECK(bytes != NULL && (uintptr_t)bytes % WNN_CACHE_LINE == 0);
    memset(bytes, 7, sizes[i]);
    wnn_alloc_free_brief(&alloc, bytes, sizes[i]);
#ifndef __SANITIZE_ADDRESS__
    if (sizes[i] >= 65536) CHECK(pages_there(bytes, sizes[i]) == 0);
#endif
  }
  wnn_alloc_free_brief(&alloc, NULL, MIB);
  account is = {0, 0, false};
  const wnn_alloc hooks = {reallocate, &is};
  char *counted = wnn_alloc_briefly(&hooks, MIB);
  CHECK(is.n_blocks == 1 && is.n_bytes == MIB);
  wnn_alloc_give_back(&hooks, counted, 1, MIB);
  wnn_alloc_free_brief(&hooks, counted, MIB);
  CHECK(is.n_blocks == 0 && is.n_bytes == 0);
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(many_share_a_piece),
                                       RUN(few_bytes_have_memory_of_their_own),
                                       RUN(without_memory_there_is_none),
                                       RUN(what_is_left_of_a_piece_goes_back),
                                       RUN(brief_memory_goes_back),
                                       {NULL, NULL}});
}
