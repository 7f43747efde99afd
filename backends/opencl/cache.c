/* Built programs on disk, by device, driver and source. Processes may share the folder: an entry
 * comes to be under its name when it is whole, and what isn't whole, or another's, is as good as
 * absent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "opencl.h"

#define MAX_PATH ((size_t)1024)
#define MAX_BINARY ((uint64_t)256 << 20)

typedef struct header {
  char magic[8];
  uint64_t key[2];   /* of device, driver, options and source */
  uint64_t n_bytes;  /* of the program that follows */
  uint64_t checksum; /* of it */
} header;

static const char magic[8] = {'w', 'n', 'n', 'c', 'l', '0', '1', '\n'};

static uint64_t mix(uint64_t hash, const void *data, size_t n) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < n; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

static void make_key(const wnn_device *device, const char *source, size_t size, const char *options,
                     uint64_t key[2]) {
  static const uint64_t seeds[2] = {14695981039346656037u, 0x9e3779b97f4a7c15u};
  for (int i = 0; i < 2; i++) {
    uint64_t hash = mix(seeds[i], device->name, strlen(device->name) + 1);
    hash = mix(hash, device->driver, strlen(device->driver) + 1);
    hash = mix(hash, options, strlen(options) + 1);
    key[i] = mix(hash, source, size);
    key[i] ^= key[i] >> 29; /* the two are of one family: the low bits must not go together */
  }
}

static bool folder_of(char *out) {
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n = -1;
  if (base != NULL && base[0] == '/')
    n = snprintf(out, MAX_PATH, "%s/webnn/opencl", base);
  else if (home != NULL && home[0] == '/')
    n = snprintf(out, MAX_PATH, "%s/.cache/webnn/opencl", home);
  return n > 0 && (size_t)n < MAX_PATH - 64;
}

static bool path_of(const uint64_t key[2], char *out) {
  if (!folder_of(out)) return false;
  size_t n = strlen(out);
  snprintf(out + n, MAX_PATH - n, "/%016llx%016llx", (unsigned long long)key[0],
           (unsigned long long)key[1]);
  return true;
}

/* The folder and those above it. */
static void make_folders(const char *path) {
  char part[MAX_PATH];
  for (size_t i = 1; path[i] != '\0'; i++) {
    if (path[i] != '/') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    mkdir(part, 0700);
  }
}

/* The entry's program, to be freed with `*n_bytes`; NULL when there is none that is whole and ours.
 */
static unsigned char *read_entry(const wnn_device *device, const uint64_t key[2], size_t *n_bytes) {
  char path[MAX_PATH];
  header head;
  unsigned char *data = NULL;
  FILE *file = path_of(key, path) ? fopen(path, "rb") : NULL;
  if (file == NULL) return NULL;
  bool good = fread(&head, sizeof head, 1, file) == 1 &&
              memcmp(head.magic, magic, sizeof magic) == 0 && head.key[0] == key[0] &&
              head.key[1] == key[1] && head.n_bytes > 0 && head.n_bytes <= MAX_BINARY;
  if (good) data = wnn_alloc_get(&device->host->alloc, (size_t)head.n_bytes);
  if (data != NULL) {
    *n_bytes = (size_t)head.n_bytes;
    good = fread(data, *n_bytes, 1, file) == 1 && fgetc(file) == EOF &&
           mix(0, data, *n_bytes) == head.checksum;
    if (!good) {
      wnn_alloc_free(&device->host->alloc, data, *n_bytes);
      data = NULL;
    }
  }
  fclose(file);
  return data;
}

cl_program wnn_cl_cache_load(wnn_device *device, const char *source, size_t size,
                             const char *options) {
  uint64_t key[2];
  size_t n_bytes;
  cl_int code, code_of_binary;
  make_key(device, source, size, options, key);
  unsigned char *data = read_entry(device, key, &n_bytes);
  if (data == NULL) return NULL;
  const unsigned char *binary = data;
  cl_program program = device->cl.clCreateProgramWithBinary(
      device->context, 1, &device->id, &n_bytes, &binary, &code_of_binary, &code);
  wnn_alloc_free(&device->host->alloc, data, n_bytes);
  if (code != CL_SUCCESS) return NULL;
  if (device->cl.clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
    return program;
  device->cl.clReleaseProgram(program);
  return NULL;
}

static bool write_entry(const char *path, const header *head, const unsigned char *data) {
  char fresh[MAX_PATH + 32];
  snprintf(fresh, sizeof fresh, "%s.%ld-XXXXXX", path, (long)getpid());
  int fd = mkstemp(fresh);
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (file == NULL) {
    if (fd >= 0) close(fd);
    return false;
  }
  bool good =
      fwrite(head, sizeof *head, 1, file) == 1 && fwrite(data, (size_t)head->n_bytes, 1, file) == 1;
  good = fclose(file) == 0 && good;
  if (good) good = rename(fresh, path) == 0;
  if (!good) unlink(fresh);
  return good;
}

void wnn_cl_cache_store(wnn_device *device, const char *source, size_t size, const char *options,
                        cl_program program) {
  header head = {.n_bytes = 0};
  size_t n_bytes = 0;
  char path[MAX_PATH];
  if (device->cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n_bytes, &n_bytes,
                                  NULL) != CL_SUCCESS ||
      n_bytes == 0)
    return;
  unsigned char *data = wnn_alloc_get(&device->host->alloc, n_bytes);
  if (data == NULL) return;
  memcpy(head.magic, magic, sizeof magic);
  make_key(device, source, size, options, head.key);
  head.n_bytes = n_bytes;
  if (device->cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) ==
          CL_SUCCESS &&
      path_of(head.key, path)) {
    head.checksum = mix(0, data, n_bytes);
    make_folders(path);
    write_entry(path, &head, data);
  }
  wnn_alloc_free(&device->host->alloc, data, n_bytes);
}
