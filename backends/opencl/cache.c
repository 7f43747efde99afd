/* Built programs on disk, by device, driver and source. Processes may share the folder: an entry
 * comes to be under its name when it is whole, and what isn't whole, or another's, is as good as
 * absent. Entries that were not used for long go when there are too many bytes: at any time, from
 * under any reader, who has the file open or finds none. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "opencl.h"

#define MAX_PATH ((size_t)1024)
#define MAX_BINARY (WNN_CL_CACHE_BYTES / 2)
#define ABANDONED \
  3600 /* seconds after which a file that never got its name has no writer any more */

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
  futimens(fileno(file), NULL); /* used now */
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

/* ---- the limit */

typedef struct kept_file {
  char name[64];
  struct timespec used;
  uint64_t n_bytes;
} kept_file;

typedef struct kept_files {
  kept_file *list;
  size_t n, room;
  uint64_t n_bytes;
} kept_files;

static bool add_file(const wnn_alloc *alloc, kept_files *files, const char *name,
                     const struct stat *about) {
  if (files->n == files->room) {
    size_t room = 2 * files->room + 64;
    kept_file *list =
        wnn_alloc_resize(alloc, files->list, files->room * sizeof *list, room * sizeof *list);
    if (list == NULL) return false;
    files->list = list;
    files->room = room;
  }
  kept_file *file = &files->list[files->n++];
  *file = (kept_file){.used = about->st_mtim, .n_bytes = (uint64_t)about->st_size};
  snprintf(file->name, sizeof file->name, "%s", name);
  files->n_bytes += file->n_bytes;
  return true;
}

/* All entries; what a writer that died has left is removed. False: out of memory. */
static bool list_files(const wnn_alloc *alloc, DIR *folder, kept_files *files) {
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat about;
    if (strlen(entry->d_name) < 32 || strlen(entry->d_name) >= sizeof files->list->name ||
        fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(about.st_mode))
      continue;
    if (strlen(entry->d_name) == 32) {
      if (!add_file(alloc, files, entry->d_name, &about)) return false;
    } else if (about.st_mtime + ABANDONED < time(NULL)) {
      unlinkat(dirfd(folder), entry->d_name, 0);
    }
  }
  return true;
}

static int by_use(const void *a, const void *b) {
  const struct timespec *x = &((const kept_file *)a)->used, *y = &((const kept_file *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void wnn_cl_cache_trim(const wnn_alloc *alloc, uint64_t max_bytes) {
  char path[MAX_PATH];
  kept_files files = {NULL, 0, 0, 0};
  DIR *folder = folder_of(path) ? opendir(path) : NULL;
  if (folder == NULL) return;
  if (list_files(alloc, folder, &files) && files.n_bytes > max_bytes) {
    qsort(files.list, files.n, sizeof *files.list, by_use);
    /* A quarter more than need be, so that not every new entry comes here. */
    for (size_t i = 0; i + 1 < files.n && files.n_bytes > max_bytes / 4 * 3; i++) {
      unlinkat(dirfd(folder), files.list[i].name, 0); /* or another process did */
      files.n_bytes -= files.list[i].n_bytes;
    }
  }
  wnn_alloc_free(alloc, files.list, files.room * sizeof *files.list);
  closedir(folder);
}

void wnn_cl_cache_store(wnn_device *device, const char *source, size_t size, const char *options,
                        cl_program program) {
  header head = {.n_bytes = 0};
  size_t n_bytes = 0;
  char path[MAX_PATH];
  if (device->cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof n_bytes, &n_bytes,
                                  NULL) != CL_SUCCESS ||
      n_bytes == 0 || n_bytes > MAX_BINARY)
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
    if (write_entry(path, &head, data)) wnn_cl_cache_trim(&device->host->alloc, WNN_CL_CACHE_BYTES);
  }
  wnn_alloc_free(&device->host->alloc, data, n_bytes);
}
