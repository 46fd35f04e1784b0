/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apps.h - the applications that take part in a recording, from when each connects
 * to when it ends.
 *
 * As with kernels (participants.h) nothing here blocks: apps_tend() reads pending messages, in
 * bounded work.  Published events are taken even if the application does not answer.
 */
#ifndef STRATA_STRATAD_APPS_H
#define STRATA_STRATAD_APPS_H

#include "consumerd/apps/app.h"
#include "consumerd/apps/app_relay.h"
#include "consumerd/apps/app_wake.h"
#include "consumerd/host/memory_makers.h"
#include "consumerd/host/peer_look.h"
#include "consumerd/shares/memory_return.h"
#include "consumerd/recorder.h"
#include "stratad/domains/aggregated_apps.h"
#include "stratad/select/select_app.h"

enum application_step {
	APPLICATION_ARRIVED, /* not yet identified */
	APPLICATION_ASKED,   /* its process is being looked at */
	APPLICATION_TELLING, /* of its events */
	APPLICATION_WAITING, /* its user has begun too many sources lately */
	APPLICATION_PAYING,  /* it waits for memory */
	APPLICATION_MAKING,  /* its rings */
	APPLICATION_GONE,    /* it hung up before it had them; its process may be about to end */
	/* From here on it has a source. */
	APPLICATION_ATTACHING, /* its rings are added, a few in a turn */
	APPLICATION_RECORDING,
	APPLICATION_STOPPING,
	APPLICATION_STOPPED,
	APPLICATION_LEAVING, /* has ended; its rings are being drained */
	APPLICATION_CLOSING, /* nothing is left but its socket */
};

struct application {
	struct app app;
	struct app_connection *connection; /* its socket's; NULL: none yet */
	bool heard;                        /* its socket wakes us ... */
	bool has_news;                     /* ... and has something for us */
	bool stop_due;                     /* it has not been told to stop */
	bool select_due;                   /* its events are to be selected again */
	struct principal *who;             /* charged for it; valid until the recorder is closed */
	uint64_t memory_bytes;             /* of that share */
	uint64_t ordered;                  /* number of the order of its memory; 0: none is open */
	int refused;                       /* why that could not be made: errno */
	uint64_t order_from_ms;            /* it is not ordered before */
	uint64_t no_room_ms;               /* since when there is no room for it; 0: there is */
	enum application_step step;
	struct event_set events; /* recorded, or counted; of times, those that begin one ... */
	struct event_set ends;   /* ... and those that end one */
	struct counted_process *counted; /* by an aggregator, from APPLICATION_RECORDING on */
	size_t claimed_bytes;            /* share of the memory that its events take */
	size_t nr_added;                 /* of its events: added or refused */
	bool adding;                     /* the rest of them, some in a turn */
	bool refusal_said;               /* that some of these are left out */
	size_t next_ring;                /* first ring not yet added to the recorder */
	uint64_t came_ms;                /* when it connected, or began its step */
	uint64_t look;                   /* number of the look at its process (apps_look.c), ... */
	struct peer_names names;         /* ... and what it has found ... */
	bool looked;                     /* ... if this is true */
	int watch;                       /* of its sealed memory (memory_return.h); -1: none */
	size_t source;                   /* in the recording, from APPLICATION_ATTACHING on */
	bool copied;                     /* it is in the copy that is being written ... */
	size_t copied_source;            /* ... with this number ... */
	size_t nr_copied;                /* ... and this many of its events, added or refused */
};

/* Ring file of an ended application: its events are written, but the tables may not be on the disk
 * yet. */
struct ended_file {
	struct ended_file *next;
	char name[RING_FILE_NAME_BYTES]; /* among the recording's */
};

/* A question about a process, or an order of memory for it, that has not been answered. */
struct application_look {
	uint64_t number;
	struct principal *who; /* whose program it is */
	bool of_memory;        /* memory is ordered */
	uint64_t claimed;      /* of memory that is made for a program that has gone meanwhile */
};

struct apps {
	/* set by the caller before apps_open(); not owned */
	struct recorder *recorder;
	struct aggregated_apps *counting; /* applications count for it; NULL: they record */
	unsigned int number;              /* of the recorder */
	struct peer_looks *looks;         /* open */
	struct memory_makers *makers;     /* open; NULL: the kernel's memory is not used */
	struct app_selection *selections;
	size_t nr_selections;       /* 0: applications are not recorded */
	bool may_miss;              /* a selection that no application matches leaves nothing out */
	struct app_channel channel; /* for rings that outlive the recorder: its directory ... */
	const char *named_dir;      /* ... or, linked from there, in this one; may be NULL */
	bool has_kernel_memory;     /* which can be had here (kernel_memory.h) */
	bool mode_demanded;         /* the channel's mode was asked for, and is not the default */

	struct app_relays *relays;     /* NULL: not open */
	struct memory_return *returns; /* memory of ended applications; NULL: not open */
	struct app_wake wake;          /* wakes running programs */
	int listener;                  /* -1: not open */
	bool wake_due;                 /* programs are to be woken again */
	bool all_accepted;             /* no connection is pending */
	int epoll;                     /* readable when apps_tend() has work; -1 */
	bool deaf; /* the listening socket is not polled until hang_up_has_room() again */
	struct application **list;
	size_t nr;
	struct application_look *asked;
	size_t nr_asked, asked_capacity;
	uint64_t last_look;     /* number */
	uint64_t look_again_ms; /* the helpers are not replaced before */
	uint64_t make_again_ms;
	bool uncounted_said;      /* that memory counts nowhere */
	uint64_t patience_ms;     /* until all events are described ... */
	uint64_t silence_ms;      /* ... and until the first message */
	size_t next;              /* next one to serve, for fairness */
	struct ended_file *ended; /* removed when all tables are saved */
	struct recorder *copy;    /* another recorder that takes their rings now; NULL: none */
	unsigned int left_out;
	bool stopping;
	bool full_said; /* reported that there are too many */
	int spare; /* a spare descriptor, for accepting and closing one connection too many; -1 */
};

/* Listens for applications, and wakes running ones. 0 or -1. */
int apps_open(struct apps *apps, struct strata_error *error);

/* Serves connections, messages and ends of applications.  Call it often. */
void apps_tend(struct apps *apps);

/*
 * Adds all participating applications to another recorder, for the present contents of their rings.
 * Those for which their user has no share of it are left out, with a message.
 * @begin:    RECORDER_WITH_PAST: the other recorder takes the events away from the first; or
 *            RECORDER_PEEK
 * @left_out: OUT, set if there are such
 * 0 or -1.  In either case, until apps_end_copy(), apps_tend() also adds to it what these
 * applications describe meanwhile: it may find such events in their rings.
 */
int apps_add_sources(struct apps *apps, struct recorder *recorder, enum recorder_begin begin,
		     bool *left_out, struct strata_error *error);

/* The other recorder is gone.  Also if there was none. */
void apps_end_copy(struct apps *apps);

/* Applies new selections: to applications that are connected, each in its turn; others are called
 * again. */
void apps_reselect(struct apps *apps);

/* Whether all applications that were woken or got a message have answered. */
bool apps_settled(const struct apps *apps);

/* Whether all that happens next to applications is a message, or in their rings. */
bool apps_quiet(const struct apps *apps);

/* Stops all; from now on accepts no application. */
void apps_stop(struct apps *apps);

/* Reports selections that matched no application. */
void apps_name_missing(struct apps *apps);

/*
 * Closes everything, after the recorder has released the rings.  Also if never opened.
 * @recorded: events and tables are on the disk; otherwise the files of rings stay for `strata
 *            recover`
 */
void apps_release(struct apps *apps, bool recorded);

#endif /* STRATA_STRATAD_APPS_H */
