/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaving.h - the mappings of kernels that left during a recording: the recorder drains their rings
 * over several turns, and then their pages are unmapped over several turns, too.
 *
 * A participant passes its mapping here when it leaves; its domain may have ended, or run another
 * module.
 */
#ifndef STRATA_STRATAD_LEAVING_H
#define STRATA_STRATAD_LEAVING_H

#include "consumerd/shares/guest_pages.h"
#include "consumerd/xen/guest_map.h"
#include "consumerd/recorder.h"

struct leaving {
	struct leaving *next;
	struct guest_map map;
	struct principal *who; /* charged for its pages */
	uint32_t pages;
	size_t source; /* on which recorder_leave_source() was called, or LEAVING_NO_SOURCE */
};

/* It never became a source. */
#define LEAVING_NO_SOURCE SIZE_MAX

/* Charges a step of mapping or unmapping, which took @ticks. */
void leaving_charge(struct principal *who, uint64_t ticks, uint32_t tsc_khz);

/* Unmaps some pages of drained ones; a mapping that is gone returns its pages to the share. */
void leaving_tend(struct leaving **list, struct recorder *recorder, struct guest_pages *pages);

/* Unmaps all, after the recorder has released the rings and freed the shares. */
void leaving_release(struct leaving **list);

#endif /* STRATA_STRATAD_LEAVING_H */
