/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - writes what the rings of a flight recorder hold into a recording of
 * its own, while they go on recording.
 */
#ifndef STRATA_STRATAD_SNAPSHOT_H
#define STRATA_STRATAD_SNAPSHOT_H

#include "stratad/domains/apps.h"
#include "consumerd/xen/hypervisor.h"
#include "stratad/domains/participants.h"

/*
 * Asks every CPU to hand over what it has, waits a bounded time for those that do
 * not answer, and takes what is committed of theirs.
 * What a snapshot of all has taken, the next one does not have again.
 * @kernels:    all who take part; also one that is dead, and still mapped
 * @hypervisor: NULL: it is not recorded
 * @apps:       what they have published is taken; what one that has no restartable
 *              sequences is writing is not
 * @died:       NULL: a snapshot of all; or whose last moments these are: of the others, what they
 *              have is copied and stays theirs
 * @dir, @place: as for recorder_open()
 * @written:    OUT, the name of the directory that it took; @bytes long
 * 0, or -1; @totals is set in both cases.  If not even its tables can be written,
 * nothing was taken.
 */
int snapshot_take(struct participants *kernels, struct hypervisor *hypervisor,
		  const struct apps *apps, const struct participant *died, const char *dir,
		  enum output_place place, char *written, size_t bytes,
		  struct recorder_totals *totals, struct strata_error *error);

#endif /* STRATA_STRATAD_SNAPSHOT_H */
