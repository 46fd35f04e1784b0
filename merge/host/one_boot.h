/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one_boot.h - puts recordings of one boot of a host on one clock.  They share the host's counter;
 * with one date for each tick, their order is exact.
 */
#ifndef STRATA_MERGE_ONE_BOOT_H
#define STRATA_MERGE_ONE_BOOT_H

#include "host/recording_traces.h"

/*
 * Whether two recordings are of one boot.  Returns false if their dates contradict the counter: the
 * time was set, or the host slept.
 */
bool strata_recordings_of_one_boot(const struct strata_recording_traces *a,
				   const struct strata_recording_traces *b);

/*
 * Gives a recording the dates of another one of the same boot.  Call it before its events are read.
 * @trace: an open trace of the recording; the presence of its sources gets the new dates, too
 */
void strata_recording_share_dates(struct strata_recording_traces *traces,
				  const struct strata_recording_traces *with,
				  struct strata_ctf_trace *trace);

#endif /* STRATA_MERGE_ONE_BOOT_H */
