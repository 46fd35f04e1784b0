// SPDX-License-Identifier: GPL-2.0-or-later
/* guest.c - see guest.h. */
#include "guest.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/abi/guest.h>

#define PATH_BYTES 128

/* While an answer is awaited, it and everything else is looked at this often. */
#define LOOK_MS               20
#define WATCH_EVENTS_PER_LOOK 64

/* Copies a node's value, cut to fit.  False: there is none. */
static bool read_text(struct xs_handle *xenstore, const char *path, char *to, size_t bytes)
{
	unsigned int length = 0;
	char *value = xs_read(xenstore, XBT_NULL, path, &length);
	size_t copied;

	if (!value)
		return false;
	copied = strnlen(value, length);
	if (copied >= bytes)
		copied = bytes - 1;
	memcpy(to, value, copied);
	to[copied] = '\0';
	free(value);
	return true;
}

static bool read_node(struct xs_handle *xenstore, uint32_t domain, const char *node, char *to,
		      size_t bytes)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/local/domain/%u/" STRATA_GUEST_XENSTORE_DIR "/%s", domain,
		 node);
	return read_text(xenstore, path, to, bytes);
}

/* A node that must be one whole number: digits from its begin to its end, no sign, no space. */
static bool read_number(struct xs_handle *xenstore, uint32_t domain, const char *node, int base,
			uint64_t limit, uint64_t *number)
{
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	char text[32];

	if (!read_node(xenstore, domain, node, text, sizeof(text)) || !text[0] ||
	    strlen(text) == sizeof(text) - 1 || text[strspn(text, digits)])
		return false;
	errno = 0;
	*number = strtoull(text, NULL, base);
	return !errno && *number <= limit;
}

static void look_at(struct xs_handle *xenstore, struct guest *guest)
{
	uint64_t version, root_ref, port;

	if (!read_number(xenstore, guest->domain, "version", 10, UINT32_MAX, &version)) {
		guest->module = GUEST_NO_MODULE;
		return;
	}
	guest->version = (uint32_t)version;
	if (version != STRATA_GUEST_ABI_VERSION) {
		guest->module = GUEST_OTHER_ABI;
		return;
	}
	guest->module = GUEST_BROKEN;
	if (!read_number(xenstore, guest->domain, "root-ref", 10, UINT32_MAX, &root_ref) ||
	    !read_number(xenstore, guest->domain, "event-channel", 10, UINT32_MAX, &port) ||
	    !read_number(xenstore, guest->domain, "nonce", 16, UINT64_MAX, &guest->nonce) ||
	    !read_node(xenstore, guest->domain, "state", guest->state, sizeof(guest->state)))
		return;
	guest->root_ref = (uint32_t)root_ref;
	guest->port = (uint32_t)port;
	guest->state[strcspn(guest->state, " ")] = '\0';
	guest->module = GUEST_READY;
}

static int by_domain(const void *a, const void *b)
{
	const struct guest *first = a, *second = b;

	return (first->domain > second->domain) - (first->domain < second->domain);
}

int guests_find(struct xs_handle *xenstore, struct guest **guests, size_t *nr,
		struct strata_error *error)
{
	unsigned int nr_domains = 0, i;
	char **domains = xs_directory(xenstore, XBT_NULL, "/local/domain", &nr_domains);
	struct guest *list;

	if (!domains)
		return strata_fail(error, "xenstore lists no domains: %s; is xenstored running?",
				   strerror(errno));
	list = calloc(nr_domains ? nr_domains : 1, sizeof(*list));
	if (!list) {
		free(domains);
		return strata_fail(error, "out of memory");
	}
	for (i = 0; i < nr_domains; i++) {
		char path[PATH_BYTES];

		list[i].domain = (uint32_t)strtoul(domains[i], NULL, 10);
		snprintf(path, sizeof(path), "/local/domain/%u/name", list[i].domain);
		if (!read_text(xenstore, path, list[i].name, sizeof(list[i].name)))
			snprintf(list[i].name, sizeof(list[i].name), "domain-%u", list[i].domain);
		look_at(xenstore, &list[i]);
	}
	free(domains);
	qsort(list, nr_domains, sizeof(*list), by_domain);
	*guests = list;
	*nr = nr_domains;
	return 0;
}

int64_t guest_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void node_path(char *path, const struct guest *guest, const char *node)
{
	snprintf(path, PATH_BYTES, "/local/domain/%u/" STRATA_GUEST_XENSTORE_DIR "/%s",
		 guest->domain, node);
}

static int tell(struct xs_handle *xenstore, const struct guest *guest, const char *command,
		struct strata_error *error)
{
	char path[PATH_BYTES], state[32];

	/* To write for a domain that is gone would make its nodes anew, and nobody would clear
	 * them away. */
	if (!read_node(xenstore, guest->domain, "state", state, sizeof(state)))
		return strata_fail(error, "its module is gone");
	/* Without the watch the answer is found a moment later. */
	node_path(path, guest, "state");
	xs_watch(xenstore, path, "state");
	node_path(path, guest, "ctl");
	if (!xs_write(xenstore, XBT_NULL, path, command, (unsigned int)strlen(command)))
		return strata_fail(error, "writing %s: %s", path, strerror(errno));
	return 0;
}

int guest_tell_start(struct xs_handle *xenstore, const struct guest *guest, uint32_t sequence,
		     uint64_t mask, struct strata_error *error)
{
	char command[64];

	snprintf(command, sizeof(command), "start %u %" PRIx64, sequence, mask);
	return tell(xenstore, guest, command, error);
}

int guest_tell_stop(struct xs_handle *xenstore, const struct guest *guest, uint32_t sequence,
		    struct strata_error *error)
{
	char command[64];

	snprintf(command, sizeof(command), "stop %u", sequence);
	return tell(xenstore, guest, command, error);
}

/* Some at a time: a flood of events must neither hold us here nor pile up in the library. */
static void take_watch_events(struct xs_handle *xenstore)
{
	unsigned int i;

	for (i = 0; i < WATCH_EVENTS_PER_LOOK; i++) {
		char **event = xs_check_watch(xenstore);

		if (!event)
			return;
		free(event);
	}
}

/* Looks until "@word @sequence" is there; a watch wakes us, the deadline ends it. */
static int look_for(struct xs_handle *xenstore, const struct guest *guest, const char *word,
		    uint32_t sequence, const struct guest_patience *patience,
		    struct strata_error *error)
{
	char wanted[64], refused[64], state[64] = "";

	snprintf(wanted, sizeof(wanted), "%s %u", word, sequence);
	snprintf(refused, sizeof(refused), "refused %u", sequence);
	while (true) {
		struct pollfd fd = { .fd = xs_fileno(xenstore), .events = POLLIN };

		if (!read_node(xenstore, guest->domain, "state", state, sizeof(state)))
			return strata_fail(error, "its module is gone");
		if (!strcmp(state, wanted))
			return 0;
		if (!strcmp(state, refused))
			return strata_fail(error,
					   "its module refuses to be %s; its kernel log "
					   "says why",
					   word);
		if (guest_clock_ms() >= patience->deadline_ms)
			return strata_fail(error,
					   "its module does not answer in time that it is "
					   "%s; is the domain paused?",
					   word);
		poll(&fd, 1, LOOK_MS);
		take_watch_events(xenstore);
		if (!patience->meanwhile(patience->data))
			return strata_fail(error,
					   "interrupted before its module said that it is "
					   "%s",
					   word);
	}
}

int guest_await(struct xs_handle *xenstore, const struct guest *guest, const char *word,
		uint32_t sequence, const struct guest_patience *patience,
		struct strata_error *error)
{
	int result = look_for(xenstore, guest, word, sequence, patience, error);
	char path[PATH_BYTES];

	node_path(path, guest, "state");
	xs_unwatch(xenstore, path, "state");
	return result;
}
