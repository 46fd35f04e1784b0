/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compass_guest.h - a guest's kernel, or dom0's, as LTTng would have traced it: the same events
 * with the same bytes, under LTTng's names.
 *
 *     sys_enter, sys_exit   sys_NAME, as the number says, and exit_syscall
 *     pid in sched_*        tid: so it is; likewise prev_, next_, parent_, child_ and old_
 *     sys_*, kvm_* and such if they are other events (kprobes): "kernel:" in front, as the
 *                           analysis would take them for what they are not
 *
 * A domain has one trace, even if its kernel module was reloaded.
 */
#ifndef STRATA_MERGE_OUTPUTS_COMPASS_GUEST_H
#define STRATA_MERGE_OUTPUTS_COMPASS_GUEST_H

#include "clocks/xen_class.h"
#include "outputs/trace_compass/compass_sync.h"

#define COMPASS_SYSCALLS 1024u /* system call numbers from 0 */

struct compass_guest {
	uint32_t domain;
	struct compass_trace trace;
	struct compass_sync_guest sync;
	/* By system call number: its class index here plus one; 0: none yet. Further numbers share
	 * the last. */
	uint32_t syscalls[COMPASS_SYSCALLS];
};

/* How events of a source's class are written. */
struct compass_class {
	enum {
		COMPASS_CLASS_NEW,
		COMPASS_CLASS_FOREIGN, /* not written by a recorder: left out */
		COMPASS_CLASS_PLAIN,
		COMPASS_CLASS_SYS_ENTER,
	} is;
	uint32_t contexts; /* of its records */
	uint32_t number;   /* index of a plain event's class here */
};

/* One of its sources; all-zero is a source of another layer. */
struct compass_source {
	struct compass_guest *guest;
	struct compass_class *classes; /* by strata_ctf_event_class.index */
	size_t nr_classes;
};

/* Creates the trace of the domain of a kernel's source. Returns 0, or -1; the caller must close it
 * in either case. */
int strata_compass_guest_open(struct compass_guest *guest, const struct strata_dir *dir,
			      const struct strata_source *source, struct strata_error *error);

/*
 * Writes an event of a kernel's source.
 * @reader: its stream's
 * False: a recorder does not write this class; or out of memory, which the trace remembers.
 */
bool strata_compass_guest_put(struct compass_source *source, struct compass_file *file,
			      const struct strata_ctf_reader *reader,
			      const struct strata_lane_event *event);

void strata_compass_guest_close(struct compass_guest *guest);

#endif /* STRATA_MERGE_OUTPUTS_COMPASS_GUEST_H */
