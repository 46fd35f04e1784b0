/* SPDX-License-Identifier: MIT */
/* libstrata.h - what the files of libstrata share; applications include strata/tracepoint.h. */
#ifndef STRATA_LIBSTRATA_H
#define STRATA_LIBSTRATA_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <strata/tracepoint.h>

/* registry.c: the events of this process.  Call all of it with the lock held. */
void registry_lock(void);
void registry_unlock(void);
/* Waits for @condition until CLOCK_MONOTONIC reaches @until.  Returns 0, or an error at that
 * time. */
int registry_wait(pthread_cond_t *condition, const struct timespec *until);
uint32_t registry_nr_ids(void);
/* Describes the event with that id for a recorder.  Returns the bytes of the description. */
uint32_t registry_describe(uint32_t id, struct strata_event_desc *event);
/* The context of this thread's records, which may be asked for without the lock. */
extern __thread uint64_t registry_context_word __attribute__((__tls_model__("initial-exec")));
uint64_t registry_make_context(void);
static inline uint64_t registry_context(void)
{
	uint64_t word = registry_context_word;

	return strata_likely(word) ? word : registry_make_context();
}
/* Enables the events whose bit is set; NULL: none. */
void registry_select(const uint8_t *selected);

/* rings.c: the memory of the rings.  Called by the thread of attach.c alone. */

/* Prepares rings_stop() and rings_nr_cpus().  Immediate in a process with one thread; later it
 * takes milliseconds. */
void rings_prepare(void);
/* The kind of ring that this process writes, always the same. */
enum strata_app_mode rings_mode(void);
uint32_t rings_nr_cpus(void);
/* The forms of header that it can write: STRATA_HEADER_FORM_BIT()s. */
uint8_t rings_header_forms(void);
/* Maps @fd from the page that @setup names, makes the rings in it, and directs events there.
 * @may_shrink: accept memory that can be truncated.  Returns 0 or -1. */
int rings_attach(int fd, const struct strata_app_message *setup, bool may_shrink);
/* Hands over open sub-buffers that a reader waits for, as it cannot read them before.  Does nothing
 * for single-store rings, whose reader can. */
void rings_switch(void);
/* Stops all writing: on return, all records are published and no more are written. */
void rings_stop(void);
/* Unmaps the memory, and maps empty memory in its place for threads that are within an event. */
void rings_detach(void);

/* attach.c */

/* Makes the process visible to recorders; connects first if a recorder is running. */
void attach_start(void);
/* Announces new events to the recorder, if there is one, and waits a bounded time until it has
 * selected them.  Without the lock. */
void attach_announce(void);
/* After fork(), in the child: drops the connection, which is the parent's.  With the lock held. */
void attach_forget(void);

#endif /* STRATA_LIBSTRATA_H */
