// SPDX-License-Identifier: GPL-2.0-or-later
/* list_text.c - see list_text.h; cmd_list.c calls it.  Names are those of guests and programs. */
#include "strata/list_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define INDENT       "            "
#define EVENT_INDENT "              "
#define SHOWN_BYTES  4096

/* Makes a name fit for a terminal. */
static const char *shown(char text[SHOWN_BYTES], const char *name)
{
	return strata_escape_name(text, SHOWN_BYTES, name);
}

static void print_fields(const struct strata_listed_event *event)
{
	char name[SHOWN_BYTES], type[SHOWN_BYTES];
	size_t i;

	for (i = 0; i < event->nr_fields; i++) {
		const struct strata_listed_field *field = event->fields[i];

		printf(" %s:%s", shown(name, field->name), shown(type, field->type));
		if (field->count == 0)
			printf("[]");
		else if (field->count > 1 || !strcmp(field->type, "text"))
			printf("[%" PRIu32 "]", field->count);
	}
}

static void print_event(const struct strata_listed_event *event, bool fields)
{
	char text[SHOWN_BYTES];

	printf(EVENT_INDENT "%s%s", shown(text, event->group), event->group[0] ? "/" : "");
	printf("%s", shown(text, event->name));
	if (fields)
		print_fields(event);
	if (event->loglevel[0])
		printf(" (%s)", shown(text, event->loglevel));
	if (event->format[0])
		printf(" \"%s\"", shown(text, event->format));
	printf("\n");
}

static void print_events(const struct strata_listed_event *const *events, size_t nr, bool fields)
{
	size_t i;

	for (i = 0; i < nr; i++)
		print_event(events[i], fields);
}

static void print_channels(const struct strata_listed_channel *const *channels, size_t nr)
{
	char state[SHOWN_BYTES], owner[SHOWN_BYTES];
	size_t i;

	for (i = 0; i < nr; i++) {
		printf(INDENT "channel %" PRIu32 ": %s by %s\n", channels[i]->channel,
		       shown(state, channels[i]->state), shown(owner, channels[i]->owner));
		if (channels[i]->refused)
			printf(INDENT "%" PRIu64
				      " of its events were refused: their domains' budgets are "
				      "used up (--xen-budget)\n",
			       channels[i]->refused);
	}
}

static void print_hypervisor(const struct strata_listed_hypervisor *hypervisor, bool chosen)
{
	char text[SHOWN_BYTES], name[SHOWN_BYTES];
	size_t i;

	printf("hypervisor  Xen %s with Strata (ABI %" PRIu32 "), %" PRIu32 " CPUs, TSC %" PRIu32
	       ".%03" PRIu32 " MHz\n",
	       shown(text, hypervisor->version), hypervisor->abi, hypervisor->cpus,
	       hypervisor->tsc_khz / 1000, hypervisor->tsc_khz % 1000);
	print_channels(hypervisor->channels, hypervisor->nr_channels);
	if (!hypervisor->nr_classes)
		return;
	if (!chosen) {
		printf(INDENT "classes of events, for --xen:\n");
		for (i = 0; i < hypervisor->nr_classes; i++)
			printf(EVENT_INDENT "%-8s %s\n", shown(name, hypervisor->classes[i]->name),
			       shown(text, hypervisor->classes[i]->what));
	}
	printf(INDENT "events, each with its class and fields:\n");
	for (i = 0; i < hypervisor->nr_events; i++) {
		const struct strata_listed_event *event = hypervisor->events[i];

		printf(EVENT_INDENT "%-7s %-33s", shown(text, event->xen_class),
		       shown(name, event->name));
		print_fields(event);
		printf("\n");
	}
}

static void print_domain(const struct strata_listed_domain *domain, bool fields)
{
	char text[SHOWN_BYTES];

	printf("domain %-4" PRIu32 " %-20s ", domain->domain, shown(text, domain->name));
	if (domain->why_not[0]) {
		printf("%s\n", shown(text, domain->why_not));
		return;
	}
	printf("strata.ko (version %" PRIu32 "): %s, %" PRIu32 " rings of %" PRIu64 " KiB, %" PRIu32
	       " events\n",
	       domain->version, shown(text, domain->state), domain->rings, domain->ring_bytes >> 10,
	       domain->all_events);
	print_channels(domain->channels, domain->nr_channels);
	print_events(domain->events, domain->nr_events, fields);
}

void list_text_host(const struct strata_listing *listing, bool fields, bool chosen)
{
	size_t i;

	if (listing->hypervisor)
		print_hypervisor(listing->hypervisor, chosen);
	for (i = 0; i < listing->nr_domains; i++)
		print_domain(listing->domains[i], fields);
}

void list_text_apps(const struct strata_listing *listing, bool fields)
{
	char name[SHOWN_BYTES];
	size_t i;

	for (i = 0; i < listing->nr_applications; i++) {
		const struct strata_listed_application *app = listing->applications[i];

		printf("  %-10d  ", app->pid);
		switch (app->answer) {
		case STRATA_LISTED_ANSWERED:
			printf("%s: %" PRIu32 " events\n", shown(name, app->name), app->all_events);
			break;
		case STRATA_LISTED_SILENT:
			printf("%s: does not answer\n", shown(name, app->name));
			break;
		case STRATA_LISTED_NOT_ASKED:
			printf("%s\n", shown(name, app->name));
			break;
		case STRATA_LISTED_UNSEEN:
			printf("(the look at its process does not end)\n");
			break;
		}
		print_events(app->events, app->nr_events, fields);
	}
	if (!listing->nr_applications)
		printf("no running application is linked with -lstrata\n");
}
