/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_host.h - what the recorder finds under it: Xen's libraries, the few
 * system calls that wait or ask for the time, and fake guests behind them.
 *
 * It is one thread's.  The guests get a turn in each call: `between` before any
 * answer is given, so that what is read twice may differ; `work` where the
 * recorder waits.
 */
#ifndef STRATA_TESTS_FAKE_HOST_H
#define STRATA_TESTS_FAKE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fake_guest.h"

/* Of the whole host, as maptrack is; a map beyond it fails. */
#define FAKE_MAPPED_PAGES_MAX 2048u

struct fake_host {
	struct fake_guest *guests;
	size_t nr_guests;
	void (*between)(void *data);
	void (*work)(void *data);
	void *data;

	/* what the recorder did */
	uint64_t waits;
	uint64_t ns; /* of virtual time */
	uint32_t open_handles;
	uint32_t mapped_pages;
	uint32_t mappings;
	const char *misuse; /* of an interface; NULL: none */
};

extern struct fake_host fake_host;

/* Before each run: nothing is open, nothing is mapped. */
void fake_host_reset(struct fake_guest *guests, size_t nr_guests);

#endif /* STRATA_TESTS_FAKE_HOST_H */
