/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one_boot.h - puts recordings of one boot of a host on one clock.  They share the host's counter;
 * with one date for each tick, their order is exact.
 *
 * Any file can name any boot.  So two recordings are put on one clock only if their own dates
 * differ by no more than NTP can have steered the host's clock, or others between them do so.
 * Whatever dates others claim, two that agree stay together.
 */
#ifndef STRATA_MERGE_ONE_BOOT_H
#define STRATA_MERGE_ONE_BOOT_H

#include "host/recording_traces.h"

/* Whether two recordings name the same boot. */
bool strata_recordings_name_one_boot(const struct strata_recording_traces *a,
				     const struct strata_recording_traces *b);

/*
 * Whether dates fit a recording's own: the frequencies agree, and so do the dates of its begin and
 * its end.  They do not if the time was set, the host slept, or one of the two is false.
 */
bool strata_recording_agrees_with(const struct strata_recording *recording,
				  const struct strata_timebase *dates);

/* Whether the own dates of two recordings of one boot fit each other. */
bool strata_recordings_agree(const struct strata_recording *a, const struct strata_recording *b);

/* Whether two recordings name one boot, and their own dates agree. */
bool strata_recordings_of_one_boot(const struct strata_recording_traces *a,
				   const struct strata_recording_traces *b);

/* Whether the dates that a recording has, own or shared, fit its own. */
bool strata_recording_fits_its_dates(const struct strata_recording_traces *traces);

/*
 * Gives a recording the dates of another one of the same boot.  Call it before its events are read.
 * @trace: an open trace of the recording; the presence of its sources gets the new dates, too
 */
void strata_recording_share_dates(struct strata_recording_traces *traces,
				  const struct strata_recording_traces *with,
				  struct strata_ctf_trace *trace);

#endif /* STRATA_MERGE_ONE_BOOT_H */
