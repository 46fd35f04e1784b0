/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_of.h - detects that `strata merge` or `strata convert` made a CTF trace from another input
 * of the same command, whose events would then be shown twice.
 *
 * Both make the UUID of their output from the UUIDs of their input, so that the output names its
 * input, wherever it was moved.  (A trace without a UUID cannot be recognised.)
 */
#ifndef STRATA_MERGE_INPUTS_MADE_OF_H
#define STRATA_MERGE_INPUTS_MADE_OF_H

#include "ctf/trace/ctf_trace.h"
#include "recording/recording.h"

bool strata_is_made_of_recording(const struct strata_ctf_trace *trace,
				 const struct strata_recording *recording);

bool strata_is_made_of_trace(const struct strata_ctf_trace *trace,
			     const struct strata_ctf_trace *other);

#endif /* STRATA_MERGE_INPUTS_MADE_OF_H */
