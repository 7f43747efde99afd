/* From a graph and a backend's kernels to a flat list of planned regions in one arena, and the loop that runs
 * it. */
#ifndef WNN_LOWER_EXECUTABLE_H
#define WNN_LOWER_EXECUTABLE_H

#include "lower/region.h"

webnn_status wnn_lower(const wnn_lowering *lowering, wnn_graph *graph, wnn_executable **out,
                       webnn_error *err);
/* Computes a node of constants into dense row-major outputs.  NOT_SUPPORTED: no kernel. */
webnn_status wnn_lower_evaluate(const wnn_lowering *lowering, const wnn_node *node, void *const *outputs);

void wnn_executable_free(wnn_executable *executable);
webnn_status wnn_executable_run(wnn_executable *executable, const wnn_buffer *const *inputs,
                                const wnn_buffer *const *outputs, double *seconds);
const wnn_step_info *wnn_executable_step(const wnn_executable *executable, size_t i);
wnn_memory_use wnn_executable_memory(const wnn_executable *executable);
bool wnn_executable_is_light(const wnn_executable *executable);

#endif
