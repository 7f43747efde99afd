#include "base/switches.h"

#include <string.h>

bool wnn_next_switch(const char **text, webnn_str *word) {
  if (*text == NULL || **text == '\0') return false;
  size_t n = strcspn(*text, ",");
  *word = (webnn_str){*text, n};
  *text += n + ((*text)[n] == ',');
  return true;
}

bool wnn_switch_is(webnn_str word, const char *name) {
  return word.size == strlen(name) + 1 && word.data[0] == '-' &&
         memcmp(word.data + 1, name, word.size - 1) == 0;
}

bool wnn_pass_enabled(const char *switches, const char *name) {
  webnn_str word;
  while (wnn_next_switch(&switches, &word))
    if (wnn_switch_is(word, name) || wnn_switch_is(word, "all")) return false;
  return true;
}
