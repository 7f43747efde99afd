/* The pool: every part once, whoever does it; and how many threads there are to be. */
#include "parallel.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/sync.h"
#include "harness.h"

#define MANY 1000

static const wnn_alloc system_alloc = {NULL, NULL};

static void count_part(void *arg, size_t i, size_t n) {
  int *counts = arg;
  if (i < n) counts[i]++;
}

TEST(every_part_runs_once) {
  for (uint32_t n_threads = 1; n_threads <= 5; n_threads++) {
    wnn_pool *pool = wnn_pool_create(&system_alloc, n_threads);
    wnn_pool_enter(pool);
    CHECK(wnn_pool_threads(pool) == n_threads);
    for (size_t n = 0; n < 20; n++) {
      int counts[MANY] = {0};
      wnn_parallel(pool, n, count_part, counts);
      for (size_t i = 0; i < 21; i++) CHECK(counts[i] == (i < n));
    }
    int counts[MANY] = {0};
    wnn_parallel(pool, MANY, count_part, counts);
    for (size_t i = 0; i < MANY; i++)
      if (counts[i] != 1 && !REQUIRE(counts[i] == 1)) break;
    wnn_pool_free(pool);
  }
}

TEST(no_pool_runs_in_place) {
  int counts[4] = {0};
  wnn_parallel(NULL, 4, count_part, counts);
  for (int i = 0; i < 4; i++) CHECK(counts[i] == 1);
  CHECK(!wnn_in_parallel(NULL));
  wnn_pool_free(NULL);
}

typedef struct nest {
  wnn_pool *pool;
  int counts[8][8];
  bool all_inside;
} nest;

typedef struct nest_row {
  nest *nest;
  size_t row;
} nest_row;

static void inner_part(void *arg, size_t i, size_t n) {
  nest_row *row = arg;
  (void)n;
  row->nest->counts[row->row][i]++;
}

static void outer_part(void *arg, size_t i, size_t n) {
  nest_row row = {arg, i};
  (void)n;
  if (!wnn_in_parallel(row.nest->pool)) row.nest->all_inside = false;
  wnn_parallel(row.nest->pool, 8, inner_part, &row);
}

TEST(nested_calls_run_in_place) {
  nest n = {wnn_pool_create(&system_alloc, 3), {{0}}, true};
  wnn_pool_enter(n.pool);
  wnn_parallel(n.pool, 8, outer_part, &n);
  CHECK(n.all_inside);
  CHECK(!wnn_in_parallel(n.pool));
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 8; k++) CHECK(n.counts[i][k] == 1);
  wnn_pool_free(n.pool);
}

static void nap(long ns) {
  struct timespec time = {0, ns};
  nanosleep(&time, NULL);
}

static void sum_part(void *arg, size_t i, size_t n) {
  (void)n;
  atomic_fetch_add((atomic_size_t *)arg, i);
}

/* Rounds right behind one another find helpers that look out, after a nap ones asleep. */
TEST(many_rounds_lose_nothing) {
  wnn_pool *pool = wnn_pool_create(&system_alloc, 4);
  wnn_pool_enter(pool);
  for (int round = 0; round < 3000; round++) {
    atomic_size_t sum = 0;
    size_t n = 2 + (size_t)round % 7;
    wnn_parallel(pool, n, sum_part, &sum);
    if (!REQUIRE(sum == n * (n - 1) / 2)) break;
    if (round % 100 == 0) nap(200000);
  }
  wnn_pool_free(pool);
}

typedef struct meeting {
  atomic_int n_there;
  bool together;
} meeting;

static void meet(void *arg, size_t i, size_t n) {
  meeting *m = arg;
  int64_t end = wnn_now_ns() + INT64_C(10000000000);
  atomic_fetch_add(&m->n_there, 1);
  while (atomic_load(&m->n_there) < (int)n && wnn_now_ns() < end) nap(100000);
  if (i == 0) m->together = atomic_load(&m->n_there) == (int)n;
}

TEST(parts_run_at_the_same_time) {
  wnn_pool *pool = wnn_pool_create(&system_alloc, 3);
  meeting m = {0, false};
  wnn_pool_enter(pool);
  wnn_parallel(pool, 3, meet, &m);
  CHECK(m.together);
  wnn_pool_free(pool);
}

typedef struct held {
  atomic_size_t n_done;
  size_t n_before; /* parts that were done when the held one ended */
  atomic_bool busy[8];
  int counts[MANY];
  atomic_bool shared; /* two had the same slot at the same time, or one that isn't there */
  size_t n_slots;
} held;

/* The first part isn't done before all others are. */
static void held_part(void *arg, size_t i, size_t n) {
  held *h = arg;
  const int64_t end = wnn_now_ns() + INT64_C(10000000000);
  while (i == 0 && atomic_load(&h->n_done) + 1 < n && wnn_now_ns() < end) nap(100000);
  if (i == 0) h->n_before = atomic_load(&h->n_done);
  h->counts[i]++;
  atomic_fetch_add(&h->n_done, 1);
}

static void held_piece(void *arg, size_t slot, size_t i, size_t n) {
  held *h = arg;
  if (slot >= h->n_slots || atomic_exchange(&h->busy[slot], true)) atomic_store(&h->shared, true);
  held_part(h, i, n);
  atomic_store(&h->busy[slot], false);
}

TEST(a_held_part_holds_up_no_other) {
  for (size_t n = 2; n < 100; n += 7) {
    wnn_pool *pool = wnn_pool_create(&system_alloc, 3);
    held parts = {.n_slots = wnn_pool_slots(pool, n)}, pieces = {.n_slots = parts.n_slots};
    wnn_pool_enter(pool);
    wnn_parallel(pool, n, held_part, &parts);
    wnn_parallel_share(pool, n, held_piece, &pieces);
    CONTEXT("%zu parts", n);
    CHECK(parts.n_before == n - 1 && pieces.n_before == n - 1);
    for (size_t i = 0; i < MANY; i++)
      if (!REQUIRE(parts.counts[i] == (i < n) && pieces.counts[i] == (i < n))) break;
    CHECK(!pieces.shared);
    wnn_pool_free(pool);
  }
}

TEST(pieces_without_a_pool_have_one_slot) {
  held pieces = {.n_slots = 1};
  atomic_store(&pieces.n_done, MANY); /* nobody waits */
  CHECK(wnn_pool_slots(NULL, 5) == 1);
  wnn_parallel_share(NULL, 5, held_piece, &pieces);
  for (size_t i = 0; i < 6; i++) CHECK(pieces.counts[i] == (i < 5));
  CHECK(!pieces.shared);
}

TEST(much_work_comes_in_pieces) {
  const size_t mib = (size_t)1 << 20;
  wnn_pool *pool = wnn_pool_create(&system_alloc, 2), *one = wnn_pool_create(&system_alloc, 1);
  CHECK(wnn_pool_parts(NULL, 1000, 1000 * mib) == 1 && wnn_pool_parts(one, 1000, 1000 * mib) == 1);
  CHECK(wnn_pool_parts(pool, 0, 0) == 1 && wnn_pool_parts(pool, 1, 1000 * mib) == 1);
  CHECK(wnn_pool_parts(pool, 1000, 0) == 2 && wnn_pool_parts(pool, 1000, 4 * mib) == 2);
  CHECK(wnn_pool_parts(pool, 1000, 16 * mib) == 8 && wnn_pool_parts(pool, 3, 16 * mib) == 3);
  CHECK(wnn_pool_parts(pool, 1000, 100000 * mib) == 16);
  wnn_pool_cut(pool, 1000);
  CHECK(wnn_pool_parts(pool, 1000, 4000) == 4 && wnn_pool_parts(pool, 1000, 1999) == 2);
  wnn_pool_free(pool);
  wnn_pool_free(one);
}

/* Of this process, all threads. */
static double processor_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return (double)at.tv_sec * 1e3 + (double)at.tv_nsec * 1e-6;
}

static void be_busy(void *ud) {
  const atomic_bool *stop = ud;
  while (!atomic_load(stop)) continue;
}

/* The pool's work while somebody else's is on all processors: so often, with naps in between. */
static void work_in_crowd(wnn_pool *pool, int n_times) {
  enum { N_BUSY = 2 };
  wnn_thread busy[8];
  atomic_bool stop = false;
  const size_t n = N_BUSY * wnn_default_threads() < 8 ? N_BUSY * wnn_default_threads() : 8;
  int counts[MANY] = {0};
  for (size_t i = 0; i < n; i++) REQUIRE(wnn_thread_start(&busy[i], be_busy, &stop));
  nap(20000000); /* until they run */
  for (int i = 0; i < n_times; i++) {
    if (i > 0) nap(12000000);
    wnn_pool_watch(pool);
    wnn_parallel(pool, MANY, count_part, counts);
  }
  atomic_store(&stop, true);
  for (size_t i = 0; i < n; i++) wnn_thread_join(&busy[i]);
}

/* Milliseconds that a thread takes for next to no work, the least of some tries. */
static double least_ms(wnn_pool *pool, int n_rounds) {
  int counts[MANY] = {0};
  double least = 1e9;
  for (int i = 0; i < n_rounds; i++) {
    const double before = processor_ms();
    wnn_parallel(pool, MANY, count_part, counts);
    nap(10000000);
    const double each = (processor_ms() - before) / wnn_pool_threads(pool);
    if (each < least) least = each;
  }
  CONTEXT("%.3f ms a round and thread", least);
  return least;
}

/* Where a processor is wanted by others, a thread that waits for work keeps it for microseconds,
 * not for milliseconds. */
TEST(nobody_spins_in_a_crowd) {
  int counts[MANY] = {0};
  wnn_pool *pool = wnn_pool_create(&system_alloc, 0);
  wnn_pool_enter(pool);
  wnn_parallel(pool, MANY, count_part, counts);
  work_in_crowd(pool, 15);
  CHECK(least_ms(pool, 20) < 1);
  wnn_pool_free(pool);
}

/* The first work comes with threads that aren't there yet: they are counted before they come. */
TEST(nobody_spins_in_a_crowd_from_the_first_work_on) {
  wnn_pool *pool = wnn_pool_create(&system_alloc, 0);
  wnn_pool_enter(pool);
  work_in_crowd(pool, 1);
  CHECK(least_ms(pool, 5) < 1);
  wnn_pool_free(pool);
}

static void nap_in_one(void *arg, size_t i, size_t n) {
  (void)arg, (void)n;
  if (i == 1) nap(20000000);
}

/* The thread that is waited for may need the waiting one's processor. Where others are at work any
 * round may come out long, but not each; and each pool takes some until it has noticed them. */
TEST(who_waits_for_a_part_sleeps) {
  double least = 1e9;
  for (int k = 0; k < 10; k++) {
    wnn_pool *pool = wnn_pool_create(&system_alloc, 2);
    wnn_pool_enter(pool);
    for (int i = 0; i < 3; i++) {
      const double before = processor_ms();
      wnn_parallel(pool, 2, nap_in_one, NULL);
      const double ms = processor_ms() - before;
      if (ms < least) least = ms;
    }
    wnn_pool_free(pool);
  }
  CONTEXT("%.3f ms", least);
  CHECK(least < 5); /* libgomp's barrier spins for some 8 ms of the 20 */
}

static int count_threads(void) {
  int n = 0;
  DIR *folder = opendir("/proc/self/task");
  if (folder == NULL) return 0;
  while (readdir(folder) != NULL) n++;
  closedir(folder);
  return n;
}

TEST(no_thread_stays_behind) {
  const int before = count_threads();
  for (uint32_t i = 0; i < 200; i++) { /* pools that end before their threads are quite there */
    int counts[MANY] = {0};
    wnn_pool *pool = wnn_pool_create(&system_alloc, 1 + i % 4);
    for (int k = 0; k < 3; k++) wnn_pool_enter(pool), wnn_pool_watch(pool);
    if (i < 4) wnn_parallel(pool, MANY, count_part, counts);
    wnn_pool_free(pool);
  }
  /* OpenMP keeps a team for each thread that has had one, this one's among them: 3 helpers. */
  for (int i = 0; i < 500 && count_threads() > before + 3; i++) nap(10000000);
  CHECK(count_threads() <= before + 3);
}

TEST(split_covers_everything) {
  for (size_t n_items = 0; n_items < 20; n_items++)
    for (size_t n = 1; n < 8; n++) {
      size_t at = 0;
      for (size_t i = 0; i < n; i++) {
        size_t begin, end;
        wnn_parallel_split(n_items, i, n, &begin, &end);
        CHECK(begin == at && end >= begin && end - begin <= n_items / n + 1);
        at = end;
      }
      CHECK(at == n_items);
    }
}

TEST(there_is_a_default) {
  uint32_t n = wnn_default_threads();
  wnn_pool *pool = wnn_pool_create(&system_alloc, 0);
  CHECK(n >= 1 && n <= WNN_MAX_THREADS);
  CHECK(wnn_pool_threads(pool) == n);
  wnn_pool_free(pool);
}

/* A file below `root`, with the folders that it needs. */
static void put(const char *root, const char *path, const char *text) {
  char full[512];
  snprintf(full, sizeof full, "%s%s", root, path);
  for (char *slash = full + strlen(root); (slash = strchr(slash + 1, '/')) != NULL;) {
    *slash = '\0';
    mkdir(full, 0700);
    *slash = '/';
  }
  FILE *file = fopen(full, "w");
  if (!REQUIRE(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

typedef struct quota_row {
  const char *name, *groups;
  const char *files[3][2];
  uint32_t expected;
} quota_row;

static const quota_row quota_rows[] = {
    {"no groups", NULL, {{NULL, NULL}}, 0},
    {"v2 without a quota", "0::/\n", {{"/sys/fs/cgroup/cpu.max", "max 100000\n"}}, 0},
    {"v2 of a half", "0::/\n", {{"/sys/fs/cgroup/cpu.max", "50000 100000\n"}}, 1},
    {"v2 of two and a half", "0::/\n", {{"/sys/fs/cgroup/cpu.max", "250000 100000\n"}}, 3},
    {"v2, an inner group",
     "0::/a/b\n",
     {{"/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n"},
      {"/sys/fs/cgroup/cpu.max", "max 100000\n"}},
     3},
    {"v2, the outer group binds",
     "0::/a/b\n",
     {{"/sys/fs/cgroup/a/b/cpu.max", "300000 100000\n"},
      {"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"}},
     2},
    {"v2, the group isn't visible",
     "0::/hidden/group\n",
     {{"/sys/fs/cgroup/cpu.max", "200000 100000\n"}},
     2},
    {"v1 without a quota",
     "3:cpu,cpuacct:/\n",
     {{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v1 of four",
     "5:memory:/x\n3:cpuacct,cpu:/g\n",
     {{"/sys/fs/cgroup/cpu/g/cpu.cfs_quota_us", "400000\n"},
      {"/sys/fs/cgroup/cpu/g/cpu.cfs_period_us", "100000\n"}},
     4},
    {"v1, only the word cpu counts",
     "3:cpuset:/g\n2:cpuacct:/g\n",
     {{"/sys/fs/cgroup/cpu/g/cpu.cfs_quota_us", "400000\n"},
      {"/sys/fs/cgroup/cpu/g/cpu.cfs_period_us", "100000\n"}},
     0},
    {"nonsense", "no colons here\n::\n0::/\n", {{"/sys/fs/cgroup/cpu.max", "rubbish\n"}}, 0},
};

TEST(quota_is_read_from_the_groups) {
  for (size_t i = 0; i < sizeof quota_rows / sizeof quota_rows[0]; i++) {
    const quota_row *row = &quota_rows[i];
    char root[] = "quota-XXXXXX", command[64];
    CONTEXT("%s", row->name);
    if (!REQUIRE(mkdtemp(root) != NULL)) return;
    if (row->groups != NULL) put(root, "/proc/self/cgroup", row->groups);
    for (size_t k = 0; k < 3 && row->files[k][0] != NULL; k++)
      put(root, row->files[k][0], row->files[k][1]);
    CHECK(wnn_quota_threads(root) == row->expected);
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
  }
}

int main(int argc, char **argv) {
  return harness_main(argc, argv,
                      (harness_test[]){RUN(every_part_runs_once),
                                       RUN(no_pool_runs_in_place),
                                       RUN(nested_calls_run_in_place),
                                       RUN(many_rounds_lose_nothing),
                                       RUN(parts_run_at_the_same_time),
                                       RUN(a_held_part_holds_up_no_other),
                                       RUN(pieces_without_a_pool_have_one_slot),
                                       RUN(much_work_comes_in_pieces),
                                       RUN(nobody_spins_in_a_crowd),
                                       RUN(nobody_spins_in_a_crowd_from_the_first_work_on),
                                       RUN(who_waits_for_a_part_sleeps),
                                       RUN(no_thread_stays_behind),
                                       RUN(split_covers_everything),
                                       RUN(there_is_a_default),
                                       RUN(quota_is_read_from_the_groups),
                                       {NULL, NULL}});
}
