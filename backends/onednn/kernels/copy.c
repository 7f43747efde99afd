#include "kernels/copy.h"

#include <string.h>

#define BLOCK ((size_t)16) /* elements of one side of the squares in which a transpose is done */

size_t wnn_copy_count(const wnn_copy *copy) {
  size_t n = 1;
  for (uint32_t i = 0; i < copy->rank; i++) n *= copy->dims[i];
  return n;
}

static void swap_axes(wnn_copy *copy, uint32_t i, uint32_t k) {
  size_t dim = copy->dims[i];
  ptrdiff_t from = copy->from[i], to = copy->to[i];
  copy->dims[i] = copy->dims[k], copy->from[i] = copy->from[k], copy->to[i] = copy->to[k];
  copy->dims[k] = dim, copy->from[k] = from, copy->to[k] = to;
}

static size_t magnitude(ptrdiff_t x) { return x < 0 ? 0 - (size_t)x : (size_t)x; }

/* Writing goes forward through memory: axes in the order of the strides that write. */
static void sort_by_writing(wnn_copy *copy) {
  for (uint32_t i = 1; i < copy->rank; i++)
    for (uint32_t k = i; k > 0 && magnitude(copy->to[k - 1]) < magnitude(copy->to[k]); k--)
      swap_axes(copy, k - 1, k);
}

static void drop_and_join(wnn_copy *copy) {
  uint32_t rank = 0;
  for (uint32_t i = 0; i < copy->rank; i++) {
    if (copy->dims[i] == 1) continue;
    ptrdiff_t n = (ptrdiff_t)copy->dims[i];
    if (rank > 0 && copy->from[rank - 1] == copy->from[i] * n && copy->to[rank - 1] == copy->to[i] * n) {
      copy->dims[rank - 1] *= copy->dims[i];
    } else {
      copy->dims[rank++] = copy->dims[i];
    }
    copy->from[rank - 1] = copy->from[i];
    copy->to[rank - 1] = copy->to[i];
  }
  copy->rank = rank;
}

void wnn_copy_prepare(wnn_copy *copy) {
  ptrdiff_t bytes = (ptrdiff_t)copy->element_bytes;
  sort_by_writing(copy);
  drop_and_join(copy);
  if (copy->rank > 0 && copy->from[copy->rank - 1] == 1 && copy->to[copy->rank - 1] == 1) {
    /* The innermost run moves as one element. */
    copy->element_bytes *= copy->dims[--copy->rank];
  }
  for (uint32_t i = 0; i < copy->rank; i++) {
    copy->from[i] *= bytes;
    copy->to[i] *= bytes;
  }
  copy->from_offset *= bytes;
  copy->to_offset *= bytes;
}

/* The innermost one or two axes: enough work for one call. */
typedef struct panel {
  size_t rows, columns, bytes;
  ptrdiff_t row_from, row_to, column_from, column_to;
} panel;

#define COLUMN_LOOP(T)                                                                        \
  for (size_t r = 0; r < p->rows; r++) {                                                      \
    const char *f = from + (ptrdiff_t)r * p->row_from;                                        \
    char *t = to + (ptrdiff_t)r * p->row_to;                                                  \
    for (size_t c = 0; c < p->columns; c++, f += p->column_from, t += p->column_to) memcpy(t, f, sizeof(T)); \
  }

static void copy_rows(const panel *p, const char *from, char *to) {
  switch (p->bytes) {
    case 1: COLUMN_LOOP(uint8_t) break;
    case 2: COLUMN_LOOP(uint16_t) break;
    case 4: COLUMN_LOOP(uint32_t) break;
    case 8: COLUMN_LOOP(uint64_t) break;
    case 16: COLUMN_LOOP(uint64_t[2]) break;
    case 32: COLUMN_LOOP(uint64_t[4]) break;
    case 64: COLUMN_LOOP(uint64_t[8]) break;
    default:
      for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->columns; c++)
          memcpy(to + (ptrdiff_t)r * p->row_to + (ptrdiff_t)c * p->column_to,
                 from + (ptrdiff_t)r * p->row_from + (ptrdiff_t)c * p->column_from, p->bytes);
  }
}

/* Squares keep both the lines that are read and those that are written in the cache. */
static void copy_squares(const panel *whole, const char *from, char *to) {
  for (size_t r = 0; r < whole->rows; r += BLOCK)
    for (size_t c = 0; c < whole->columns; c += BLOCK) {
      panel p = *whole;
      p.rows = whole->rows - r < BLOCK ? whole->rows - r : BLOCK;
      p.columns = whole->columns - c < BLOCK ? whole->columns - c : BLOCK;
      copy_rows(&p, from + (ptrdiff_t)r * p.row_from + (ptrdiff_t)c * p.column_from,
                to + (ptrdiff_t)r * p.row_to + (ptrdiff_t)c * p.column_to);
    }
}

static void copy_panel(const panel *p, const char *from, char *to) {
  bool transposes = p->bytes <= 8 && p->rows > 1 && magnitude(p->row_from) < magnitude(p->column_from);
  if (transposes) copy_squares(p, from, to);
  else copy_rows(p, from, to);
}

/* The axis that is read most densely becomes the panel's rows: a transpose then meets both in one panel. */
static uint32_t row_axis(const wnn_copy *copy) {
  uint32_t best = copy->rank - 2;
  for (uint32_t i = 0; i + 1 < copy->rank; i++)
    if (copy->from[i] != 0 && copy->dims[i] > 1 && magnitude(copy->from[i]) < magnitude(copy->from[best])) best = i;
  return best;
}

void wnn_copy_run(const wnn_copy *copy, const void *from_base, void *to_base, size_t part, size_t n_parts) {
  const char *from = (const char *)from_base + copy->from_offset;
  char *to = (char *)to_base + copy->to_offset;
  if (copy->rank == 0) { /* one run: cut into parts of whole cache lines */
    size_t begin, end;
    wnn_parallel_split((copy->element_bytes + 63) / 64, part, n_parts, &begin, &end);
    size_t stop = end * 64 < copy->element_bytes ? end * 64 : copy->element_bytes;
    if (begin * 64 < stop) memcpy(to + begin * 64, from + begin * 64, stop - begin * 64);
    return;
  }
  panel p = {.rows = 1, .columns = copy->dims[copy->rank - 1], .bytes = copy->element_bytes};
  p.column_from = copy->from[copy->rank - 1];
  p.column_to = copy->to[copy->rank - 1];
  uint32_t rows = copy->rank >= 2 ? row_axis(copy) : 0, outer[WNN_COPY_RANK], n_outer = 0;
  if (copy->rank >= 2) p.rows = copy->dims[rows], p.row_from = copy->from[rows], p.row_to = copy->to[rows];
  size_t n_panels = 1;
  for (uint32_t i = 0; i + 1 < copy->rank; i++)
    if (i != rows) outer[n_outer++] = i, n_panels *= copy->dims[i];
  /* Few panels are cut along their longer side. */
  size_t begin = 0, end = n_panels;
  if (n_panels >= n_parts) {
    wnn_parallel_split(n_panels, part, n_parts, &begin, &end);
  } else {
    size_t first, last;
    bool by_rows = p.rows >= p.columns;
    wnn_parallel_split(by_rows ? p.rows : p.columns, part, n_parts, &first, &last);
    from += (ptrdiff_t)first * (by_rows ? p.row_from : p.column_from);
    to += (ptrdiff_t)first * (by_rows ? p.row_to : p.column_to);
    *(by_rows ? &p.rows : &p.columns) = last - first;
    if (first == last) return;
  }
  for (size_t k = begin; k < end; k++) {
    ptrdiff_t f = 0, t = 0;
    size_t rest = k;
    for (uint32_t i = n_outer; i-- > 0;) {
      ptrdiff_t at = (ptrdiff_t)(rest % copy->dims[outer[i]]);
      rest /= copy->dims[outer[i]];
      f += at * copy->from[outer[i]];
      t += at * copy->to[outer[i]];
    }
    copy_panel(&p, from + f, to + t);
  }
}
