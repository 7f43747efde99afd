/* Atomic reference counts. */
#ifndef WNN_BASE_REF_H
#define WNN_BASE_REF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef atomic_size_t wnn_ref;

static inline void wnn_ref_init(wnn_ref *ref) { atomic_init(ref, 1); }
static inline void wnn_ref_retain(wnn_ref *ref) {
  atomic_fetch_add_explicit(ref, 1, memory_order_relaxed);
}
/* True when this was the last owner. */
static inline bool wnn_ref_release(wnn_ref *ref) {
  return atomic_fetch_sub_explicit(ref, 1, memory_order_acq_rel) == 1;
}
/* For lists that own nothing: false when the last owner is gone and the object about to leave the
 * list. */
static inline bool wnn_ref_try_retain(wnn_ref *ref) {
  size_t n = atomic_load_explicit(ref, memory_order_relaxed);
  while (n != 0)
    if (atomic_compare_exchange_weak_explicit(ref, &n, n + 1, memory_order_acquire,
                                              memory_order_relaxed))
      return true;
  return false;
}
/* True when the caller is the only owner: nobody else can see the object, nor will. */
static inline bool wnn_ref_is_sole(const wnn_ref *ref) {
  return atomic_load_explicit(ref, memory_order_acquire) == 1;
}

#endif
