/* Graphs that one thread does about as soon as several would: handing parts out and meeting again at
 * the end of each step takes what is gained. */
#include "lower/program.h"
#include "parallel.h"

/* Rough, and measured with AVX2: what a thread multiplies and moves in a nanosecond; what a step takes
 * at least; what handing out its parts adds, and waking the worker that does it. */
#define FLOPS_PER_NS 50
#define BYTES_PER_NS 20
#define STEP_NS 300
#define SHARE_NS 4000
#define WAKE_NS 15000
/* Several threads take that much more of the processor's time, so they have to save some. */
#define WORTH_PERCENT 115

bool wnn_program_is_small(const wnn_program *program) {
  const uint64_t n_threads = wnn_pool_threads(program->lowering->host->pool);
  uint64_t alone = 0, shared = WAKE_NS;
  for (size_t s = 0; s < program->n_steps; s++) {
    const wnn_region *region = &program->steps[s]->region;
    const uint64_t whole = STEP_NS + wnn_region_flops(region) / FLOPS_PER_NS + wnn_region_bytes(region) / BYTES_PER_NS,
                   parts = whole / n_threads + SHARE_NS;
    alone += whole;
    shared += parts < whole ? parts : whole;
  }
  return n_threads == 1 || alone <= shared / 100 * WORTH_PERCENT;
}
