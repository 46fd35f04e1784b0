/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * app.h - one connected application: its messages, its event table and its rings
 * (strata/abi/app.h).
 *
 * All its messages are hostile.  Nothing here sends or receives: app_message.h does.
 */
#ifndef STRATA_CONSUMERD_APP_H
#define STRATA_CONSUMERD_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consumerd/apps/app_file_users.h"
#include "consumerd/apps/app_message.h"
#include "consumerd/host/peer.h"
#include "consumerd/rings/app_memory.h"
#include "base/error.h"
#include "consumerd/rings/event_set.h"
#include "recording/recording.h"
#include "consumerd/rings/ring.h"

struct app {
	int socket;  /* -1: closed, or another's to close */
	int process; /* a descriptor of it, or -1; whose close may take as long as its user likes */
	int32_t pid; /* from SO_PEERCRED */
	uint32_t uid;     /* likewise */
	uint32_t starter; /* whose share it takes; see peer.h */
	char comm[32];    /* of the process; hostile */
	char program[80]; /* the name of its executable; hostile */
	bool of_command;  /* it descends from the recorder, so the command started it */

	uint32_t modes; /* that it can write: enum strata_app_mode, or'ed; 0: it has not said HELLO
			 */
	enum strata_app_mode mode; /* that it writes, from app_choose_mode() on */
	uint32_t nr_cpus;
	uint8_t header_forms;         /* that it can write, where it reserves and commits */
	bool wakes;                   /* it wakes us when we sleep, where it stores single words */
	enum strata_header_form form; /* the form that it writes, sent to it with its rings */
	/* By id; each must still be checked, and is no longer than its fields and its format. */
	struct strata_event_desc **events;
	size_t nr_events;
	size_t event_bytes; /* of memory, that they take */

	/* The kernel's memory for its rings or tables, to be taken by app_give_rings() or
	 * app_tables_give(); its descriptor: -1: none.  Closing it may take long (kernel_memory.h).
	 */
	struct kernel_memory ready;
	struct app_memory memory;
	struct ring *rings;
	size_t nr_rings;
	bool overwrite;
};

/* The subject of a message. */
enum app_news {
	APP_NO_NEWS,
	APP_READY,    /* it has announced all its events */
	APP_ATTACHED, /* its rings are made, and can be mapped */
	APP_WENT_ON,  /* it did not wait for the selection any longer */
	APP_STOPPED,
	APP_NO_THREAD, /* it can have no thread to be recorded by */
	APP_GONE,      /* the process has ended, or broke the protocol */
};

/* The rings of an application: one for each CPU that this machine can have.  libstrata finds the
 * same number, unless it lies.  Only the first call reads a file, which others may delay
 * (own_proc.h). */
uint32_t app_cpus_max(void);

/* Takes over a connected socket, and reads the pid and the effective user of its process.  Returns
 * 0, or -1: call app_close(). */
int app_accept(struct app *app, int socket, struct strata_error *error);

/* Identifies its process.  Returns 0, or -1: call app_close(); the pid is 0 if nobody needs to hear
 * of it.
 * @names: what has been read of that pid since (peer_look.h) */
int app_identify(struct app *app, const struct peer_names *names, struct strata_error *error);

/* Takes what has arrived.  With APP_GONE, @error has the reason unless the end is normal. */
enum app_news app_take(struct app *app, const struct app_incoming *arrived,
		       struct strata_error *error);

/* Begins a message for it that carries no descriptor. */
void app_begin_message(struct app_outgoing *outgoing, enum strata_app_message_type type,
		       size_t bytes);

/* The wanted form of an application's rings. */
struct app_channel {
	struct strata_ring_geometry geometry;
	enum strata_app_mode mode; /* if the application can write it; else the other */
	bool overwrite;            /* a full ring overwrites its oldest records */
	/* Form of record headers, if the application can write it; otherwise full. */
	enum strata_header_form form;
	uint32_t switch_ms; /* how often half full sub-buffers are handed over; 0: never */
	/* NULL: in anonymous memory; else those of these users each in a file in that output
	 * directory. */
	const struct strata_dir *dir;
	struct app_file_users *file_users;
};

/* Chooses the mode of its rings.  Returns whether it is the wanted one. */
bool app_choose_mode(struct app *app, const struct app_channel *channel);

/* Whether its rings go to a file. */
bool app_is_in_file(const struct app *app, const struct app_channel *channel);

/* The most bytes that the rings of one application take, in a mode in which they are not too large;
 * 0: they are in any. */
size_t app_rings_bytes_max(const struct app_channel *channel);

/*
 * Creates its rings, after app_choose_mode(): in a file, in app->ready if that is there, or in
 * anonymous memory.
 * @clock:  for a file: tsc_khz, anchor_ticks and anchor_realtime_ns of the recording
 * @outgoing: OUT, to be sent, with the memory's descriptor
 * 0 or -1.
 */
int app_give_rings(struct app *app, const struct app_channel *channel,
		   const struct ring_file_header *clock, struct app_outgoing *outgoing,
		   struct strata_error *error);

/* Begins to read the application's rings, after APP_ATTACHED.  Returns 0 or -1. */
int app_read_rings(struct app *app, struct strata_error *error);

/* Names the file of its rings, if they are in one, after its source in the recording of @dir. 0 or
 * -1. */
int app_name_rings(struct app *app, const struct strata_dir *dir,
		   const struct strata_source *source, struct strata_error *error);

/* Whether the control words of a ring were impossible. */
bool app_is_broken(const struct app *app);

/* Writes a message with the set of events to record.  0 or -1. */
int app_select(struct app *app, const struct event_set *events, struct app_outgoing *outgoing,
	       struct strata_error *error);

/* Writes a message that ends its recording. */
void app_stop(struct app_outgoing *outgoing);

/* Hands the file of its rings over to the caller; it stays when the application is closed.
 * @name: OUT, as from ring_file_make().  False: the rings are not in a file. */
bool app_leave_file(struct app *app, char name[RING_FILE_NAME_BYTES]);

/* Before app_close(), if a thread may still use the descriptor that goes to the application: leaves
 * it open. */
void app_leave_open(struct app *app);

/* Unmaps, closes, frees, removes the file.  The recorder no longer reads its rings. */
void app_close(struct app *app);

#endif /* STRATA_CONSUMERD_APP_H */
