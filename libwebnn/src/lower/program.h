/* The program that lowering builds: steps (regions in running order) over cells (pieces of memory). Private to
 * lower/. */
#ifndef WNN_LOWER_PROGRAM_H
#define WNN_LOWER_PROGRAM_H

#include "lower/region.h"

typedef enum wnn_place {
  WNN_PLACE_ARENA,
  WNN_PLACE_INPUT,    /* a graph input's buffer */
  WNN_PLACE_OUTPUT,   /* a graph output's buffer */
  WNN_PLACE_CONSTANT,
} wnn_place;

/* A value in one layout. A view, or a part of what is joined, lies in the memory of its root, which is itself for all
 * others; a root may become part of another, so ask wnn_cell_root. */
typedef struct wnn_cell wnn_cell;
struct wnn_cell {
  wnn_desc desc;
  wnn_layout layout;
  wnn_cell *root;
  size_t at; /* bytes from the root's beginning */
  wnn_cell *other; /* the same value in the next layout */
  /* Of roots: */
  wnn_place place;
  size_t index;          /* of the graph input or output */
  wnn_value *constant; /* its blob goes when all its readers have packed it */
  size_t n_bytes, offset; /* in the arena */
  size_t first, last;     /* steps that write and read it */
  bool is_written;        /* `first` is known */
  size_t n_readers;       /* constants: operands that read it and aren't planned yet */
  bool needed;            /* constants: some kernel reads the bytes at the run */
  void *handle;           /* of memory that isn't the host's, once some step is bound to it */
};

typedef struct wnn_step {
  wnn_region region;
  const wnn_value **values;     /* behind the input ports, then behind the output ports; NULL: absent */
  wnn_cell **inputs, **outputs; /* by port; NULL: absent */
  wnn_plan *plan;
  const char *reason; /* why the last kernel of the list plans it; NULL: another does */
} wnn_step;

typedef struct wnn_program {
  const wnn_lowering *lowering;
  wnn_graph *graph;
  wnn_arena *arena;
  wnn_step **steps; /* in running order */
  size_t n_steps, room;
  wnn_cell **cells; /* by value id: the first cell of each value */
  wnn_cell **roots; /* every arena root, for the memory planner */
  size_t n_roots, roots_room;
  size_t align; /* of cells in the arena; 0: a cache line */
  size_t arena_bytes, scratch_bytes;
} wnn_program;

/* Cuts the graph into regions, in running order (regions.c). */
webnn_status wnn_program_make_regions(wnn_program *program);
/* Gives every port its cell and layout, adds the reorders that this takes (cells.c). */
webnn_status wnn_program_make_cells(wnn_program *program);
/* Finds from which step to which every cell lives (memory.c). */
webnn_status wnn_program_find_lives(wnn_program *program);
/* Finds every arena cell its offset (memory.c). Plans must be there: they say what runs in place. */
webnn_status wnn_program_place(wnn_program *program);

/* Steps that need no work, since what they give lies in their operands' memory already (views.c). Each says in
 * *done whether that is so. */
webnn_status wnn_program_cut(wnn_program *program, const wnn_step *step, bool *done);
webnn_status wnn_program_join(wnn_program *program, const wnn_step *step, bool *done);

/* Whose memory the cell lies in, and where: bytes from its beginning. */
static inline wnn_cell *wnn_cell_root(wnn_cell *cell, size_t *at) {
  size_t sum = 0;
  for (; cell->root != cell; cell = cell->root) sum += cell->at;
  if (at != NULL) *at = sum;
  return cell;
}

/* Cells (cells.c); NULL: out of memory. */
wnn_cell *wnn_program_new_cell(wnn_program *program, const wnn_desc *desc, wnn_layout layout, wnn_place place);
/* The same bytes as `of`, under another description. */
wnn_cell *wnn_program_new_view(wnn_program *program, const wnn_desc *desc, wnn_layout layout, wnn_cell *of);
void wnn_program_attach(wnn_program *program, const wnn_value *value, wnn_cell *cell);
/* A step that copies `from` into `to`: both are the same value. */
webnn_status wnn_program_add_reorder(wnn_program *program, wnn_cell *from, wnn_cell *to);

webnn_status wnn_program_add_step(wnn_program *program, wnn_step *step);
bool wnn_op_is_view(const wnn_node *node);

/* Whether one thread is done with it about as soon as several would be, regions known (small.c). */
bool wnn_program_is_small(const wnn_program *program);

/* Describes a planned step, in memory of `arena` (describe.c); UNKNOWN when out of memory. */
webnn_status wnn_step_describe(const wnn_lowering *lowering, const wnn_step *step, wnn_arena *arena,
                               wnn_step_info *out);
/* Why no kernel before the last of the list takes the region: asks them again with one thing changed at a time
 * (reason.c). Memory of `arena` is used; the text is static. */
const char *wnn_reason_declined(const wnn_lowering *lowering, const wnn_region *region, wnn_arena *arena);

#endif
