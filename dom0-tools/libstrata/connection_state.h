/* SPDX-License-Identifier: MIT */
/* connection_state.h - what connection.c and serve.c share of a connection to a recorder. */
#ifndef STRATA_LIBSTRATA_CONNECTION_STATE_H
#define STRATA_LIBSTRATA_CONNECTION_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <strata/abi/app.h>

#include "libstrata/recorder_socket.h"

struct connection {
	/* Serialises what is sent; taken before the registry's lock. */
	pthread_mutex_t sending;
	/* Guarded by the registry's lock. */
	int socket;          /* to the recorder; -1: not connected */
	int opening;         /* that is being connected; -1: none */
	int channel;         /* that its events go to; -1: not connected */
	uint32_t nr_decided; /* events that the recorder has selected or refused */
	bool given_up;       /* it let the time pass: nobody waits until it decides again */
	bool late;           /* it let the time pass: a thread of its own announces the rest */
	struct stat opened;  /* identifies the file that we opened as the socket */
	/* Guarded by `sending`. */
	uint32_t nr_told; /* events */
	bool owes_ready;  /* after the last of them */
	/* The serving thread's. */
	uint32_t switch_ms; /* period of the forced switch; 0: never */
};

/* By number of the recorder. */
extern struct connection connection_list[RECORDERS];

/* A recorder has decided about events, or is gone.  With the registry's lock. */
extern pthread_cond_t connection_decided;

/* Whether its socket is still the one that we opened. */
bool connection_is_ours(const struct connection *one);

/* In the serving thread, for which nobody waits: what this program is, and its events.  False: the
 * recorder is gone. */
bool connection_say_hello(struct connection *one);

/* An answer to the recorder, in the serving thread. */
bool connection_answer(struct connection *one, enum strata_app_message_type type);

/* In the serving thread: what the program did before this selection is not recorded. */
void connection_say_went_on(struct connection *one);

#endif
