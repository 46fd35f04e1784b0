// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_list.c - `strata list`: what there is to record on this host. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "escape.h"
#include "guest_map.h"
#include "hypervisor.h"
#include "recording.h"
#include "select_xen.h"

static void usage(FILE *out)
{
	fprintf(out, "Usage: strata list [--events [PATTERN...]]\n"
		     "Shows the hypervisor and every domain: which can be recorded, and which not "
		     "and why.\n\n"
		     "  -e, --events   also the events that each offers; of Xen's: those that a "
		     "pattern matches\n\n"
		     "Example: strata list --events 'evtchn_*' 'grant_*'\n");
}

static const char *state_name(uint32_t state)
{
	switch (state) {
	case STRATA_HV_IDLE:
		return "idle";
	case STRATA_HV_STOPPED:
		return "rings made, not recording";
	case STRATA_HV_STARTED:
		return "recording";
	default:
		return "in a state that this tool does not know";
	}
}

static void xen_version(char *text, size_t bytes)
{
	static const char *const parts[] = { "major", "minor", "extra" };
	size_t used = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < 3; i++) {
		char path[64], part[64] = "", shown[STRATA_ESCAPED_BYTES(64)];
		FILE *file;

		snprintf(path, sizeof(path), "/sys/hypervisor/version/%s", parts[i]);
		file = fopen(path, "re");
		if (!file)
			return;
		if (!fgets(part, sizeof(part), file))
			part[0] = '\0';
		fclose(file);
		part[strcspn(part, "\n")] = '\0';
		strata_escape_name(shown, sizeof(shown), part);
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", i == 1 ? "." : "",
					 shown);
		if (used >= bytes)
			return;
	}
}

static int list_hypervisor(bool events, char *const *patterns, size_t nr_patterns)
{
	struct hypervisor *hypervisor;
	struct strata_error error = { "" };
	struct strata_hv_op query;
	char version[256], owner[STRATA_ESCAPED_BYTES(STRATA_HV_OWNER_BYTES)];
	enum hypervisor_support support = hypervisor_open(&hypervisor, &error);

	if (support != HYPERVISOR_OK) {
		fprintf(stderr, "strata: %s\n", error.text);
		return STRATA_STATUS_FAILED;
	}
	if (hypervisor_query(hypervisor, &query, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		hypervisor_close(hypervisor);
		return STRATA_STATUS_FAILED;
	}
	xen_version(version, sizeof(version));
	strata_escape_name(owner, sizeof(owner), query.u.query.owner);
	printf("hypervisor  Xen %s with Strata (ABI %u), %u CPUs, TSC %u.%03u MHz: %s%s%s\n",
	       version, query.abi_version, query.u.query.nr_cpus, query.u.query.tsc_khz / 1000,
	       query.u.query.tsc_khz % 1000, state_name(query.u.query.state),
	       owner[0] ? " by " : "", owner);
	if (query.u.query.refused)
		printf("            %" PRIu64
		       " events were refused: their domains' budgets are used "
		       "up (--xen-budget)\n",
		       query.u.query.refused);
	if (events && !nr_patterns) {
		printf("            classes of events, for --xen:\n");
		select_xen_print_classes(stdout, "              ");
	}
	if (events) {
		printf("            events, each with its class and fields:\n");
		select_xen_print_events(stdout, "              ", patterns, nr_patterns);
	}
	hypervisor_close(hypervisor);
	return STRATA_STATUS_OK;
}

static void print_events(const struct guest_map *map)
{
	struct strata_source checked = { .layer = STRATA_LAYER_KERNEL };
	size_t i;

	for (i = 0; i < map->nr_events; i++) {
		struct strata_error error = { "" };

		if (strata_source_add_event(&checked, &map->events[i], &error))
			printf("              (entry %zu: %s)\n", i, error.text);
		else
			printf("              %s\n", map->events[i].name);
	}
	strata_source_clear_events(&checked);
}

static void list_guest(xengnttab_handle *gnttab, const struct guest *guest, bool events)
{
	struct strata_error error = { "" };
	char name[STRATA_ESCAPED_BYTES(sizeof(guest->name))];
	char state[STRATA_ESCAPED_BYTES(sizeof(guest->state))];
	struct guest_map map;

	strata_escape_name(name, sizeof(name), guest->name);
	strata_escape_name(state, sizeof(state), guest->state);
	printf("domain %-4u %-20s ", guest->domain, name);
	switch (guest->module) {
	case GUEST_NO_MODULE:
		printf("no module: load strata.ko in it to record its kernel\n");
		return;
	case GUEST_OTHER_ABI:
		printf("strata.ko speaks version %u, this tool another: load the one of these "
		       "sources\n",
		       guest->version);
		return;
	case GUEST_BROKEN:
		printf("strata.ko publishes nonsense: reload it\n");
		return;
	case GUEST_READY:
		break;
	}
	if (!gnttab) {
		printf("strata.ko is there; /dev/xen/gntdev is not: load xen-gntdev\n");
		return;
	}
	if (guest_map(&map, gnttab, guest, true, &error)) {
		printf("strata.ko is there, and cannot be mapped: %s\n", error.text);
		return;
	}
	printf("strata.ko (version %u): %s, %zu rings of %lu KiB, %zu events\n", guest->version,
	       state, map.nr_rings, strata_buffer_bytes(map.rings[0].reader.geo) >> 10,
	       map.nr_events);
	if (events)
		print_events(&map);
	guest_unmap(&map);
}

static int list_guests(bool events)
{
	struct xs_handle *xenstore = xs_open(0);
	xengnttab_handle *gnttab;
	struct strata_error error = { "" };
	struct guest *guests;
	size_t nr, i;

	if (!xenstore) {
		fprintf(stderr, "strata: xenstore cannot be reached: %s; is xenstored running?\n",
			strerror(errno));
		return STRATA_STATUS_FAILED;
	}
	if (guests_find(xenstore, &guests, &nr, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		xs_close(xenstore);
		return STRATA_STATUS_FAILED;
	}
	gnttab = xengnttab_open(NULL, 0);
	for (i = 0; i < nr; i++)
		list_guest(gnttab, &guests[i], events);
	if (gnttab)
		xengnttab_close(gnttab);
	free(guests);
	xs_close(xenstore);
	return STRATA_STATUS_OK;
}

int strata_cmd_list(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "events", no_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool events = false;
	int option, hypervisor, guests;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "eh", long_options, NULL)) >= 0) {
		if (option == 'h') {
			usage(stdout);
			return STRATA_STATUS_OK;
		}
		if (option != 'e') {
			usage(stderr);
			return STRATA_STATUS_USAGE;
		}
		events = true;
	}
	if (optind < argc && !events) {
		usage(stderr);
		return STRATA_STATUS_USAGE;
	}
	hypervisor = list_hypervisor(events, argv + optind, (size_t)(argc - optind));
	/* A Xen without Strata still has guests to show; no Xen has none. */
	if (hypervisor != STRATA_STATUS_OK && access("/dev/xen/privcmd", R_OK | W_OK))
		return hypervisor;
	guests = list_guests(events);
	return hypervisor != STRATA_STATUS_OK ? hypervisor : guests;
}
