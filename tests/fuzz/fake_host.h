/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_host.h - what the recorder finds under it: Xen's libraries, the few
 * system calls that wait or ask for the time, and fake guests behind them.
 *
 * It is one thread's.  The guests get a turn in each call: `between` before any
 * answer is given, so that what is read twice may differ; `work` where the
 * recorder waits; `copying` and `copied` around each copy and each load out of
 * memory that they granted.  The socket for commands is a real one, in a
 * directory of the test's.
 */
#ifndef STRATA_TESTS_FAKE_HOST_H
#define STRATA_TESTS_FAKE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fake_guest.h"

/* Events of watches that may wait for the recorder, which has them in its own memory. */
#define FAKE_WATCH_EVENTS_MAX 5000u

/* Of the whole host, as maptrack is; a map beyond it fails. */
#define FAKE_MAPPED_PAGES_MAX 2048u

struct fake_host {
	struct fake_guest *guests;
	size_t nr_guests;
	void (*between)(void *data);
	void (*work)(void *data);
	void (*copying)(void *data, const void *from, size_t bytes);
	void (*copied)(void *data);
	void *data;

	uint32_t recorders;       /* that run already, with the first numbers */
	uint32_t domains_watched; /* by the recorder; each change is an event then */
	uint32_t domain_events;
	char domains_token[16];

	bool xenstored_hangs; /* it answers nothing: work for the worker waits */
	bool worker_runs;     /* a request of xenstore is the worker's */
	uint64_t disk_bytes; /* that are free on the disk of recordings; 0: the disk's own answer */

	/* what the recorder did */
	uint64_t waits;
	uint64_t ns;              /* of virtual time */
	uint64_t turn_ns;         /* when its loop waited last */
	uint64_t longest_turn_ns; /* between two waits of its loop */
	uint32_t open_handles;
	uint32_t mapped_pages;
	uint32_t mappings;
	uintptr_t mapped_from, mapped_to; /* all that was ever mapped lies between */
	const char *misuse;               /* of an interface; NULL: none */
};

extern struct fake_host fake_host;

/* Where the recorder's socket lies instead of in /run. */
extern char fake_socket_path[100];

/* Before each run: nothing is open, nothing is mapped. */
void fake_host_reset(struct fake_guest *guests, size_t nr_guests);

/* A domain came or went. */
void fake_host_domains_change(void);

/*
 * Returns where the guest itself sees the memory that the recorder has mapped at @address, and
 * which guest; NULL: the memory is not a guest's.
 */
void *fake_own_view(const void *address, struct fake_guest **guest);

#endif /* STRATA_TESTS_FAKE_HOST_H */
