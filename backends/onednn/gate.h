/* Who is inside oneDNN, so that the end of the process can wait: see gate.c. */
#ifndef WNN_ONEDNN_GATE_H
#define WNN_ONEDNN_GATE_H

#include <stdbool.h>
#include <stddef.h>

/* Before the first call to oneDNN that a device makes. */
void wnn_gate_open(void);

/* Round every stretch of calls to oneDNN; not nested. False: the process is ending, oneDNN may be
 * gone already; nothing is to be left. The place that was taken is for wnn_gate_leave. */
bool wnn_gate_enter(size_t *place);
void wnn_gate_leave(size_t place);

/* The same, round a stretch that may make objects that oneDNN destroys at the end: for what is done
 * for the first time. Forks wait until it is over. */
bool wnn_gate_enter_first(size_t *place);
void wnn_gate_leave_first(size_t place);

#endif
