// SPDX-License-Identifier: GPL-2.0-or-later
/* fake_xenstore.c - libxenstore as the recorder calls it, over the fake guests' nodes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenstore.h>

#include "fake_fds.h"
#include "fake_host.h"

struct xs_handle *xs_open(unsigned long flags)
{
	(void)flags;
	fake_host.open_handles++;
	return (struct xs_handle *)&fake_host;
}

void xs_close(struct xs_handle *handle)
{
	size_t i;

	if (!handle)
		return;
	for (i = 0; i < fake_host.nr_guests; i++)
		fake_host.guests[i].watched = false;
	fake_host.domains_watched = 0;
	fake_host.open_handles--;
}

/* xenstored may take as long as it likes to answer.  Once rings fill, the loop must not wait for
 * it. */
static void note_request(void)
{
	if (fake_host.waits && !fake_host.worker_runs)
		fake_host.misuse = "it waits for xenstored while rings fill";
	fake_host.between(fake_host.data);
}

static struct fake_guest *guest_of(const char *path, const char **rest)
{
	unsigned int domain;
	int length = 0;
	size_t i;

	if (sscanf(path, "/local/domain/%u%n", &domain, &length) != 1)
		return NULL;
	*rest = path + length;
	for (i = 0; i < fake_host.nr_guests; i++)
		if (fake_host.guests[i].domain == domain)
			return fake_guest_has_nodes(&fake_host.guests[i]) ? &fake_host.guests[i]
									  : NULL;
	return NULL;
}

/* FAKE_NR_NODES: none of the module's. */
static enum fake_node_name node_of(const struct fake_guest *guest, const char *rest)
{
	enum fake_node_name name;
	char path[64];

	for (name = 0; name < FAKE_NR_NODES; name++) {
		if (guest->channel && name > FAKE_MODULE_NONCE)
			snprintf(path, sizeof(path), "/" STRATA_GUEST_XENSTORE_DIR "/%u/%s",
				 guest->channel, fake_node_names[name]);
		else
			snprintf(path, sizeof(path), "/" STRATA_GUEST_XENSTORE_DIR "/%s",
				 fake_node_names[name]);
		if (!strcmp(rest, path) && (guest->channel || name != FAKE_MODULE_NONCE))
			return name;
	}
	return FAKE_NR_NODES;
}

/* As xenstore does: a zero byte follows the value, which may hold others. */
static void *copy_of(const void *value, unsigned int length, unsigned int *length_out)
{
	char *copy = malloc(length + 1u);

	if (!copy)
		abort();
	memcpy(copy, value, length);
	copy[length] = '\0';
	if (length_out)
		*length_out = length;
	return copy;
}

void *xs_read(struct xs_handle *handle, xs_transaction_t transaction, const char *path,
	      unsigned int *length)
{
	const char *rest;
	struct fake_guest *guest;
	enum fake_node_name name;

	(void)handle;
	(void)transaction;
	note_request();
	guest = guest_of(path, &rest);
	if (guest && !strcmp(rest, "/name"))
		return copy_of(guest->name, (unsigned int)strlen(guest->name), length);
	name = guest ? node_of(guest, rest) : FAKE_NR_NODES;
	if (name == FAKE_NR_NODES || !guest->nodes[name].exists) {
		errno = ENOENT;
		return NULL;
	}
	return copy_of(guest->nodes[name].value, guest->nodes[name].length, length);
}

bool xs_write(struct xs_handle *handle, xs_transaction_t transaction, const char *path,
	      const void *value, unsigned int length)
{
	const char *rest;
	struct fake_guest *guest;

	(void)handle;
	(void)transaction;
	note_request();
	guest = guest_of(path, &rest);
	if (guest && node_of(guest, rest) != FAKE_CTL)
		fake_host.misuse = "it writes a node that is the guest's";
	if (guest) {
		fake_guest_set_node(guest, FAKE_CTL, value, length);
		fake_guest_obey(guest);
	}
	return true;
}

char **xs_directory(struct xs_handle *handle, xs_transaction_t transaction, const char *path,
		    unsigned int *nr)
{
	char **list = calloc(fake_host.nr_guests, sizeof(*list) + 16);
	char *text = (char *)&list[fake_host.nr_guests];
	size_t i;

	(void)handle;
	(void)transaction;
	note_request();
	if (!list || strcmp(path, "/local/domain"))
		abort();
	*nr = 0;
	for (i = 0; i < fake_host.nr_guests; i++) {
		if (!fake_guest_has_nodes(&fake_host.guests[i]))
			continue;
		list[(*nr)++] = text;
		text += 1 + snprintf(text, 16, "%u", fake_host.guests[i].domain);
	}
	return list;
}

/* The recorder's watches: domains that come and go, and the nodes of each one's module. */
static bool is_of_domains(const char *path)
{
	return !strcmp(path, "@introduceDomain") || !strcmp(path, "@releaseDomain");
}

void fake_host_domains_change(void)
{
	if (fake_host.domains_watched)
		fake_host.domain_events++;
}

bool xs_watch(struct xs_handle *handle, const char *path, const char *token)
{
	const char *rest;
	struct fake_guest *guest;

	(void)handle;
	note_request();
	if (is_of_domains(path)) {
		fake_host.domains_watched++;
		fake_host.domain_events++; /* a new watch fires at once */
		snprintf(fake_host.domains_token, sizeof(fake_host.domains_token), "%s", token);
		return true;
	}
	guest = guest_of(path, &rest);
	if (guest) {
		guest->watched = true;
		guest->watch_events++;
		snprintf(guest->watch_token, sizeof(guest->watch_token), "%s", token);
	}
	return true;
}

bool xs_unwatch(struct xs_handle *handle, const char *path, const char *token)
{
	const char *rest;
	struct fake_guest *guest;

	(void)handle;
	(void)token;
	note_request();
	guest = guest_of(path, &rest);
	if (guest) {
		guest->watched = false;
		guest->watch_events = 0;
	}
	return true;
}

int xs_fileno(struct xs_handle *handle)
{
	(void)handle;
	return FAKE_FD_XENSTORE;
}

bool fake_xenstore_readable(void)
{
	size_t i;

	for (i = 0; i < fake_host.nr_guests; i++)
		if (fake_host.guests[i].watched && fake_host.guests[i].watch_events)
			return true;
	return fake_host.domain_events;
}

static char **watch_event(const char *path, const char *token)
{
	char **event = calloc(1, 2 * sizeof(*event) + 128);

	if (!event)
		abort();
	event[XS_WATCH_PATH] = (char *)&event[2];
	event[XS_WATCH_TOKEN] = event[XS_WATCH_PATH] + 64;
	snprintf(event[XS_WATCH_PATH], 64, "%s", path);
	snprintf(event[XS_WATCH_TOKEN], 64, "%s", token);
	return event;
}

char **xs_check_watch(struct xs_handle *handle)
{
	char path[64];
	size_t i;

	(void)handle;
	fake_host.between(fake_host.data);
	if (fake_host.domain_events) {
		fake_host.domain_events--;
		return watch_event("@introduceDomain", fake_host.domains_token);
	}
	for (i = 0; i < fake_host.nr_guests; i++) {
		struct fake_guest *guest = &fake_host.guests[i];

		if (!guest->watched || !guest->watch_events)
			continue;
		if (guest->watch_events > FAKE_WATCH_EVENTS_MAX)
			fake_host.misuse = "it lets events of watches pile up";
		guest->watch_events--;
		snprintf(path, sizeof(path), "/local/domain/%u/%s/state", guest->domain,
			 STRATA_GUEST_XENSTORE_DIR);
		return watch_event(path, guest->watch_token);
	}
	errno = EAGAIN;
	return NULL;
}
