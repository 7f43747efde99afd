/* The debugging option that switches passes off: "-fuse,-layout". */
#ifndef WNN_BASE_SWITCHES_H
#define WNN_BASE_SWITCHES_H

#include <webnn/base.h>

/* The next word of "-a,-b", of which `*text` is what is left; false at the end. NULL is no words. */
bool wnn_next_switch(const char **text, webnn_str *word);
/* True for the word "-name". */
bool wnn_switch_is(webnn_str word, const char *name);

/* True unless `switches` says "-name" or "-all". */
bool wnn_pass_enabled(const char *switches, const char *name);

#endif
