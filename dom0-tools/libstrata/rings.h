/* SPDX-License-Identifier: MIT */
/*
 * rings.h - the rings of this process, for each channel: made and stopped by rings.c, written by
 * write.c.
 *
 * Each channel is called for by its own thread (attach.c); they may call at the same time for
 * different ones.
 */
#ifndef STRATA_LIBSTRATA_RINGS_H
#define STRATA_LIBSTRATA_RINGS_H

#include <stdbool.h>

#include <strata/tracepoint.h>

/* Reserve/commit: what an event needs of a ring. */
struct shared_ring {
	struct strata_ring *books;
	uint64_t *marks;
	strata_count_t mark_mask; /* for strata_app_mark_at() */
};

/* The target of strata_app_rings, and what only these files need. */
struct rings {
	struct strata_app_rings seen;
	struct shared_ring *ring; /* reserve/commit */
};

struct count_tables;

/* What an event looks at that its own instructions could not record: one of one channel, or one of
 * a set of channels. */
struct strata_app_shared_rings {
	const struct rings
		*rings; /* of one channel that reserves and commits; NULL: not such a one */
	ptrdiff_t rseq; /* strata_rseq(); 0: not available */
	/* Of several channels, each one, and NULL: in the second if all reserve and commit, else in
	 * the first. */
	const struct strata_single_rings *stores[STRATA_APP_CHANNELS + 1];
	const struct strata_app_shared_rings *commits[STRATA_APP_CHANNELS + 1];
	/* Of channels of which some count: their bits, and a set of those that record, or NULL.
	 * Then it has none of the above. */
	uint32_t counting;
	const struct strata_app_shared_rings *recording;
	/* If one of them counts, in restartable sequences: its tables; and if it is the only one.
	 * Else NULL. */
	const struct count_tables *counts;
	const struct count_tables *counts_only;
};

/* By channel.  Those of reserve/commit are in a page that the kernel zeroes in a child of fork(),
 * where it can: until the child has started anew it would write with its own copy of the books,
 * into its parent's memory. */
#define RINGS_HIDDEN __attribute__((__visibility__("hidden")))
#ifdef STRATA_HAS_RSEQ
extern struct strata_single_rings *const rings_single_of[STRATA_APP_CHANNELS] RINGS_HIDDEN;
#endif
extern struct strata_app_shared_rings *rings_shared_of RINGS_HIDDEN;
/* Whether this is the process that last called rings_mark_own(): false in its children, however
 * they were forked, and where the kernel cannot tell. */
extern bool *rings_own RINGS_HIDDEN;
void rings_mark_own(void);

/* For the fields of a tracepoint that these channels record. */
const struct strata_single_rings *rings_single(uint32_t channels);
const struct strata_app_shared_rings *rings_shared(uint32_t channels);

/* Prepares rings_stop() and rings_nr_cpus().  Immediate in a process with one thread; later it
 * takes milliseconds. */
void rings_prepare(void);
/* The modes in which this process can write, always the same: enum strata_app_mode, or'ed. */
uint32_t rings_modes(void);
uint32_t rings_nr_cpus(void);
/* Maps memory of a recorder.  @may_shrink: accept memory that can be truncated.  NULL: not
 * possible. */
unsigned char *rings_map(int fd, uint32_t first_page, uint64_t bytes, bool may_shrink);
/* Maps empty memory in its place. */
void rings_unmap(unsigned char *memory, uint64_t bytes);
/* For an event whose section in tracepoint.h may have been left before its end: the descriptor may
 * be unmapped with its library. */
static inline void rings_leave_section(void)
{
#ifdef STRATA_HAS_RSEQ
	if (strata_rseq_available())
		strata_rseq_clear(strata_rseq());
#endif
}
/* Waits until no section runs that began before. */
void rings_end_sections(void);
/* Maps @fd from the page that @setup names, makes the rings in it, and directs the channel's events
 * there.  @setup: of a mode that this process can write.
 * @may_shrink: accept memory that can be truncated.  Returns 0 or -1. */
int rings_attach(uint32_t channel, int fd, const struct strata_app_message *setup, bool may_shrink);
/* Whether a channel has rings, or tables. */
bool rings_attached(uint32_t channel);
/* Hands over open sub-buffers that a reader waits for, as it cannot read them before.  Does nothing
 * for single-store rings, whose reader can. */
void rings_switch(uint32_t channel);
/* Stops all writing: on return, all records are published and no more are written. */
void rings_stop(uint32_t channel);
/* Unmaps the memory, and maps empty memory in its place for threads that are within an event. */
void rings_detach(uint32_t channel);

#endif /* STRATA_LIBSTRATA_RINGS_H */
