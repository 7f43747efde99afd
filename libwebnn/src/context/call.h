/* What dispatch and compute share: whether the graph can be called, and which end a name means. */
#ifndef WNN_CONTEXT_CALL_H
#define WNN_CONTEXT_CALL_H

#include "base/error.h"
#include "context/graph.h"
#include <string.h>

static inline webnn_status wnn_call_check_graph(const char *who, const webnn_context *context,
                                                const webnn_graph *graph, webnn_error *err) {
  if (graph->context != context)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: the graph belongs to another context", who);
  if (!webnn_graph_is_destroyed(graph)) return WEBNN_OK;
  if (wnn_timeline_lost(context->timeline)) return wnn_context_fail_lost(context, who, err);
  return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "%s: the graph is destroyed", who);
}

static inline webnn_status wnn_call_missing(const char *who, const char *side,
                                            const wnn_graph_end *end, webnn_error *err) {
  return wnn_error_set(err, WEBNN_ERROR_TYPE, "%s: %s '%s' is missing", who, side,
                       wnn_quote(end->name).text);
}

/* The end of this name, `n` when there is none. Callers mostly keep to the graph's order: `hint` is
 * tried first. */
static inline size_t wnn_call_find(const wnn_graph_end *ends, size_t n, size_t hint,
                                   webnn_str name) {
  if (hint >= n) hint = 0;
  for (size_t k = 0; k < n; k++) {
    size_t i = hint + k < n ? hint + k : hint + k - n;
    if (ends[i].name.size == name.size && memcmp(ends[i].name.data, name.data, name.size) == 0)
      return i;
  }
  return n;
}

static inline webnn_status wnn_call_bad_name(const char *who, const char *side, webnn_str name,
                                             bool known, webnn_error *err) {
  return wnn_error_set(err, WEBNN_ERROR_TYPE,
                       known ? "%s: %s '%s' is given twice" : "%s: the graph has no %s '%s'", who,
                       side, wnn_quote(name).text);
}

#endif
