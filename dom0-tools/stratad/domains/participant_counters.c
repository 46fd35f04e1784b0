// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * participant_counters.c - see participant_counters.h.
 *
 * Counters are asked for one by one, so that each that a kernel lacks is known.
 */
#include "stratad/domains/participant_counters.h"

#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/escape.h"
#include "stratad/domains/participant.h"
#include "stratad/domains/participant_commands.h"
#include "xen/domain_numbers.h"

int participant_next_counter(struct participants *all, struct participant *one,
			     struct strata_error *error)
{
	const struct strata_kernel_counter *counter;
	struct guest_command command;

	if (one->flying || one->next_counter == one->contexts.nr_counters)
		return 0;
	counter = &one->contexts.counters[one->next_counter];
	one->sequence = all->sequence++;
	guest_command_counter(&command, one->sequence, counter->type, counter->config);
	return participant_give(all, one, &command, error) ? -1 : 1;
}

/* Always printed, like a domain that is left out, and bounded like these: each mapping has up to
 * STRATA_COUNTERS_MAX. */
static void report_missing(struct participants *all, const struct participant *one,
			   const struct strata_kernel_counter *counter)
{
	char name[STRATA_ESCAPED_BYTES(sizeof(one->guest.name))];

	strata_escape_name(name, sizeof(name),
			   strata_domain_shown_name(one->domain, one->guest.name));
	fprintf(stderr,
		"strata: domain %u (%s) is recorded without %s: its kernel has no such counter%s\n",
		one->domain, name, counter->name,
		counter->type == PERF_TYPE_SOFTWARE
			? ""
			: ", or others use those of the processor; Xen gives domains counters of "
			  "the processor if `vpmu` is on its command line");
	all->left_out++;
}

/* The entry of the table with that counter, or STRATA_COUNTERS_MAX. */
static unsigned int find_entry(const struct guest_map *map,
			       const struct strata_kernel_counter *counter)
{
	unsigned int i;

	for (i = 0; i < STRATA_COUNTERS_MAX; i++)
		if (map->counters[i].type == counter->type &&
		    map->counters[i].config == counter->config)
			break;
	return i;
}

/* Adds it to the contexts that the guest is asked to write. */
static void add(struct participant *one, const struct strata_kernel_counter *counter,
		unsigned int entry)
{
	one->map.contexts |= STRATA_COUNTER_BIT(entry);
	memcpy(one->map.counter_fields.field[entry], counter->field, sizeof(counter->field));
}

int participant_take_counter(struct participants *all, struct participant *one, bool begun,
			     struct strata_error *error)
{
	const struct strata_kernel_counter *counter = &one->contexts.counters[one->next_counter++];
	unsigned int entry;

	if (!begun) {
		report_missing(all, one, counter);
		return 0;
	}
	if (guest_map_counters(&one->map, &one->guest, error))
		return -1;
	entry = find_entry(&one->map, counter);
	if (entry == STRATA_COUNTERS_MAX)
		return strata_fail(error,
				   "its module says that it counts %s, but its table does not",
				   counter->name);
	add(one, counter, entry);
	return 0;
}

bool participant_continue_contexts(struct participant *one)
{
	const uint32_t found = guest_map_contexts(&one->map);
	uint32_t asked = one->contexts.contexts;
	unsigned int i, entry;

	one->map.contexts = found;
	for (i = 0; i < STRATA_COUNTERS_MAX; i++)
		if (found & STRATA_COUNTER_BIT(i))
			strata_kernel_counter_name_field(&one->map.counter_fields, i,
							 &one->map.counters[i]);
	for (i = 0; i < one->contexts.nr_counters; i++) {
		entry = find_entry(&one->map, &one->contexts.counters[i]);
		if (entry == STRATA_COUNTERS_MAX || !(found & STRATA_COUNTER_BIT(entry)))
			return false;
		asked |= STRATA_COUNTER_BIT(entry);
		/* One of several names, or a name of the user's own. */
		add(one, &one->contexts.counters[i], entry);
	}
	return asked == found;
}
