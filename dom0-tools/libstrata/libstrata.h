/* SPDX-License-Identifier: MIT */
/* libstrata.h - what the files of libstrata share; applications include strata/tracepoint.h. */
#ifndef STRATA_LIBSTRATA_H
#define STRATA_LIBSTRATA_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include <strata/tracepoint.h>

/* registry.c: the events of this process.  All of it is called with the lock held. */
void registry_lock(void);
void registry_unlock(void);
/* Waits for @condition until CLOCK_MONOTONIC is @until.  0, or an error: it is. */
int registry_wait(pthread_cond_t *condition, const struct timespec *until);
uint32_t registry_nr_ids(void);
/* What a recorder is told of the event with that id; the bytes of it. */
uint32_t registry_describe(uint32_t id, struct strata_event_desc *event);
/* Enables the events whose bit is set; NULL: none. */
void registry_select(const uint8_t *selected);

/* rings.c: the memory that records go to.  Called by the thread of attach.c alone. */

/* What rings_stop() will need.  A process with one thread has it at once; later it takes
 * milliseconds. */
void rings_prepare(void);
/* Which kind of ring this process can write. */
enum strata_app_mode rings_mode(void);
uint32_t rings_nr_cpus(void);
/* Which headers it can give its records: STRATA_HEADER_FORM_BIT()s. */
uint8_t rings_header_forms(void);
/* Maps @fd from that page on that @setup says, makes the rings in it, and has events go there from
 * now on.  @may_shrink: memory that can be truncated is taken, too.  0 or -1. */
int rings_attach(int fd, const struct strata_app_message *setup, bool may_shrink);
/* Hands over what a reader waits for that cannot take it from half full sub-buffers.  Does
 * nothing for single-store rings, of which it can. */
void rings_switch(void);
/* When it returns nothing is written any more, and all that was is published. */
void rings_stop(void);
/* Gives the memory back; who is in the middle of an event still finds some. */
void rings_detach(void);

/* attach.c */

/* Begins to be there for recorders, with the recorder that runs, if one does. */
void attach_start(void);
/* Tells the recorder, if there is one, of events that are new, and waits until they are selected,
 * for a bounded time.  Without the lock. */
void attach_announce(void);
/* After fork(), in the child: nothing of the parent's connection is ours.  With the lock held. */
void attach_forget(void);

#endif /* STRATA_LIBSTRATA_H */
