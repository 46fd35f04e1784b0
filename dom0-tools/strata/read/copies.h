/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies.h - leaves out the merge of a recording that lies beside it, so that `strata view DIR`
 * with DIR/raw and DIR/ctf shows each event once.
 *
 * A trace must not hide another one's events by what it says of itself. So a copy is left out only
 * if
 *   - the UUIDs say that it was made from a source of the recording (inputs/made_of.h);
 *   - it is DIR/ctf or below it, and the recording is DIR/raw;
 *   - both have the same owner;
 *   - the recording has packets of all of the copy's streams, and all packets of that source are in
 *     its files (inputs/original.h).
 * Otherwise both are shown, with a message and status 3.
 */
#ifndef STRATA_STRATA_COPIES_H
#define STRATA_STRATA_COPIES_H

#include "strata/read/traces.h"

/* An opened input: a trace or a recording; neither if it could not be opened. */
struct opened {
	size_t path; /* index of the path under which it was found */
	struct strata_ctf_trace *trace;
	struct strata_recording_traces *recording;
};

/* Closes copies that are left out. A trace that the command line names itself is always shown.
 * @opened: as traces->inputs. Returns 0, or -1: out of memory. */
int copies_leave_out(struct traces *traces, struct opened *opened, struct strata_error *error);

#endif /* STRATA_STRATA_COPIES_H */
