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

/* A value in one layout. A view shares the memory of its root, which is itself for all others. */
typedef struct wnn_cell wnn_cell;
struct wnn_cell {
  wnn_desc desc;
  wnn_layout layout;
  wnn_cell *root;
  wnn_cell *other; /* the same value in the next layout */
  /* Of roots: */
  wnn_place place;
  size_t index;          /* of the graph input or output */
  wnn_value *constant; /* its blob goes when all its readers have packed it */
  size_t n_bytes, offset; /* in the arena */
  size_t first, last;     /* steps that write and read it */
  size_t n_readers;       /* constants: operands that read it and aren't planned yet */
  bool needed;            /* constants: some kernel reads the bytes at the run */
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

webnn_status wnn_program_add_step(wnn_program *program, wnn_step *step);
bool wnn_op_is_view(const wnn_node *node);

/* Describes a planned step, in memory of `arena` (describe.c); UNKNOWN when out of memory. */
webnn_status wnn_step_describe(const wnn_lowering *lowering, const wnn_step *step, wnn_arena *arena,
                               wnn_step_info *out);
/* Why no kernel before the last of the list takes the region: asks them again with one thing changed at a time
 * (reason.c). Memory of `arena` is used; the text is static. */
const char *wnn_reason_declined(const wnn_lowering *lowering, const wnn_region *region, wnn_arena *arena);

#endif
