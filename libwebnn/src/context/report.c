#include "context/report.h"

#include "base/error.h"
#include "context/context.h"

struct wnn_scope {
  wnn_scope *outer;
  webnn_error_filter filter;
  webnn_error first; /* OK: nothing was caught */
};

/* A callback that is running, on its thread's stack. */
struct wnn_telling {
  wnn_telling *next;
  wnn_thread thread;
  uint64_t n_changes; /* when it began: whose callback it is */
};

void wnn_watch_init(wnn_watch *watch) {
  *watch = (wnn_watch){.scopes = NULL};
  atomic_init(&watch->on, false);
  wnn_mutex_init(&watch->lock);
  wnn_cond_init(&watch->told);
}

void wnn_watch_free(wnn_watch *watch, const wnn_alloc *alloc) {
  for (wnn_scope *scope = watch->scopes, *outer; scope != NULL; scope = outer) {
    outer = scope->outer;
    wnn_alloc_free(alloc, scope, sizeof *scope);
  }
  wnn_cond_free(&watch->told);
  wnn_mutex_free(&watch->lock);
}

static void update(wnn_watch *watch) {
  bool on = watch->scopes != NULL || watch->callback != NULL;
  atomic_store_explicit(&watch->on, on, memory_order_relaxed);
}

static webnn_error_filter filter_of(const webnn_error *error) {
  switch (error->status) {
    case WEBNN_ERROR_TYPE:
    case WEBNN_ERROR_INVALID_STATE:
    case WEBNN_ERROR_NOT_SUPPORTED: return WEBNN_ERROR_FILTER_VALIDATION;
    default: break;
  }
  return wnn_error_is_no_memory(error) ? WEBNN_ERROR_FILTER_OUT_OF_MEMORY
                                       : WEBNN_ERROR_FILTER_INTERNAL;
}

bool wnn_watch_catch(wnn_watch *watch, const webnn_error *error) {
  webnn_error_filter filter = filter_of(error);
  wnn_mutex_lock(&watch->lock);
  wnn_scope *scope = watch->scopes;
  while (scope != NULL && scope->filter != filter) scope = scope->outer;
  if (scope != NULL && scope->first.status == WEBNN_OK) scope->first = *error;
  wnn_mutex_unlock(&watch->lock);
  return scope != NULL;
}

void wnn_watch_tell(wnn_watch *watch, const webnn_error *error) {
  wnn_telling own = {.next = NULL};
  wnn_thread_self(&own.thread);
  wnn_mutex_lock(&watch->lock);
  webnn_error_callback callback = watch->callback;
  void *ud = watch->ud;
  if (callback != NULL) {
    own.n_changes = watch->n_changes;
    own.next = watch->tells;
    watch->tells = &own;
  }
  wnn_mutex_unlock(&watch->lock);
  if (callback == NULL) return;
  callback(error, ud);
  wnn_mutex_lock(&watch->lock);
  wnn_telling **at = &watch->tells;
  while (*at != &own) at = &(*at)->next;
  *at = own.next;
  wnn_cond_broadcast(&watch->told);
  wnn_mutex_unlock(&watch->lock);
}

/* A callback that was replaced runs, and not below the calling thread, which would wait for itself.
 */
static bool must_wait(const wnn_watch *watch, uint64_t n_changes) {
  bool older = false;
  for (const wnn_telling *tell = watch->tells; tell != NULL; tell = tell->next) {
    if (wnn_thread_is_current(&tell->thread)) return false;
    if (tell->n_changes < n_changes) older = true;
  }
  return older;
}

/* ---- the public side */

webnn_status webnn_context_push_error_scope(webnn_context *context, webnn_error_filter filter,
                                            webnn_error *err) {
  wnn_watch *watch = &context->timeline->watch;
  if ((unsigned)filter > WEBNN_ERROR_FILTER_INTERNAL)
    return wnn_error_set(err, WEBNN_ERROR_TYPE, "push_error_scope: no such filter (%d)",
                         (int)filter);
  if (wnn_timeline_forked(context->timeline))
    return wnn_context_fail_lost(context, "push_error_scope", err);
  wnn_scope *scope = wnn_alloc_zeroed(wnn_context_alloc(context), sizeof *scope);
  if (scope == NULL) return wnn_error_no_memory(err);
  scope->filter = filter;
  wnn_mutex_lock(&watch->lock);
  scope->outer = watch->scopes;
  watch->scopes = scope;
  update(watch);
  wnn_mutex_unlock(&watch->lock);
  return WEBNN_OK;
}

webnn_status webnn_context_pop_error_scope(webnn_context *context, webnn_error *out,
                                           webnn_error *err) {
  wnn_watch *watch = &context->timeline->watch;
  if (out != NULL) *out = (webnn_error){WEBNN_OK, ""};
  if (wnn_timeline_forked(context->timeline))
    return wnn_context_fail_lost(context, "pop_error_scope", err);
  wnn_mutex_lock(&watch->lock);
  wnn_scope *scope = watch->scopes;
  if (scope != NULL) watch->scopes = scope->outer;
  update(watch);
  wnn_mutex_unlock(&watch->lock);
  if (scope == NULL)
    return wnn_error_set(err, WEBNN_ERROR_INVALID_STATE, "pop_error_scope: no error scope is open");
  if (out != NULL) *out = scope->first;
  wnn_alloc_free(wnn_context_alloc(context), scope, sizeof *scope);
  return WEBNN_OK;
}

void webnn_context_on_uncaptured_error(webnn_context *context, webnn_error_callback callback,
                                       void *ud) {
  wnn_watch *watch = &context->timeline->watch;
  if (wnn_timeline_forked(context->timeline)) return;
  wnn_mutex_lock(&watch->lock);
  watch->callback = callback;
  watch->ud = ud;
  uint64_t n_changes = ++watch->n_changes;
  update(watch);
  while (must_wait(watch, n_changes)) wnn_cond_wait(&watch->told, &watch->lock);
  wnn_mutex_unlock(&watch->lock);
}

bool wnn_context_misses(webnn_context *context, const webnn_error *error) {
  wnn_watch *watch = &context->timeline->watch;
  return wnn_watch_is_on(watch) && error->status != WEBNN_OK &&
         !wnn_timeline_forked(context->timeline) && !wnn_watch_catch(watch, error);
}

void webnn_context_report_error(webnn_context *context, const webnn_error *error) {
  if (wnn_context_misses(context, error)) wnn_watch_tell(&context->timeline->watch, error);
}

webnn_status wnn_context_end(webnn_context *context, webnn_status status, const webnn_error *err) {
  if (status != WEBNN_OK) webnn_context_report_error(context, err);
  return status;
}
