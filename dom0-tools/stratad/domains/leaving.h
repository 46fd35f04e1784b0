/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaving.h - kernels that went while a recording goes on: the recorder drains their rings over its
 * turns, so that nobody waits for all of it, and the rings stay mapped until then.
 *
 * A participant gives its map away when it goes; its domain may be gone by then, or run another
 * module.
 */
#ifndef STRATA_STRATAD_LEAVING_H
#define STRATA_STRATAD_LEAVING_H

#include "consumerd/xen/guest_map.h"
#include "consumerd/recorder.h"

struct leaving {
	struct leaving *next;
	struct guest_map map;
	struct principal *who; /* whose share its pages are of */
	uint32_t pages;
	size_t source; /* that recorder_leave_source() was called for */
};

/* Unmaps those that have been drained, and gives their pages back. */
void leaving_tend(struct leaving **list, struct recorder *recorder);

/* Unmaps all; the recorder has let go of the rings, and the shares went with it. */
void leaving_release(struct leaving **list);

#endif /* STRATA_STRATAD_LEAVING_H */
