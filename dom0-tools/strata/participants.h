/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * participants.h - the kernels that take part in a recording: chosen, mapped,
 * started and stopped together.
 */
#ifndef STRATA_STRATA_PARTICIPANTS_H
#define STRATA_STRATA_PARTICIPANTS_H

#include <xenevtchn.h>

#include "guest.h"
#include "guest_map.h"
#include "recorder.h"
#include "select_kernel.h"

struct participant {
	struct guest guest;
	struct guest_map map;
	struct event_set events; /* that it records */
	char *filter;            /* "tid=...", or NULL; of participants.c */
	size_t source;           /* in the recording */
	int port;                /* ours, bound to its event channel; -1: it is polled */
	bool started;
	uint32_t sequence; /* of the last command to it; 0: none was understood */
};

struct participants {
	struct participant *list;
	size_t nr;
	struct xs_handle *xenstore;
	xengnttab_handle *gnttab;
	xenevtchn_handle *evtchn; /* NULL: everything is polled */
	uint32_t sequence;        /* of the next command to a guest */
	unsigned int left_out;    /* named on stderr as they were */
	/* Called while answers are awaited, false: wait no longer; the caller sets it first. */
	bool (*meanwhile)(void *data);
	void *data;
};

/*
 * Finds, maps and registers with @recorder every kernel that @selections name
 * (none of it by --kernel: all with a module).  One that cannot take part is named and left out.
 * 0, or -1 when nothing can be done at all.
 */
int participants_gather(struct participants *all, struct recorder *recorder,
			struct kernel_selection *selections, size_t nr_selections,
			struct strata_error *error);

/* Starts and stops them; one that does not answer is named and counted in left_out. */
void participants_start(struct participants *all);
void participants_stop(struct participants *all);

/* Unmaps all; to be called when the recorder has let go of the rings. */
void participants_release(struct participants *all);

#endif /* STRATA_STRATA_PARTICIPANTS_H */
