// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_list.c - `strata list`: shows what can be recorded on this host. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "strata/commands.h"
#include "base/escape.h"
#include "xen/domain_numbers.h"
#include "consumerd/host/recorder_number.h"
#include "consumerd/xen/guest_map.h"
#include "consumerd/xen/hypervisor.h"
#include "strata/list_app.h"
#include "strata/list_json.h"
#include "strata/list_kernel.h"
#include "stratad/select/select_kernel.h"
#include "stratad/select/select_xen.h"

struct list_options {
	bool events;
	bool xen;                              /* only the hypervisor */
	const struct kernel_selection *domain; /* only this kernel; NULL: everything */
	struct list_choice choice;
	struct json_object *json; /* the answer so far; NULL: it is printed as text */
};

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: strata list [--events [--long] [xen|DOMAIN [PATTERN...]]]\n"
		"       strata list --apps [--events [--long] [PATTERN...]]\n"
		"Shows the hypervisor and every domain, and for those that cannot be recorded, why.\n\n"
		"  -e, --events   also their events, a kernel's as GROUP/NAME\n"
		"  -l, --long     with the fields of events\n"
		"  -a, --apps     running applications that can be recorded\n"
		"      --json     prints JSON (docs/formats.md)\n\n"
		"xen shows only the hypervisor, DOMAIN (name or number) only that domain, and PATTERN\n"
		"only events with such a name; a kernel's also as GROUP/NAME.  DOMAIN and PATTERN may\n"
		"contain wildcards.\n"
		"Example: strata list --events --long g1 'sched_*' 'irq/*'\n"
		"         strata list --events xen 'evtchn_*' 'grant_*'\n");
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

static struct json_object *describe_channel(uint32_t number, const char *state, const char *owner)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "channel", json_object_new_int64(number));
	list_json_text(object, "state", state);
	list_json_text(object, "owner", owner);
	return object;
}

/* One channel, unless nobody has it.  @array: gets it; NULL: it is printed */
static void list_channel(const struct strata_hv_op *query, struct json_object *array)
{
	const char *const state = query->u.query.flags & STRATA_HV_AGGREGATES
					  ? "counting"
					  : state_name(query->u.query.state);
	char owner[STRATA_ESCAPED_BYTES(STRATA_HV_OWNER_BYTES)];

	if (query->u.query.state == STRATA_HV_IDLE)
		return;
	if (array) {
		struct json_object *object =
			describe_channel(query->channel, state, query->u.query.owner);

		json_object_object_add(object, "refused",
				       json_object_new_uint64(query->u.query.refused));
		json_object_array_add(array, object);
		return;
	}
	strata_escape_name(owner, sizeof(owner), query->u.query.owner);
	printf("            channel %u: %s by %s\n", query->channel, state, owner);
	if (query->u.query.refused)
		printf("            %" PRIu64
		       " of its events were refused: their domains' budgets are used "
		       "up (--xen-budget)\n",
		       query->u.query.refused);
}

static void describe_hypervisor(const char *version, const struct strata_hv_op *query,
				struct json_object *json)
{
	list_json_text(json, "version", version);
	json_object_object_add(json, "abi", json_object_new_int64(query->abi_version));
	json_object_object_add(json, "cpus", json_object_new_int64(query->u.query.nr_cpus));
	json_object_object_add(json, "tsc_khz", json_object_new_int64(query->u.query.tsc_khz));
}

/* Prints what the hypervisor is, and its channels; or adds it to @json.  0 or -1. */
static int list_channels(struct hypervisor *hypervisor, struct json_object *json,
			 struct strata_error *error)
{
	struct json_object *array = json ? list_json_array(json, "channels") : NULL;
	struct strata_hv_op query;
	char version[256];
	uint32_t channel;

	for (channel = 0; channel < STRATA_HV_CHANNELS; channel++) {
		hypervisor_use_channel(hypervisor, channel);
		if (hypervisor_query(hypervisor, &query, error))
			return -1;
		if (channel == 0)
			xen_version(version, sizeof(version));
		if (channel == 0 && json)
			describe_hypervisor(version, &query, json);
		else if (channel == 0)
			printf("hypervisor  Xen %s with Strata (ABI %u), %u CPUs, TSC %u.%03u MHz\n",
			       version, query.abi_version, query.u.query.nr_cpus,
			       query.u.query.tsc_khz / 1000, query.u.query.tsc_khz % 1000);
		list_channel(&query, array);
	}
	return 0;
}

static void print_xen_event(void *data, const char *class, const struct strata_event_desc *event,
			    const char *fields)
{
	(void)data;
	printf("              %-7s %-33s %s\n", class, event->name, fields);
}

struct xen_events {
	struct json_object *array;
	bool fields;
};

static void describe_xen_event(void *data, const char *class, const struct strata_event_desc *event,
			       const char *fields)
{
	const struct xen_events *events = data;

	(void)fields;
	json_object_array_add(events->array, list_json_event(event, class, events->fields));
}

static void list_xen_events(const struct list_options *options, struct json_object *json)
{
	const struct list_choice *choice = &options->choice;
	struct xen_events events = { .fields = choice->fields };

	if (json) {
		events.array = list_json_array(json, "events");
		select_xen_each_event(choice->patterns, choice->nr_patterns, describe_xen_event,
				      &events);
		return;
	}
	if (!choice->nr_patterns) {
		printf("            classes of events, for --xen:\n");
		select_xen_print_classes(stdout, "              ");
	}
	printf("            events, each with its class and fields:\n");
	select_xen_each_event(choice->patterns, choice->nr_patterns, print_xen_event, NULL);
}

static int list_hypervisor(const struct list_options *options)
{
	struct json_object *json = options->json ? json_object_new_object() : NULL;
	struct hypervisor *hypervisor;
	struct strata_error error = { "" };

	if (json)
		json_object_object_add(options->json, "hypervisor", json);
	if (hypervisor_open(&hypervisor, &error) != HYPERVISOR_OK ||
	    list_channels(hypervisor, json, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		if (json)
			json_object_object_del(options->json, "hypervisor");
		hypervisor_close(hypervisor);
		return STRATA_STATUS_FAILED;
	}
	if (options->events)
		list_xen_events(options, json);
	hypervisor_close(hypervisor);
	return STRATA_STATUS_OK;
}

static const char *guest_state_name(const struct guest *guest)
{
	if (!strcmp(guest->state, "started") || !strcmp(guest->state, "flushed"))
		return state_name(STRATA_HV_STARTED);
	return state_name(STRATA_HV_STOPPED);
}

/* The channels in which a kernel records, or has rings other than those of channel 0. */
static void list_guest_channels(struct xs_handle *xenstore, uint32_t domain,
				struct json_object *json)
{
	struct json_object *array = json ? list_json_array(json, "channels") : NULL;
	uint32_t number;

	for (number = 0; number < STRATA_GUEST_CHANNELS_MAX; number++) {
		char owner[RUN_LOCK_HOLDER_BYTES], shown[STRATA_ESCAPED_BYTES(sizeof(owner))];
		const char *state;
		struct guest guest;

		guest_look(xenstore, domain, number, &guest);
		if (guest.module != GUEST_READY || (!number && !guest_may_record(&guest)))
			continue;
		recorder_number_owner(number, owner);
		state = recorder_number_counts(owner) ? "counting" : guest_state_name(&guest);
		if (array) {
			json_object_array_add(array, describe_channel(number, state, owner));
			continue;
		}
		strata_escape_name(shown, sizeof(shown), owner);
		printf("            channel %u: %s by %s\n", number, state, shown);
	}
}

/* Ends the line of a domain that cannot be recorded. */
static void __attribute__((format(printf, 2, 3)))
say_why_not(struct json_object *json, const char *format, ...)
{
	char text[sizeof(((struct strata_error *)NULL)->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (json)
		list_json_text(json, "why_not", text);
	else
		printf("%s\n", text);
}

static void list_kernel(struct xs_handle *xenstore, const struct guest *guest,
			const struct guest_map *map, const struct list_options *options,
			struct json_object *json)
{
	const unsigned long bytes = strata_buffer_bytes(map->rings[0].reader.geo);
	struct event_listing events;
	size_t i;
	char state[STRATA_ESCAPED_BYTES(sizeof(guest->state))];

	if (json) {
		json_object_object_add(json, "version", json_object_new_int64(guest->version));
		list_json_text(json, "state", guest->state);
		json_object_object_add(json, "rings", json_object_new_uint64(map->nr_rings));
		json_object_object_add(json, "ring_bytes", json_object_new_uint64(bytes));
		json_object_object_add(json, "nr_events", json_object_new_uint64(map->nr_events));
	} else {
		strata_escape_name(state, sizeof(state), guest->state);
		printf("strata.ko (version %u): %s, %zu rings of %lu KiB, %zu events\n",
		       guest->version, state, map->nr_rings, bytes >> 10, map->nr_events);
	}
	list_guest_channels(xenstore, guest->domain, json);
	if (!options->events)
		return;
	list_events_begin(&events, &options->choice, json);
	for (i = 0; i < map->nr_events; i++)
		list_events_next(&events, &map->events[i]);
	list_events_end(&events);
}

static void list_guest(struct xs_handle *xenstore, xengnttab_handle *gnttab,
		       const struct guest *guest, const struct list_options *options,
		       struct json_object *json)
{
	const char *const own_name = strata_domain_shown_name(guest->domain, guest->name);
	char name[STRATA_ESCAPED_BYTES(sizeof(guest->name))];
	struct strata_error error = { "" };
	struct guest_map map;

	if (json) {
		json_object_object_add(json, "domain", json_object_new_int64(guest->domain));
		list_json_text(json, "name", own_name);
	} else {
		strata_escape_name(name, sizeof(name), own_name);
		printf("domain %-4u %-20s ", guest->domain, name);
	}
	switch (guest->module) {
	case GUEST_NO_MODULE:
		say_why_not(json, "no module: load strata.ko in it to record its kernel");
		return;
	case GUEST_OTHER_ABI:
		say_why_not(json,
			    "strata.ko uses interface version %u, this tool another: load the "
			    "module of this build",
			    guest->version);
		return;
	case GUEST_BROKEN:
		say_why_not(json, "strata.ko publishes invalid data: reload it");
		return;
	case GUEST_READY:
	case GUEST_NO_RINGS: /* not of channel 0 */
		break;
	}
	if (!gnttab) {
		say_why_not(json, "strata.ko is loaded, but /dev/xen/gntdev is missing: load "
				  "xen-gntdev");
		return;
	}
	if (guest_map(&map, gnttab, guest, true, &error)) {
		say_why_not(json, "strata.ko is loaded, but cannot be mapped: %s", error.text);
		return;
	}
	list_kernel(xenstore, guest, &map, options, json);
	guest_unmap(&map);
}

static int list_guests(const struct list_options *options)
{
	struct json_object *array = options->json ? list_json_array(options->json, "domains")
						  : NULL;
	struct xs_handle *xenstore = xs_open(0);
	xengnttab_handle *gnttab;
	struct strata_error error = { "" };
	struct json_object *json;
	struct guest *guests;
	size_t nr, i, listed = 0;

	if (!xenstore) {
		fprintf(stderr, "strata: xenstore cannot be reached: %s; is xenstored running?\n",
			strerror(errno));
		return STRATA_STATUS_FAILED;
	}
	if (guests_find(xenstore, 0, &guests, &nr, &error)) {
		fprintf(stderr, "strata: %s\n", error.text);
		xs_close(xenstore);
		return STRATA_STATUS_FAILED;
	}
	gnttab = xengnttab_open(NULL, 0);
	for (i = 0; i < nr; i++) {
		if (options->domain &&
		    !select_matches_domain(options->domain, guests[i].domain, guests[i].name))
			continue;
		json = array ? json_object_new_object() : NULL;
		list_guest(xenstore, gnttab, &guests[i], options, json);
		if (json)
			json_object_array_add(array, json);
		listed++;
	}
	if (gnttab)
		xengnttab_close(gnttab);
	free(guests);
	xs_close(xenstore);
	if (listed || !options->domain)
		return STRATA_STATUS_OK;
	fprintf(stderr, "strata: no domain \"%s\" runs here; `strata list` shows them\n",
		options->domain->domain);
	return STRATA_STATUS_FAILED;
}

/* Parses the operands: xen or DOMAIN, PATTERN... Returns 0 or -1. */
static int take_operands(int argc, char **argv, struct kernel_selection *domain,
			 struct list_options *options)
{
	struct strata_error error = { "" };

	if (argc == 0)
		return 0;
	options->xen = !strcmp(argv[0], "xen");
	if (!options->events || strchr(argv[0], ':') ||
	    (!options->xen && select_parse_kernel(SELECT_EVENTS, argv[0], domain, &error)))
		return -1;
	if (!options->xen)
		options->domain = domain;
	options->choice.patterns = argv + 1;
	options->choice.nr_patterns = (size_t)argc - 1;
	return 0;
}

/* Lists what the options name.  Returns an exit status. */
static int list(const struct list_options *options)
{
	int hypervisor, guests;

	if (options->domain)
		return list_guests(options);
	hypervisor = list_hypervisor(options);
	if (options->xen)
		return hypervisor;
	/* Guests can be listed wherever Xen runs, with Strata in it or without. */
	if (hypervisor != STRATA_STATUS_OK && access("/dev/xen/privcmd", R_OK | W_OK))
		return hypervisor;
	guests = list_guests(options);
	return hypervisor != STRATA_STATUS_OK ? hypervisor : guests;
}

int strata_cmd_list(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "events", no_argument, NULL, 'e' }, { "long", no_argument, NULL, 'l' },
		{ "apps", no_argument, NULL, 'a' },   { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },   { NULL, 0, NULL, 0 },
	};
	struct list_options options = { .domain = NULL };
	struct kernel_selection domain;
	bool apps = false, json = false;
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "elah", long_options, NULL)) >= 0) {
		switch (option) {
		case 'h':
			usage(stdout);
			return STRATA_STATUS_OK;
		case 'e':
			options.events = true;
			break;
		case 'l':
			options.choice.fields = true;
			break;
		case 'a':
			apps = true;
			break;
		case 'j':
			json = true;
			break;
		default:
			usage(stderr);
			return STRATA_STATUS_USAGE;
		}
	}
	if (apps && (options.events || optind == argc)) {
		options.choice.patterns = argv + optind;
		options.choice.nr_patterns = (size_t)(argc - optind);
	} else if (apps || take_operands(argc - optind, argv + optind, &domain, &options)) {
		usage(stderr);
		return STRATA_STATUS_USAGE;
	}
	options.json = json ? json_object_new_object() : NULL;
	status = apps ? list_apps(options.events, &options.choice, options.json) : list(&options);
	if (json && !list_json_print(options.json))
		status = STRATA_STATUS_FAILED;
	return status;
}
