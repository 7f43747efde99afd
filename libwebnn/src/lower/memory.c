/* Finds every cell of the arena its place: cells whose lives overlap don't overlap in memory. */
#include "lower/program.h"

#include <stdlib.h>

static size_t aligned(size_t n, size_t align) { return (n + align - 1) / align * align; }

static webnn_status note_root(wnn_program *program, wnn_cell *root) {
  if (program->n_roots == program->roots_room) {
    size_t room = program->roots_room ? 2 * program->roots_room : 64;
    wnn_cell **roots = wnn_arena_array(program->arena, room, sizeof *roots);
    if (roots == NULL) return WEBNN_ERROR_UNKNOWN;
    for (size_t i = 0; i < program->n_roots; i++) roots[i] = program->roots[i];
    program->roots = roots;
    program->roots_room = room;
  }
  program->roots[program->n_roots++] = root;
  return WEBNN_OK;
}

webnn_status wnn_program_find_lives(wnn_program *program) {
  for (size_t s = 0; s < program->n_steps; s++) {
    wnn_step *step = program->steps[s];
    for (size_t i = 0; i < step->region.n_inputs; i++)
      if (step->inputs[i] != NULL) wnn_cell_root(step->inputs[i], NULL)->last = s;
    for (size_t i = 0; i < step->region.n_outputs; i++) {
      wnn_cell *root = wnn_cell_root(step->outputs[i], NULL);
      root->last = s;
      if (root->is_written) continue; /* another part of it was */
      root->is_written = true;
      root->first = s;
      if (root->place == WNN_PLACE_ARENA && note_root(program, root) != WEBNN_OK) return WEBNN_ERROR_UNKNOWN;
    }
  }
  return WEBNN_OK;
}

/* Lets output 0 of the step take over the memory of a dying input, when the kernel can. */
static void run_in_place(wnn_step *step, size_t s) {
  if (step->plan == NULL || step->plan->in_place < 0) return;
  wnn_cell *out = step->outputs[0], *in = step->inputs[step->plan->in_place];
  size_t at;
  if (in == NULL || out->place != WNN_PLACE_ARENA || out->root != out) return;
  wnn_cell *root = wnn_cell_root(in, &at);
  if (root->place != WNN_PLACE_ARENA || root->last != s || root->n_bytes < at + out->n_bytes) return;
  for (size_t i = 0; i < step->region.n_inputs; i++)
    if ((int)i != step->plan->in_place && step->inputs[i] != NULL &&
        wnn_cell_root(step->inputs[i], NULL) == root)
      return;
  out->root = root;
  out->at = at;
  root->last = out->last;
}

static int by_size(const void *a, const void *b) {
  const wnn_cell *x = *(wnn_cell *const *)a, *y = *(wnn_cell *const *)b;
  if (x->n_bytes != y->n_bytes) return x->n_bytes < y->n_bytes ? 1 : -1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* Where a cell is in the arena, and when. */
typedef struct stay {
  size_t begin, end;  /* bytes */
  size_t first, last; /* steps */
} stay;

/* The lowest gap that is free for the whole life of `cell`. `stays` are sorted by begin. */
static size_t lowest_gap(const stay *stays, size_t n, const wnn_cell *cell, size_t align) {
  size_t at = 0, n_bytes = aligned(cell->n_bytes, align);
  for (size_t i = 0; i < n; i++) {
    if (stays[i].first > cell->last || cell->first > stays[i].last) continue;
    if (stays[i].begin >= at + n_bytes) break;
    if (stays[i].end > at) at = stays[i].end;
  }
  return at;
}

static void insert(stay *stays, size_t n, stay new) {
  while (n > 0 && stays[n - 1].begin > new.begin) {
    stays[n] = stays[n - 1];
    n--;
  }
  stays[n] = new;
}

webnn_status wnn_program_place(wnn_program *program) {
  for (size_t s = 0; s < program->n_steps; s++) run_in_place(program->steps[s], s);
  size_t n = 0, align = program->align != 0 ? program->align : WNN_CACHE_LINE;
  for (size_t i = 0; i < program->n_roots; i++)
    if (program->roots[i]->root == program->roots[i]) program->roots[n++] = program->roots[i];
  program->n_roots = n;
  stay *stays = wnn_arena_array(program->arena, n, sizeof *stays);
  if (stays == NULL) return WEBNN_ERROR_UNKNOWN;
  if (n != 0) qsort(program->roots, n, sizeof *program->roots, by_size);
  for (size_t i = 0; i < n; i++) {
    wnn_cell *cell = program->roots[i];
    cell->offset = lowest_gap(stays, i, cell, align);
    size_t end = cell->offset + aligned(cell->n_bytes, align);
    insert(stays, i, (stay){cell->offset, end, cell->first, cell->last});
    if (end > program->arena_bytes) program->arena_bytes = end;
  }
  return WEBNN_OK;
}
