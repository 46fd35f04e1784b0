/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_numbers.h - limits the event classes that guests add to the hypervisor's source.
 *
 * A guest writes events into Xen's trace with numbers of its own choice (HVMOP_xentrace): 4,096
 * numbers in eight sizes are more than a source has room for.  So each domain has places for a few,
 * and all domains together for half of the table.  An event without a place is recorded as
 * `trc_guest_other`: time, vCPU and words are the event's, only its number is lost.
 *
 * Writers of recordings call it: the recorder and the import of xentrace's files.  Readers accept
 * whatever a source has room for.
 */
#ifndef STRATA_RECORDING_GUEST_NUMBERS_H
#define STRATA_RECORDING_GUEST_NUMBERS_H

#include "recording/recording.h"

/* Places: numbers in different sizes take one each. */
#define STRATA_GUEST_NUMBERS_MAX       2048u /* of all domains */
#define STRATA_GUEST_NUMBERS_OF_DOMAIN 64u

struct strata_guest_numbers {
	uint32_t nr;                             /* places taken */
	uint8_t of_domain[UINT16_MAX + 1];       /* the same, by domain */
	bool any_replaced;                       /* an event had no place; the first was: */
	uint32_t replaced_id, replaced_other_id; /* ... and the id that it has instead */
	uint16_t replaced_domain;
	bool reported; /* the caller's, who reports it once */
};

/* Makes the source limit the numbers of guests.  0, or -1: out of memory. */
int strata_source_limit_guests(struct strata_source *source, struct strata_error *error);

/*
 * Finds the class under which an event of Xen is recorded that the source lacks, and adds it.
 * @source: limits the numbers of guests
 * @domain: that ran; of STRATA_DOMID_UNKNOWN only the limit of all domains holds
 * Returns the class of @id; if that has no place, `trc_guest_other` or, if Xen itself has more
 * classes than the table has room for, `trc_other`, with as many words.  NULL: @id is an event of
 * Strata's that this version does not know, or no memory is left.
 */
const struct strata_event_shape *strata_source_place_event(struct strata_source *source,
							   uint32_t id, uint16_t domain);

#endif /* STRATA_RECORDING_GUEST_NUMBERS_H */
