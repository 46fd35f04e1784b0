/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apps.h - the applications that take part in a recording, from when each connects
 * to when it ends.
 *
 * As with kernels (participants.h) nothing here waits: apps_tend() takes what
 * messages there are, in bounded work.  What an application has published is taken
 * whether it answers or not.
 */
#ifndef STRATA_STRATAD_APPS_H
#define STRATA_STRATAD_APPS_H

#include "consumerd/apps/app.h"
#include "consumerd/apps/app_wake.h"
#include "consumerd/shares/memory_return.h"
#include "consumerd/recorder.h"
#include "stratad/select/select_app.h"

enum application_step {
	APPLICATION_ARRIVED, /* it is not known yet what it is */
	APPLICATION_TELLING, /* of its events */
	APPLICATION_WAITING, /* its user began many sources a short time ago */
	APPLICATION_MAKING,  /* its rings */
	/* From here on it has a source. */
	APPLICATION_ATTACHING, /* its rings are added, a few in a turn */
	APPLICATION_RECORDING,
	APPLICATION_STOPPING,
	APPLICATION_STOPPED,
	APPLICATION_LEAVING, /* it is gone; what its rings hold is being taken */
};

struct application {
	struct app app;
	struct principal *who; /* whose share it takes; until the recorder is closed */
	uint64_t memory_bytes; /* of that share */
	enum application_step step;
	struct event_set events; /* that it records */
	size_t nr_added;         /* of its events, those that the recording knows or refused */
	size_t next_ring;        /* of its rings, the first that the recorder does not have */
	uint64_t came_ms;        /* when it connected */
	int watch;               /* of its sealed memory (memory_return.h); -1: none */
	size_t source;           /* in the recording, from APPLICATION_ATTACHING on */
};

/* Of an application that ended: what its rings held is written, but what it is may not be in the
 * tables on the disk yet. */
struct ended_file {
	struct ended_file *next;
	char name[RING_FILE_NAME_BYTES]; /* among the recording's */
};

struct apps {
	/* set by the caller before apps_open(); not owned */
	struct recorder *recorder;
	struct app_selection *selections;
	size_t nr_selections; /* 0: applications are not recorded */
	struct app_channel
		channel;       /* its directory: their rings are to outlive us (ring_file.h) ... */
	const char *named_dir; /* ... or, linked from there, in this one; may be NULL */

	struct memory_return *returns; /* memory of those that went; NULL: not open */
	struct app_wake wake;          /* calls those that run already */
	int listener;                  /* -1: not open */
	bool all_accepted;             /* nobody waits there */
	int epoll;                     /* readable when there is something to tend; -1 */
	struct application **list;
	size_t nr;
	uint64_t patience_ms;     /* with one who does not say what he has ... */
	uint64_t silence_ms;      /* ... and with one who never said anything */
	size_t next;              /* who is heard next, so that each gets a turn */
	struct ended_file *ended; /* removed when all tables are saved */
	unsigned int left_out;
	bool stopping;
	bool full_said; /* that there are too many */
	int spare;      /* a file that gives way, so that one too many can be sent away; -1 */
};

/* Listens for applications that start, and calls those that run.  0 or -1. */
int apps_open(struct apps *apps, struct strata_error *error);

/* Hears who connects, says something, or ends, and does what follows from it.  Call it often. */
void apps_tend(struct apps *apps);

/*
 * Adds what takes part to another recorder, for what the rings hold now.
 * @begin: RECORDER_WITH_PAST: what that one takes, the first does not have again; or RECORDER_PEEK
 * 0 or -1.
 */
int apps_add_sources(const struct apps *apps, struct recorder *recorder, enum recorder_begin begin,
		     struct strata_error *error);

/* Has every application that was called or told something answered? */
bool apps_settled(const struct apps *apps);

/* Tells all to stop; from now on nobody is taken in. */
void apps_stop(struct apps *apps);

/* Names the selections that no application was found for. */
void apps_name_missing(struct apps *apps);

/*
 * Closes all; to be called when the recorder has let go of the rings.  Also if never opened.
 * @recorded: what they held is on the disk, and the tables are; else their files stay for
 *            `strata recover`
 */
void apps_release(struct apps *apps, bool recorded);

#endif /* STRATA_STRATAD_APPS_H */
