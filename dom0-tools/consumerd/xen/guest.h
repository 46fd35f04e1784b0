/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h - the kernels with strata.ko, as shown by xenstore, and the commands that start and stop
 * them. dom0's own kernel is one of them.
 *
 * Every value in a guest's part of xenstore is the guest's own: hostile.
 */
#ifndef STRATA_CONSUMERD_GUEST_H
#define STRATA_CONSUMERD_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <strata/abi/aggregate.h>
#include <xenstore.h>

#include "base/error.h"
#include "consumerd/rings/event_set.h"

enum guest_module {
	GUEST_NO_MODULE,
	GUEST_READY,
	GUEST_NO_RINGS,  /* its channel does not exist yet: see guest_command_create() */
	GUEST_OTHER_ABI, /* a module of another version: `version` */
	GUEST_BROKEN,    /* it publishes invalid values */
};

#define GUEST_NAME_BYTES   80u
#define GUEST_REASON_BYTES 256u

struct guest {
	uint32_t domain;
	uint32_t channel;            /* whose root_ref, port, nonce and state these are */
	char name[GUEST_NAME_BYTES]; /* as xl shows it; hostile: escape it where it is shown */
	bool named; /* false: xenstore does not know the domain, the name is invented */
	enum guest_module module;
	uint32_t version;
	uint32_t root_ref;
	uint32_t port;
	uint64_t module_nonce;           /* of its load */
	uint64_t nonce;                  /* of the rings */
	char state[32];                  /* of its module, first word */
	char reason[GUEST_REASON_BYTES]; /* why it refused; hostile; "": it does not say */
	uint32_t answered; /* the number after it, of the command that was obeyed; 0: no command */
};

/* Reads a domain's name, which is hostile; false: it has none, and gets one.  A short request. */
bool guest_read_name(struct xs_handle *xenstore, uint32_t domain, char name[GUEST_NAME_BYTES]);

/* Reads the nodes of one domain, its module and one of its channels in xenstore.  A few short
 * requests. */
void guest_look(struct xs_handle *xenstore, uint32_t domain, uint32_t channel, struct guest *guest);

/* Lists all domains, each with one of its channels, in order of their numbers.  The list is the
 * caller's to free().  0 or -1. */
int guests_find(struct xs_handle *xenstore, uint32_t channel, struct guest **guests, size_t *nr,
		struct strata_error *error);

/* Whether its module may be recording, by the command that it obeyed last. */
bool guest_may_record(const struct guest *guest);

/* A place in a kernel, or in its programs, or a pattern of its functions, that makes events. */
struct guest_probe {
	const char *kind;  /* "kprobe", "uretprobe"...: also the event's group */
	const char *name;  /* of the event, or what the names of its events begin with */
	const char *place; /* SYMBOL, PATH:SYMBOL, PATTERN..., and arguments (strata/abi/guest.h) */
};

/* How a guest should record. */
struct guest_start {
	bool overwrite;
	enum strata_header_form form; /* of their headers; one that it can write */
	uint32_t switch_ms; /* how often half full sub-buffers are handed over; 0: never */
	uint32_t contexts;  /* of each record (abi/guest_context.h) */
	const struct event_set *events;
	const char *filter;        /* "tid=..." or "pid=...", or NULL: whatever task is current */
	const char *field_filters; /* " where=..." for each, or NULL: whatever the fields are */
};

/* Xenstore takes 4,096 bytes with the name of the node. */
#define GUEST_COMMAND_BYTES 4000u

/* A command to a module: a text for its node in xenstore. */
struct guest_command {
	char text[GUEST_COMMAND_BYTES];
};

/*
 * Commands to make new rings for a channel, or tables to count in, to record events, to add one, to
 * begin a counter, to flush (while it goes on recording, each of its CPUs hands over its records),
 * to stop, and to free the rings. guest_look() shows "created", "aggregated", "started", "probed",
 * "prepared", "flushed", "stopped" or "destroyed" with the same number, some time after
 * guest_tell().
 * @sequence: a number that was not used with this guest before
 * 0, or -1: the command is too long.
 */
void guest_command_create(struct guest_command *command, uint32_t sequence);
void guest_command_aggregate(struct guest_command *command, uint32_t sequence,
			     const struct strata_aggregate_spec *spec);
int guest_command_start(struct guest_command *command, uint32_t sequence,
			const struct guest_start *start, struct strata_error *error);
int guest_command_probe(struct guest_command *command, uint32_t sequence,
			const struct guest_probe *probe, struct strata_error *error);
void guest_command_counter(struct guest_command *command, uint32_t sequence, uint32_t type,
			   uint64_t config);
void guest_command_flush(struct guest_command *command, uint32_t sequence);
void guest_command_stop(struct guest_command *command, uint32_t sequence);
void guest_command_destroy(struct guest_command *command, uint32_t sequence);

/* Writes a command to a channel into a guest's part of xenstore: two short requests.  0 or -1. */
int guest_tell(struct xs_handle *xenstore, uint32_t domain, uint32_t channel,
	       const struct guest_command *command, struct strata_error *error);

#endif /* STRATA_CONSUMERD_GUEST_H */
