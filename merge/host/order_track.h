/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_track.h - one kind of interval in which a vCPU's events must lie, according to the
 * hypervisor: when it ran, or when it was in guest mode.
 *
 * An event comes with the bound of its time: it may lie outside of an interval by
 * that much, and no more.
 */
#ifndef STRATA_MERGE_ORDER_TRACK_H
#define STRATA_MERGE_ORDER_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#define STRATA_VIOLATIONS_NAMED 5u
#define STRATA_SLACK_NONE       UINT64_MAX

/* Events outside of an interval that may still belong to the next one. */
#define STRATA_TRACK_PENDING 64u

/* A kernel event that lies outside every interval of its vCPU. */
struct strata_violation {
	uint16_t domain;
	uint16_t vcpu;
	uint64_t ticks;
	uint64_t bound; /* of its time: how far outside it may lie */
	char event[40];
	const char *state;    /* the vCPU's state according to the hypervisor */
	uint64_t late_ticks;  /* after the interval before; UINT64_MAX: it is before the first
				 interval */
	uint64_t early_ticks; /* before the next interval; UINT64_MAX: it is after the last */
};

struct strata_track_result {
	uint64_t checks;
	uint64_t violations;
	uint64_t unchecked;
	/* How much earlier or later all events could have been, with none outside by more than its
	 * bound; STRATA_SLACK_NONE: unknown. */
	uint64_t slack_before_ticks; /* earlier: since an interval began */
	uint64_t slack_after_ticks;  /* later: until it ended */
	struct strata_violation named[STRATA_VIOLATIONS_NAMED]; /* the first ones */
	unsigned int nr_named;
};

struct strata_pending_event {
	uint64_t ticks;
	uint64_t bound;
	const char *name;
};

struct strata_track {
	uint32_t key; /* domain << 16 | vCPU */
	bool known;
	bool inside;
	const char *state;   /* while not inside: the state in words */
	uint64_t began;      /* UINT64_MAX: inside, but since an unknown time */
	uint64_t ended;      /* UINT64_MAX: never inside so far */
	uint64_t last_event; /* in the interval, less its bound; UINT64_MAX: no event yet */
	unsigned int nr_pending;
	struct strata_pending_event
		*pending; /* STRATA_TRACK_PENDING elements; NULL: not needed so far */
	/* Events that wait for the first record to be judged. */
	uint64_t waiting;
	struct strata_pending_event waiting_first;
	uint64_t waiting_last;   /* the last one's time, less its bound */
	uint64_t waiting_latest; /* none of them was later */
	/* Index + 1 of a named violation whose early_ticks is still open; 0: no such violation. */
	unsigned int open_violation;
};

void strata_track_result_init(struct strata_track_result *result);
void strata_track_init(struct strata_track *track, uint32_t key);
void strata_track_clear(struct strata_track *track);

/* The functions below must be called in order of host ticks. */

/* Begins or ends an interval at @ticks; @state: the new state in words. */
void strata_track_begin(struct strata_track *track, struct strata_track_result *result,
			uint64_t ticks);
void strata_track_end(struct strata_track *track, struct strata_track_result *result,
		      uint64_t ticks, const char *state);

/* Handles the first record of the track, which says what the state was before.  Judges the events
 * that waited for it, or leaves them to the next interval. */
void strata_track_learn(struct strata_track *track, struct strata_track_result *result, bool inside,
			const char *state);

/* Checks an event; @name must live as long as the track. */
void strata_track_event(struct strata_track *track, struct strata_track_result *result,
			uint64_t ticks, uint64_t bound, const char *name);

/* Forgets the state; waiting events can no longer be judged. */
void strata_track_forget(struct strata_track *track, struct strata_track_result *result);

/* Notes that no record or event before @until_ticks follows. */
void strata_track_finish(struct strata_track *track, struct strata_track_result *result,
			 uint64_t until_ticks);

#endif /* STRATA_MERGE_ORDER_TRACK_H */
