/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - writes the contents of a flight recorder's rings into a separate recording, or
 * discards them, while they continue to record.
 */
#ifndef STRATA_STRATAD_SNAPSHOT_H
#define STRATA_STRATAD_SNAPSHOT_H

#include "stratad/domains/apps.h"
#include "consumerd/xen/hypervisor.h"
#include "stratad/domains/participants.h"

/*
 * Asks every CPU to flush, waits a bounded time, and takes committed records of those that do not
 * answer.  The next snapshot does not contain the events of this one again.
 * @kernels:    all participants; also a dead one that is still mapped
 * @hypervisor: NULL: it is not recorded
 * @apps:       their published events are taken; without restartable sequences not the event being
 *              written
 * @died:       NULL: a snapshot of all; or the domain whose final events are saved: the others'
 *              records are copied and stay in their rings
 * @extent:     whose records these are
 * @recorder:   of the separate recording, without sources; it is closed
 * 0, or -1; @totals is set in both cases.  If not even its tables can be written,
 * nothing was taken.
 */
int snapshot_take(struct participants *kernels, struct hypervisor *hypervisor, struct apps *apps,
		  const struct participant *died, enum recorder_copy extent,
		  struct recorder *recorder, struct recorder_totals *totals,
		  struct strata_error *error);

/*
 * Asks every CPU to flush, as above, and discards the events in the rings.
 * @recorder: the flight recorder
 * 0 or -1.
 */
int snapshot_clear(struct participants *kernels, struct hypervisor *hypervisor,
		   struct recorder *recorder, struct strata_error *error);

#endif /* STRATA_STRATAD_SNAPSHOT_H */
