/* SPDX-License-Identifier: MIT */
/* libstrata.h - what the files of libstrata share; applications include strata/tracepoint.h. */
#ifndef STRATA_LIBSTRATA_H
#define STRATA_LIBSTRATA_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <strata/tracepoint.h>

#include "libstrata/rings.h"

/* registry.c: the events of this process.  Call all of it with the lock held. */
void registry_lock(void);
void registry_unlock(void);
/* Waits for @condition until CLOCK_MONOTONIC reaches @until.  Returns 0, or an error at that
 * time. */
int registry_wait(pthread_cond_t *condition, const struct timespec *until);
uint32_t registry_nr_ids(void);
/* Describes a tracepoint, with the id 0.  NULL: out of memory; the caller's. */
struct strata_event_desc *registry_make_description(const struct strata_tracepoint *tracepoint);
/* Whether another event has the group and name of @event, whose id is overwritten, and differs. */
bool registry_has_other(struct strata_event_desc *event);
/* Registers a tracepoint that is not registered.  Takes @event over.  If all ids are used, the
 * tracepoint stays as it is. */
void registry_add(struct strata_tracepoint *tracepoint, struct strata_event_desc *event);
/* Describes the event with that id for a recorder.  Returns the bytes of the description. */
uint32_t registry_describe(uint32_t id, struct strata_event_desc *event);
/* The context of this thread's records, which may be asked for without the lock. */
extern __thread uint64_t registry_context_word RINGS_HIDDEN
	__attribute__((__tls_model__("initial-exec")));
uint64_t registry_make_context(void);
static inline uint64_t registry_context(void)
{
	uint64_t word = registry_context_word;

	return strata_likely(word) ? word : registry_make_context();
}
/* Enables for a channel the events whose bit is set, and disables the others; NULL: all. */
void registry_select(uint32_t channel, const uint8_t *selected);

/* attach.c */

/* Makes the process visible to recorders; connects first to those that run. */
void attach_start(void);
/* Announces new events to all recorders, and waits a bounded time until each has selected them.
 * Without the lock. */
void attach_announce(void);
/* After fork(), in the child: drops the connections, which are the parent's.  With the lock held.
 */
void attach_forget(void);

#endif /* STRATA_LIBSTRATA_H */
