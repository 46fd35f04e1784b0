/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one_boot.h - recordings that were made on one host between two of its boots: they share the
 * host's counter, and get one date for each of its ticks, so that their order is exact.
 */
#ifndef STRATA_MERGE_ONE_BOOT_H
#define STRATA_MERGE_ONE_BOOT_H

#include "host/recording_traces.h"

/*
 * Whether two recordings are of one boot.  If by their dates the counter cannot have run on between
 * them, because the time was set or the host slept, they count as different ones.
 */
bool strata_recordings_of_one_boot(const struct strata_recording_traces *a,
				   const struct strata_recording_traces *b);

/*
 * Gives a recording the dates of another one of the same boot.  Before anything of it is read.
 * @trace: one of its open traces, whose streams get the new dates of their sources' presence
 */
void strata_recording_share_dates(struct strata_recording_traces *traces,
				  const struct strata_recording_traces *with,
				  struct strata_ctf_trace *trace);

#endif /* STRATA_MERGE_ONE_BOOT_H */
