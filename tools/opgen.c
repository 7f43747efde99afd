/* Prints what is generated from the operation table: opgen ops.h | typed.c | _ops.pyi | ops.lua |
 * ops.md | limits. `opgen --write ROOT` refreshes the checked-in files, `opgen --check ROOT` fails when one
 * is stale. limits is never written: the checked-in file comes from the specification's facts and
 * must equal the table. */
#include "opgen.h"

void begin(lines *to) {
  fprintf(to->out, "\n%s", to->indent);
  to->column = strlen(to->indent);
}

void put(lines *to, const char *piece) {
  if (to->column + strlen(piece) > OPGEN_WIDTH && to->column > strlen(to->indent)) begin(to);
  if (to->column == strlen(to->indent)) piece += strspn(piece, " ");
  fputs(piece, to->out);
  to->column += strlen(piece);
}

void put_words(lines *to, const char *text) {
  char word[128];
  while (*text != '\0') {
    size_t n = strcspn(text, " ");
    snprintf(word, sizeof word, " %.*s", (int)n, text);
    put(to, word);
    text += n + strspn(text + n, " ");
  }
}

void print_types(FILE *out, uint32_t types, const char *between) {
  const char *separator = "";
  for (unsigned i = 0; i < WNN_N_DATA_TYPES; i++) {
    if (!(types >> i & 1)) continue;
    fprintf(out, "%s%s", separator, webnn_data_type_name((webnn_data_type)i));
    separator = between;
  }
}

static const struct {
  const char *name, *path;
  void (*print)(FILE *out);
  bool generated;
} files[] = {
    {"ops.h", "libwebnn/include/webnn/ops.h", print_ops_h, true},
    {"typed.c", "libwebnn/src/op/typed.c", print_typed_c, true},
    {"_ops.pyi", "bindings/python/webnn/_ops.pyi", print_ops_pyi, true},
    {"ops.lua", "bindings/lua/types/ops.lua", print_ops_lua, true},
    {"ops.md", "docs/ops.md", print_ops_md, true},
    {"limits", "tests/data/limits/ops.json", print_limits, false},
};

static FILE *open_in(const char *root, const char *path, const char *mode) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%s", root, path);
  FILE *file = fopen(name, mode);
  if (file == NULL) fprintf(stderr, "opgen: can't open %s\n", name);
  return file;
}

/* 0 when equal, else the first line that differs. */
static size_t compare(FILE *a, FILE *b) {
  for (size_t line = 1;;) {
    int x = fgetc(a), y = fgetc(b);
    if (x != y) return line;
    if (x == EOF) return 0;
    line += x == '\n';
  }
}

static int check_file(const char *root, size_t i) {
  FILE *fresh = tmpfile(), *kept = open_in(root, files[i].path, "r");
  size_t line = 1;
  if (fresh != NULL && kept != NULL) {
    files[i].print(fresh);
    rewind(fresh);
    line = compare(fresh, kept);
  }
  if (line != 0)
    fprintf(stderr, "opgen: %s %s at line %zu\n", files[i].path,
            files[i].generated ? "is stale" : "differs from the operation table", line);
  if (fresh != NULL) fclose(fresh);
  if (kept != NULL) fclose(kept);
  return line != 0;
}

static int write_file(const char *root, size_t i) {
  FILE *file = files[i].generated ? open_in(root, files[i].path, "w") : NULL;
  if (file == NULL) return files[i].generated;
  files[i].print(file);
  return fclose(file) != 0;
}

int main(int argc, char **argv) {
  int failed = 0;
  size_t n = sizeof files / sizeof files[0];
  if (argc == 3 && (strcmp(argv[1], "--check") == 0 || strcmp(argv[1], "--write") == 0)) {
    for (size_t i = 0; i < n; i++)
      failed |= (argv[1][2] == 'c' ? check_file : write_file)(argv[2], i);
    return failed;
  }
  for (size_t i = 0; i < n; i++)
    if (argc == 2 && strcmp(argv[1], files[i].name) == 0)
      return files[i].print(stdout), ferror(stdout) != 0;
  fprintf(stderr,
          "usage: opgen ops.h|typed.c|_ops.pyi|ops.lua|ops.md|limits, opgen --check|--write ROOT\n");
  return 2;
}
