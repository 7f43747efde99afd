#include "kernels/copy.h"

#include <string.h>

/* Side of the squares in which a copy is done that can't be transposed in registers. */
#define BLOCK ((size_t)16)
#define INLINE_BYTES ((size_t)512) /* blocks above this are left to memcpy */
#define LONG_RUN ((size_t)1024)    /* written past the caches as it is; shorter ones are gathered */
#define GATHERED ((size_t)2048)    /* bytes that are gathered for that */
#define LONG_ROW ((size_t)64)      /* has so many elements that it pays to find their places */

size_t wnn_copy_count(const wnn_copy *copy) {
  size_t n = 1;
  for (uint32_t i = 0; i < copy->rank; i++) n *= copy->dims[i];
  return n;
}

/* ---- planning */

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
    if (rank > 0 && copy->from[rank - 1] == copy->from[i] * n &&
        copy->to[rank - 1] == copy->to[i] * n) {
      copy->dims[rank - 1] *= copy->dims[i];
    } else {
      copy->dims[rank++] = copy->dims[i];
    }
    copy->from[rank - 1] = copy->from[i];
    copy->to[rank - 1] = copy->to[i];
  }
  copy->rank = rank;
}

/* The axis that is read most densely becomes the panel's rows: a transpose then meets both in one
 * panel. */
static uint32_t find_row_axis(const wnn_copy *copy) {
  if (copy->rank < 2) return 0;
  uint32_t best = copy->rank - 2;
  if (copy->from[copy->rank - 1] == 0) return best;
  for (uint32_t i = 0; i + 1 < copy->rank; i++)
    if (copy->from[i] != 0 && magnitude(copy->from[i]) < magnitude(copy->from[best])) best = i;
  return best;
}

void wnn_copy_prepare(wnn_copy *copy, const wnn_vector *vector) {
  ptrdiff_t bytes = (ptrdiff_t)copy->element_bytes;
  copy->vector = vector;
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
  copy->row_axis = find_row_axis(copy);
}

/* ---- running: panels of two axes */

typedef struct panel {
  const wnn_vector *vector;
  size_t rows, columns, bytes;
  ptrdiff_t row_from, row_to, column_from, column_to;
  bool streams;
} panel;

/* What is written might be the panel itself, for all that the compiler knows: its numbers are taken
 * before. */
#define COLUMN_LOOP(BYTES)                                                              \
  for (size_t r = 0; r < rows; r++) {                                                   \
    const char *f = from + (ptrdiff_t)r * row_from;                                     \
    char *t = to + (ptrdiff_t)r * row_to;                                               \
    for (size_t c = 0; c < columns; c++, f += f_step, t += t_step) memcpy(t, f, BYTES); \
  }

/* 17 to INLINE_BYTES bytes in steps of 16, the last one drawn back to the end. */
static inline void copy_block(char *to, const char *from, size_t n) {
  for (size_t k = 0; k + 16 < n; k += 16) memcpy(to + k, from + k, 16);
  memcpy(to + n - 16, from + n - 16, 16);
}

#define BLOCK_LOOP(COPY)                                                              \
  for (size_t r = 0; r < rows; r++) {                                                 \
    const char *f = from + (ptrdiff_t)r * row_from;                                   \
    char *t = to + (ptrdiff_t)r * row_to;                                             \
    for (size_t c = 0; c < columns; c++, f += f_step, t += t_step) COPY(t, f, bytes); \
  }

static void copy_rows(const panel *p, const char *from, char *to) {
  const size_t rows = p->rows, columns = p->columns, bytes = p->bytes;
  const ptrdiff_t row_from = p->row_from, row_to = p->row_to, f_step = p->column_from,
                  t_step = p->column_to;
  switch (bytes) {
    case 1: COLUMN_LOOP(1) return;
    case 2: COLUMN_LOOP(2) return;
    case 4: COLUMN_LOOP(4) return;
    case 8: COLUMN_LOOP(8) return;
    case 12: COLUMN_LOOP(12) return;
    case 16: COLUMN_LOOP(16) return;
    case 32: COLUMN_LOOP(32) return;
    case 64: COLUMN_LOOP(64) return;
    case 128: COLUMN_LOOP(128) return;
    default: break;
  }
  if (bytes > 16 && bytes <= INLINE_BYTES)
    BLOCK_LOOP(copy_block)
  else
    BLOCK_LOOP(memcpy)
}

/* Which of the vectors' functions an element has, or -1. */
static int size_of(size_t bytes) {
  switch (bytes) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    case 8: return 3;
    default: return -1;
  }
}

/* What copies a dense row of such elements that lie apart, or NULL. */
static wnn_row_copy row_copy(const panel *p) {
  const ptrdiff_t bytes = (ptrdiff_t)p->bytes;
  const int size = size_of(p->bytes);
  if (size < 0 || p->column_to != bytes) return NULL;
  if (p->column_from == -bytes) return p->vector->reverse[size];
  if (p->column_from == 2 * bytes) return p->vector->every_other[size];
  return p->column_from == 0 ? p->vector->fill[size] : NULL;
}

/* The same element of an odd size over and over along each row of the output. */
static void fill_rows(const panel *p, const char *from, char *to) {
  const size_t n = p->columns * p->bytes;
  for (size_t r = 0; r < p->rows; r++, from += p->row_from, to += p->row_to) {
    memcpy(to, from, p->bytes);
    for (size_t have = p->bytes; have < n;) {
      size_t more = have < 4096 ? have : 4096 / p->bytes * p->bytes;
      if (more > n - have) more = n - have;
      memcpy(to + have, to, more);
      have += more;
    }
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

static bool is_transpose(const panel *p) {
  const ptrdiff_t bytes = (ptrdiff_t)p->bytes;
  return size_of(p->bytes) >= 0 && p->column_to == bytes && p->row_from == bytes && p->rows > 1;
}

static bool goes_in_squares(const panel *p) {
  return size_of(p->bytes) >= 0 && p->rows > 1 &&
         magnitude(p->row_from) < magnitude(p->column_from);
}

/* Rows that are read with small strides. */
static bool is_thinned(const panel *p) {
  const ptrdiff_t bytes = (ptrdiff_t)p->bytes;
  return size_of(p->bytes) >= 0 && p->columns >= LONG_ROW && p->column_to == bytes &&
         p->column_from > 2 * bytes && p->column_from < 16 && p->column_from % bytes == 0;
}

static void copy_panel(const panel *p, const char *from, char *to) {
  const wnn_row_copy by_row = row_copy(p);
  if (by_row != NULL) {
    for (size_t r = 0; r < p->rows; r++)
      by_row(from + (ptrdiff_t)r * p->row_from, to + (ptrdiff_t)r * p->row_to, p->columns);
  } else if (is_thinned(p)) {
    for (size_t r = 0; r < p->rows; r++)
      p->vector->thin(from + (ptrdiff_t)r * p->row_from, p->bytes,
                      (size_t)p->column_from / p->bytes, to + (ptrdiff_t)r * p->row_to, p->columns);
  } else if (p->column_from == 0 && p->column_to == (ptrdiff_t)p->bytes && p->bytes < 16 &&
             p->bytes != 12) {
    fill_rows(p, from, to);
  } else if (is_transpose(p)) {
    p->vector->transpose[size_of(p->bytes)](from, p->column_from, to, p->row_to, p->columns,
                                            p->rows);
  } else if (goes_in_squares(p)) {
    copy_squares(p, from, to);
  } else {
    copy_rows(p, from, to);
  }
}

/* ---- running: panels that are written past the caches */

static void stream_blocks(const panel *p, const char *from, char *to) {
  for (size_t r = 0; r < p->rows; r++)
    for (size_t c = 0; c < p->columns; c++)
      p->vector->stream(from + (ptrdiff_t)r * p->row_from + (ptrdiff_t)c * p->column_from,
                        to + (ptrdiff_t)r * p->row_to + (ptrdiff_t)c * p->column_to, p->bytes);
}

/* Asks for `n` elements of a row that lie near each other. */
static void fetch_row(const panel *p, const char *from, size_t n) {
  const ptrdiff_t last = (ptrdiff_t)(n - 1) * p->column_from;
  if (magnitude(p->column_from) <= WNN_CACHE_LINE)
    wnn_fetch(last < 0 ? from + last : from, magnitude(last) + p->bytes);
}

/* Short rows that follow each other, several at a time; pieces of long ones. Rows that are read
 * backwards go from the last to the first, so that reading goes through memory in one direction. */
static void stream_gathered(const panel *p, const char *from, char *to) {
  const size_t row_bytes = p->columns * p->bytes, most = GATHERED / p->bytes;
  const bool follow = p->row_to == (ptrdiff_t)row_bytes && row_bytes <= GATHERED;
  const size_t at_once = follow ? GATHERED / row_bytes : 1;
  const bool backwards = at_once == 1 && p->column_from < 0 && p->row_from > 0;
  char gathered[GATHERED];
  panel piece = *p;
  piece.row_to = (ptrdiff_t)row_bytes;
  for (size_t k = 0; k < p->rows; k += at_once)
    for (size_t c = 0, r = backwards ? p->rows - 1 - k : k; c < p->columns; c += most) {
      piece.rows = p->rows - r < at_once ? p->rows - r : at_once;
      piece.columns = p->columns - c < most ? p->columns - c : most;
      const char *next = from + (ptrdiff_t)r * p->row_from + (ptrdiff_t)(c + most) * p->column_from;
      if (c + most < p->columns)
        fetch_row(p, next, p->columns - c - most < most ? p->columns - c - most : most);
      copy_panel(&piece, from + (ptrdiff_t)r * p->row_from + (ptrdiff_t)c * p->column_from,
                 gathered);
      p->vector->stream(gathered, to + (ptrdiff_t)r * p->row_to + (ptrdiff_t)c * p->column_to,
                        piece.rows * piece.columns * p->bytes);
    }
}

static void stream_panel(const panel *p, const char *from, char *to) {
  const size_t row_bytes = p->columns * p->bytes;
  const bool follow = p->column_to == (ptrdiff_t)p->bytes &&
                      (row_bytes >= LONG_RUN || p->row_to == (ptrdiff_t)row_bytes);
  if (p->bytes >= LONG_RUN)
    stream_blocks(p, from, to);
  else if (is_transpose(p) && p->column_from != 0 && row_copy(p) == NULL)
    p->vector->stream_transpose[size_of(p->bytes)](from, p->column_from, to, p->row_to, p->columns,
                                                   p->rows);
  else if (follow && (row_copy(p) != NULL || !goes_in_squares(p)))
    stream_gathered(p, from, to);
  else
    copy_panel(p, from, to);
}

/* ---- running: all of it */

/* One run is cut into parts of whole cache lines. */
static void copy_run(const wnn_copy *copy, const char *from, char *to, size_t part,
                     size_t n_parts) {
  size_t begin, end;
  wnn_parallel_split((copy->element_bytes + 63) / 64, part, n_parts, &begin, &end);
  size_t stop = end * 64 < copy->element_bytes ? end * 64 : copy->element_bytes;
  if (begin * 64 >= stop) return;
  if (copy->streams)
    copy->vector->stream(from + begin * 64, to + begin * 64, stop - begin * 64);
  else
    memcpy(to + begin * 64, from + begin * 64, stop - begin * 64);
}

/* Cuts the panels along their longer side; false when nothing is left for this part. */
static bool cut_panel(panel *p, const char **from, char **to, size_t part, size_t n_parts) {
  size_t first, last, unit = 16; /* whole cache lines of small elements */
  bool by_rows = p->rows >= p->columns;
  size_t n = by_rows ? p->rows : p->columns;
  if (n < unit * n_parts) unit = 1;
  wnn_parallel_split((n + unit - 1) / unit, part, n_parts, &first, &last);
  first *= unit;
  last = last * unit < n ? last * unit : n;
  if (first >= last) return false;
  *from += (ptrdiff_t)first * (by_rows ? p->row_from : p->column_from);
  *to += (ptrdiff_t)first * (by_rows ? p->row_to : p->column_to);
  *(by_rows ? &p->rows : &p->columns) = last - first;
  return true;
}

static void copy_panels(const wnn_copy *copy, const char *from, char *to, size_t part,
                        size_t n_parts) {
  const uint32_t last = copy->rank - 1;
  panel p = {copy->vector,
             1,
             copy->dims[last],
             copy->element_bytes,
             0,
             0,
             copy->from[last],
             copy->to[last],
             copy->streams};
  uint32_t rows = copy->row_axis, outer[WNN_COPY_RANK], n_outer = 0;
  size_t n_panels = 1, begin = 0, end = 1;
  if (copy->rank >= 2)
    p.rows = copy->dims[rows], p.row_from = copy->from[rows], p.row_to = copy->to[rows];
  for (uint32_t i = 0; i < last; i++)
    if (i != rows) outer[n_outer++] = i, n_panels *= copy->dims[i];
  if (n_panels >= n_parts)
    wnn_parallel_split(n_panels, part, n_parts, &begin, &end);
  else if (!cut_panel(&p, &from, &to, part, n_parts))
    return;
  else
    end = n_panels;
  for (size_t k = begin; k < end; k++) {
    ptrdiff_t f = 0, t = 0;
    size_t rest = k;
    for (uint32_t i = n_outer; i-- > 0;) {
      ptrdiff_t at = (ptrdiff_t)(rest % copy->dims[outer[i]]);
      rest /= copy->dims[outer[i]];
      f += at * copy->from[outer[i]];
      t += at * copy->to[outer[i]];
    }
    (p.streams ? stream_panel : copy_panel)(&p, from + f, to + t);
  }
}

void wnn_copy_run(const wnn_copy *copy, const void *from_base, void *to_base, size_t part,
                  size_t n_parts) {
  const char *from = (const char *)from_base + copy->from_offset;
  char *to = (char *)to_base + copy->to_offset;
  (copy->rank == 0 ? copy_run : copy_panels)(copy, from, to, part, n_parts);
  if (copy->streams) copy->vector->stream_end();
}
