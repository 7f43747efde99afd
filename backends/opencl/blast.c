#include "blast.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include "base/switches.h"

/* What CLBlast's C interface calls its values; all of them stand where an int does. */
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

typedef int sgemm_fn(int layout, int a_transposed, int b_transposed, size_t m, size_t n, size_t k,
                     float alpha, cl_mem a, size_t a_at, size_t a_row, cl_mem b, size_t b_at,
                     size_t b_row, float beta, cl_mem c, size_t c_at, size_t c_row,
                     cl_command_queue *queue, cl_event *event);
typedef int sgemm_batched_fn(int layout, int a_transposed, int b_transposed, size_t m, size_t n,
                             size_t k, float alpha, cl_mem a, size_t a_at, size_t a_row,
                             size_t a_batch, cl_mem b, size_t b_at, size_t b_row, size_t b_batch,
                             float beta, cl_mem c, size_t c_at, size_t c_row, size_t c_batch,
                             size_t n_batch, cl_command_queue *queue, cl_event *event);
typedef int clear_fn(void);

struct wnn_cl_blast {
  sgemm_fn *sgemm;
  sgemm_batched_fn *sgemm_batched;
  clear_fn *clear;
  bool bundled, usable;
};

/* Data pointers and function pointers are alike where there is dlsym. */
static bool find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

/* False: there is none, or an old one. CLBlast wants a libOpenCL.so.1, and takes the one that is
 * loaded: ours, for a device was looked for before. */
static bool open_library(wnn_cl_blast *blast) {
  static const wnn_cl_names names = WNN_CL_NAMES("libclblast");
  const wnn_cl_library found = wnn_cl_open_library(&names);
  blast->bundled = found.bundled;
  return found.handle != NULL && find(found.handle, "CLBlastSgemm", &blast->sgemm) &&
         find(found.handle, "CLBlastSgemmStridedBatched", &blast->sgemm_batched) &&
         find(found.handle, "CLBlastClearCache", &blast->clear);
}

const char *wnn_cl_blast_found(void) {
  wnn_cl_blast blast;
  if (!open_library(&blast)) return "no CLBlast (libclblast.so.1)";
  return blast.bundled ? "the bundled CLBlast" : "the system's CLBlast";
}

webnn_status wnn_cl_blast_run(wnn_device *device, const wnn_cl_gemm *gemm, cl_mem a, cl_mem b,
                              cl_mem c) {
  const wnn_cl_blast *blast = device->blast;
  cl_command_queue queue = device->queue;
  const wnn_cl_matrix *x = &gemm->a, *y = &gemm->b, *z = &gemm->c;
  int a_is = gemm->a_transposed ? TRANSPOSED : AS_IT_IS, code;
  int b_is = gemm->b_transposed ? TRANSPOSED : AS_IT_IS;
  if (gemm->n_batch == 1)
    code = blast->sgemm(ROW_MAJOR, a_is, b_is, gemm->m, gemm->n, gemm->k, gemm->alpha, a, x->at,
                        x->row, b, y->at, y->row, 0, c, z->at, z->row, &queue, NULL);
  else
    code = blast->sgemm_batched(ROW_MAJOR, a_is, b_is, gemm->m, gemm->n, gemm->k, gemm->alpha, a,
                                x->at, x->row, x->batch, b, y->at, y->row, y->batch, 0, c, z->at,
                                z->row, z->batch, gemm->n_batch, &queue, NULL);
  return wnn_cl_check(device, code);
}

/* ---- the test: tuned kernels have gone wrong on drivers before */

#define TEST_PLACES ((size_t)300000) /* floats of each operand */

typedef struct trial {
  size_t m, n, k, n_batch;
} trial;

/* One of each, odd sizes, one row, a batch, and large enough for the kernels that CLBlast has for
 * that. */
static const trial trials[] = {{1, 1, 1, 1},    {3, 5, 7, 1},  {1, 33, 19, 1},
                               {17, 31, 65, 1}, {7, 9, 11, 3}, {519, 521, 523, 1}};

/* Whole numbers: every sum is exact, whatever its order. */
static float value_of(size_t i, size_t salt) {
  return (float)((i * 7 + salt * 3 + i / 13) % 9) - 4;
}

static size_t at_of(const wnn_cl_matrix *x, bool transposed, size_t batch, size_t row,
                    size_t column) {
  return x->at + batch * x->batch + (transposed ? column * x->row + row : row * x->row + column);
}

/* Compares what came out, of large results a part, and that nothing else was written. */
static bool is_right(const wnn_cl_gemm *gemm, const float *a, const float *b, float *c) {
  const size_t step = gemm->m > 100 ? 97 : 1;
  for (size_t batch = 0; batch < gemm->n_batch; batch++)
    for (size_t i = 0; i < gemm->m; i++)
      for (size_t j = 0; j < gemm->n; j++) {
        float sum = 0, *got = &c[at_of(&gemm->c, false, batch, i, j)];
        for (size_t k = 0; k < gemm->k && (i + j) % step == 0; k++)
          sum += a[at_of(&gemm->a, gemm->a_transposed, batch, i, k)] *
                 b[at_of(&gemm->b, gemm->b_transposed, batch, k, j)];
        if ((i + j) % step == 0 ? *got != gemm->alpha * sum : isnan(*got)) return false;
        *got = NAN;
      }
  for (size_t i = 0; i < TEST_PLACES; i++)
    if (!isnan(c[i])) return false;
  return true;
}

/* Rows that are longer than they need be, matrices that begin somewhere. */
static wnn_cl_gemm gemm_of(const trial *t, bool a_transposed, bool b_transposed) {
  size_t a_rows = a_transposed ? t->k : t->m, a_columns = a_transposed ? t->m : t->k;
  size_t b_rows = b_transposed ? t->n : t->k, b_columns = b_transposed ? t->k : t->n;
  wnn_cl_gemm g = {.a_transposed = a_transposed,
                   .b_transposed = b_transposed,
                   .m = t->m,
                   .n = t->n,
                   .k = t->k,
                   .n_batch = t->n_batch,
                   .alpha = -0.5f};
  g.a = (wnn_cl_matrix){.at = 3, .row = a_columns + 2, .batch = a_rows * (a_columns + 2) + 1};
  g.b = (wnn_cl_matrix){.at = 5, .row = b_columns + 1, .batch = b_rows * (b_columns + 1)};
  g.c = (wnn_cl_matrix){.at = 4, .row = t->n + 3, .batch = t->m * (t->n + 3) + 2};
  return g;
}

static bool try_all(wnn_device *device, float *host, void *const *buffers) {
  const size_t n_bytes = TEST_PLACES * sizeof(float);
  float *a = host, *b = host + TEST_PLACES, *c = host + 2 * TEST_PLACES;
  for (size_t t = 0; t < sizeof trials / sizeof trials[0]; t++)
    for (int kind = 0; kind < 4; kind++) {
      const wnn_cl_gemm gemm = gemm_of(&trials[t], kind & 1, kind & 2);
      for (size_t i = 0; i < TEST_PLACES; i++) c[i] = NAN;
      wnn_buffer result = {.n_bytes = n_bytes, .impl = buffers[2]};
      if (wnn_cl_buffer_write(device, &result, c) != WEBNN_OK ||
          wnn_cl_blast_run(device, &gemm, buffers[0], buffers[1], buffers[2]) != WEBNN_OK ||
          wnn_cl_buffer_read(device, &result, c) != WEBNN_OK || !is_right(&gemm, a, b, c))
        return false;
    }
  return true;
}

static bool passes_test(wnn_device *device) {
  const wnn_alloc *alloc = &device->host->alloc;
  const size_t n_bytes = TEST_PLACES * sizeof(float);
  void *buffers[3] = {NULL};
  float *host = wnn_alloc_get(alloc, 3 * n_bytes);
  bool good = host != NULL;
  for (size_t i = 0; good && i < TEST_PLACES; i++) {
    host[i] = value_of(i, 1);
    host[TEST_PLACES + i] = value_of(i, 2);
    host[2 * TEST_PLACES + i] = 0;
  }
  for (size_t i = 0; good && i < 3; i++)
    good = wnn_cl_memory.create(device, n_bytes, host + i * TEST_PLACES, &buffers[i]) == WEBNN_OK;
  good = good && try_all(device, host, buffers);
  for (size_t i = 0; i < 3; i++)
    if (buffers[i] != NULL) wnn_cl_memory.free(device, buffers[i]);
  wnn_alloc_free(alloc, host, 3 * n_bytes);
  return good;
}

bool wnn_cl_blast_usable(wnn_device *device) {
  if (!wnn_pass_enabled(device->host->passes, "clblast")) return false;
  /* On processors its kernels, which are tuned for GPUs, are some ten times slower than our tiles.
   */
  if (device->is_cpu && wnn_pass_enabled(device->host->passes, "tiles")) return false;
  if (device->blast != NULL) return device->blast->usable;
  device->blast = wnn_alloc_zeroed(&device->host->alloc, sizeof *device->blast);
  if (device->blast == NULL) return false;
  device->blast->usable = open_library(device->blast) && passes_test(device);
  return device->blast->usable;
}

void wnn_cl_blast_close(wnn_device *device) {
  if (device->blast == NULL) return;
  /* Its programs would keep the context. Other contexts' come again when they are wanted. */
  if (device->blast->clear != NULL) device->blast->clear();
  wnn_alloc_free(&device->host->alloc, device->blast, sizeof *device->blast);
}
