/* The memory layout of DLPack capsules, versions 0 and 1: how array libraries lend each other
 * tensors. */
#ifndef WPY_DLPACK_H
#define WPY_DLPACK_H

#include <stdint.h>

enum {
  DLPACK_CPU = 1,
  DLPACK_CUDA_HOST = 3,
  DLPACK_ROCM_HOST = 11
}; /* devices whose memory a CPU can read */
enum { DLPACK_INT, DLPACK_UINT, DLPACK_FLOAT, DLPACK_BOOL = 6 }; /* element kinds */
enum { DLPACK_READ_ONLY = 1, DLPACK_COPIED = 2 };                /* flags */
#define DLPACK_MAJOR 1

typedef struct dlpack_tensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t rank;
  struct {
    uint8_t kind, bits;
    uint16_t lanes;
  } element;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL: compact, row after row */
  uint64_t byte_offset;
} dlpack_tensor;

/* What a capsule named "dltensor" points to. */
typedef struct dlpack_managed {
  dlpack_tensor tensor;
  void *context;
  void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;

/* What a capsule named "dltensor_versioned" points to. */
typedef struct dlpack_versioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(struct dlpack_versioned *self);
  uint64_t flags;
  dlpack_tensor tensor;
} dlpack_versioned;

#endif
