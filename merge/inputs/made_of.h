/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_of.h - finds CTF traces that name another input of the same command as their original: they
 * are copies that `strata merge` or `strata convert` made, and each event would be shown twice.
 *
 * The UUID of a copy is derived from that of its original (outputs/ctf/ctf_identities.h), so that a
 * copy names its original wherever both were moved. That proves nothing about the original: UUIDs
 * can be read and copied, so any trace can pose as the original of another one. Only the place
 * counts: DIR/raw is a recording, and DIR/ctf is its merge. original.h compares the two further.
 */
#ifndef STRATA_MERGE_INPUTS_MADE_OF_H
#define STRATA_MERGE_INPUTS_MADE_OF_H

#include "ctf/trace/ctf_trace.h"
#include "recording/recording.h"

/* An open input: a trace, a recording, or neither if it could not be opened. */
struct strata_made_of_input {
	const char *path;
	size_t root; /* index of the named path under which it was found */
	const struct strata_ctf_trace *trace;
	const struct strata_recording *recording;
};

/* The original that a trace names. */
struct strata_made_of {
	size_t origin; /* index of the input; the number of inputs: none */
	size_t source; /* the source of that recording, if it is one */
	/* The original is the recording DIR/raw, and the trace is DIR/ctf or below it. */
	bool is_beside;
};

/*
 * Finds the original of each trace, under the same named path. The time is proportional to the
 * number of traces and sources, whatever their UUIDs are.
 * @made:  OUT, an element for each input
 * @steps: OUT, number of derived UUIDs and look-ups; may be NULL
 * Returns 0, or -1: out of memory.
 */
int strata_made_of_find(const struct strata_made_of_input *inputs, size_t nr,
			struct strata_made_of *made, uint64_t *steps);

#endif /* STRATA_MERGE_INPUTS_MADE_OF_H */
