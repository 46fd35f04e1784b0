/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * liars.h - the guests of a run: two that lie and one between them that does not, and the actions
 * of each while it is recorded, as the seed decides.
 */
#ifndef STRATA_TESTS_LIARS_H
#define STRATA_TESTS_LIARS_H

#include "fake_host.h"
#include "mutate.h"

#define HONEST    1u /* its place among the guests */
#define NR_GUESTS 3u

extern struct fake_guest guests[NR_GUESTS];

/* Number of lies told so far, of each kind, without those of the scribbler. */
extern uint64_t mutations[NR_MUTATIONS];
uint64_t nr_mutations(void);

/* Once, before all else. */
void liars_make(void);

/* The options of the recorder in a run. */
struct plan {
	bool overwrite;
	bool xen;           /* the hypervisor, too */
	bool some;          /* not all events */
	bool probes;        /* an event is to be added in each guest */
	bool contexts;      /* with contexts */
	bool defaults;      /* no event is named, and no domain */
	bool left;          /* the guests record already: an earlier recorder died */
	bool asked;         /* snapshots are asked for meanwhile */
	bool rests;         /* guests write in some waits alone, and sleep in the others */
	uint32_t switch_ms; /* how often they hand over what they have; they leave it to us */
	bool ends;          /* the honest guest dies, or is paused, before the recording ends */
	enum strata_header_form form; /* that is asked for */
	uint32_t guest_pages;         /* that the recorder maps at most; 0: as usual */
	uint32_t duration_ms;         /* of the recording; 0: as long as usual */
	bool scribbled;               /* another thread writes over the liars */
};

/*
 * Loads all modules anew on a host that is new.
 * @lying: else all are honest
 * @number: of the recorder; those before are taken
 */
const struct plan *liars_begin_beside(uint64_t seed, bool lying, uint32_t number);

/* The same, for the first recorder. */
const struct plan *liars_begin(uint64_t seed, bool lying);

/* Whether another thread is to write over them in this run. */
bool liars_scribbled(void);

/* A domain of the same name and UUID and of another number takes its place. */
void liars_come_again(struct fake_guest *guest);

/* Whether only liars can be recorded: the honest guest has ended or is paused, and Xen is left out.
 */
bool liars_are_alone(void);

/* Decides other things of a run by the seed: true once in @chances. */
bool liars_decide(uint32_t chances);

#endif /* STRATA_TESTS_LIARS_H */
