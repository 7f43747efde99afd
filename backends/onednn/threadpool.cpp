// The context's pool behind oneDNN's thread pool interface, for builds of oneDNN with the THREADPOOL runtime.
#include <new>
#include <oneapi/dnnl/dnnl_threadpool_iface.hpp>

extern "C" {
#include "parallel.h"

void *wnn_onednn_threads_create(wnn_pool *pool);
void wnn_onednn_threads_free(void *threads);
}

namespace {

typedef std::function<void(int, int)> closure;

void call(void *arg, size_t i, size_t n) {
  (*static_cast<const closure *>(arg))(static_cast<int>(i), static_cast<int>(n));
}

class threads final : public dnnl::threadpool_interop::threadpool_iface {
 public:
  explicit threads(wnn_pool *pool) : pool_(pool) {}

  int get_num_threads() const override { return static_cast<int>(wnn_pool_lent(pool_)); }

  bool get_in_parallel() const override { return wnn_in_parallel(pool_); }

  void parallel_for(int n, const closure &fn) override {
    wnn_parallel(pool_, static_cast<size_t>(n), call, const_cast<closure *>(&fn));
  }

  uint64_t get_flags() const override { return 0; }

  // Newer interfaces have it; nothing is left to wait for.
  virtual void wait() {}

 private:
  wnn_pool *pool_;
};

} // namespace

void *wnn_onednn_threads_create(wnn_pool *pool) {
  dnnl::threadpool_interop::threadpool_iface *made = new (std::nothrow) threads(pool);
  return made;
}

void wnn_onednn_threads_free(void *made) {
  delete static_cast<dnnl::threadpool_interop::threadpool_iface *>(made);
}
