/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaving.h - kernels that left during a recording: the recorder drains their rings over several
 * turns, and the rings stay mapped until then.
 *
 * A participant passes its mapping here when it leaves; its domain may have ended, or run another
 * module.
 */
#ifndef STRATA_STRATAD_LEAVING_H
#define STRATA_STRATAD_LEAVING_H

#include "consumerd/xen/guest_map.h"
#include "consumerd/recorder.h"

struct leaving {
	struct leaving *next;
	struct guest_map map;
	struct principal *who; /* charged for its pages */
	uint32_t pages;
	size_t source; /* on which recorder_leave_source() was called */
};

/* Unmaps drained ones, and returns their pages to the share. */
void leaving_tend(struct leaving **list, struct recorder *recorder);

/* Unmaps all, after the recorder has released the rings and freed the shares. */
void leaving_release(struct leaving **list);

#endif /* STRATA_STRATAD_LEAVING_H */
