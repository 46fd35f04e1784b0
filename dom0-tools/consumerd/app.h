/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app.h - one application that is connected: its messages, its event table and its
 * rings (strata/abi/app.h).
 *
 * Everything that it says is hostile, and nothing is waited for: a message is taken
 * when it is there, and one that cannot be sent at once ends the connection.
 */
#ifndef STRATA_CONSUMERD_APP_H
#define STRATA_CONSUMERD_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app_file_users.h"
#include "app_memory.h"
#include "error.h"
#include "event_set.h"
#include "recording.h"
#include "ring.h"

struct app {
	int socket;
	int32_t pid;      /* from SO_PEERCRED */
	uint32_t uid;     /* likewise */
	uint32_t starter; /* whose share it takes; see peer.h */
	char comm[32];    /* of the process; hostile */
	char program[80]; /* the name of its executable; hostile */

	uint32_t mode; /* enum strata_app_mode */
	uint32_t nr_cpus;
	uint8_t header_forms;             /* that it can write */
	enum strata_header_form form;     /* that it was told to, with its rings */
	struct strata_event_desc *events; /* by id; each is still to be checked */
	size_t nr_events;

	struct app_memory memory;
	struct ring *rings;
	size_t nr_rings;
	bool overwrite;
};

/* Is its process there?  Not if it is about to end and has closed its files for that. */
bool app_lives(const struct app *app);

/* What a message was about. */
enum app_news {
	APP_NO_NEWS,
	APP_READY,    /* it has told of all its events */
	APP_ATTACHED, /* its rings are made, and can be mapped */
	APP_STOPPED,
	APP_GONE, /* the process has ended, or is not to be listened to */
};

/* Takes over a connected socket, and finds out whose it is.  0, or -1 and it is closed. */
int app_open(struct app *app, int socket, struct strata_error *error);

/* The same in two steps, of which the first costs next to nothing: takes the socket over, with no
 * more than its effective user, and finds out the rest.  0; -1: app_close() is to follow. */
int app_accept(struct app *app, int socket, struct strata_error *error);
int app_identify(struct app *app, struct strata_error *error);

/* Takes one message, if there is one.  With APP_GONE, @error says why if it is no normal end. */
enum app_news app_hear(struct app *app, struct strata_error *error);

/* How the rings of an application are to be. */
struct app_channel {
	struct strata_ring_geometry geometry;
	bool overwrite; /* the newest records are kept */
	/* Of their headers, if it can write such; else they are full. */
	enum strata_header_form form;
	uint32_t switch_ms; /* how often half full sub-buffers are handed over; 0: never */
	/* NULL: in anonymous memory; else each in a file in that output directory, of those users.
	 */
	const struct strata_dir *dir;
	struct app_file_users *file_users;
};

/*
 * Makes memory for its rings and hands it over.
 * @clock: for a file: tsc_khz, anchor_ticks and anchor_realtime_ns of the recording
 * 0 or -1.
 */
int app_give_rings(struct app *app, const struct app_channel *channel,
		   const struct ring_file_header *clock, struct strata_error *error);

/* Reads the rings that it made, when it said APP_ATTACHED.  0 or -1. */
int app_read_rings(struct app *app, struct strata_error *error);

/* Names the file of its rings, if they are in one, after its source in the recording of @dir. 0 or
 * -1.
 */
int app_name_rings(struct app *app, const struct strata_dir *dir,
		   const struct strata_source *source, struct strata_error *error);

/* Is there a ring whose control words were none that it can have? */
bool app_is_broken(const struct app *app);

/* Says which events are to be recorded.  0 or -1. */
int app_select(struct app *app, const struct event_set *events, struct strata_error *error);

int app_stop(struct app *app, struct strata_error *error);

/* The file of its rings, if they are in one, stays when it is closed, and is the caller's from now
 * on.  @name: OUT, as ring_file_make() has it.  False: there is none. */
bool app_leave_file(struct app *app, char name[RING_FILE_NAME_BYTES]);

/* Unmaps, closes, frees, removes the file; the recorder has let go of its rings. */
void app_close(struct app *app);

#endif /* STRATA_CONSUMERD_APP_H */
