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

#include <strata/abi/app.h>

#include "error.h"
#include "event_set.h"
#include "ring.h"

struct app {
	int socket;
	int32_t pid;      /* as the kernel says */
	char comm[32];    /* of the process; hostile */
	char program[80]; /* the name of its executable; hostile */

	uint32_t mode; /* enum strata_app_mode */
	uint32_t nr_cpus;
	struct strata_event_desc *events; /* by id; each is still to be checked */
	size_t nr_events;

	unsigned char *memory; /* read-only, but for the readers' pages */
	size_t memory_bytes;
	struct ring *rings;
	size_t nr_rings;
};

/* What a message was about. */
enum app_news {
	APP_NO_NEWS,
	APP_READY,    /* it has told of all its events */
	APP_ATTACHED, /* its rings are made, and can be mapped */
	APP_STOPPED,
	APP_GONE, /* the process has ended, or is not to be listened to */
};

/* Calls every process that waits for a recorder: @called is given a socket to each. */
void app_call_all(void (*called)(void *data, int socket), void *data);

/* Takes over a connected socket, and finds out whose it is.  0, or -1 and it is closed. */
int app_open(struct app *app, int socket, struct strata_error *error);

/* Takes one message, if there is one.  With APP_GONE, @error says why if it is no normal end. */
enum app_news app_hear(struct app *app, struct strata_error *error);

/* Makes memory for its rings and hands it over, with how often it is to hand over what is in half
 * full sub-buffers (0: never).  0 or -1. */
int app_give_rings(struct app *app, struct strata_ring_geometry geo, uint32_t switch_ms,
		   struct strata_error *error);

/* Reads the rings that it made, when it said APP_ATTACHED.  0 or -1. */
int app_read_rings(struct app *app, struct strata_error *error);

/* Says which events are to be recorded.  0 or -1. */
int app_select(struct app *app, const struct event_set *events, struct strata_error *error);

int app_stop(struct app *app, struct strata_error *error);

/* Unmaps, closes, frees; the recorder has let go of its rings. */
void app_close(struct app *app);

#endif /* STRATA_CONSUMERD_APP_H */
