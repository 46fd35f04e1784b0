// SPDX-License-Identifier: GPL-2.0-or-later
/* select_xen.c - see select_xen.h. */
#include "stratad/select/select_xen.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xen/xen_event_table.h"
#include "xen/xen_events.h"

#define CLASS_BITS    0x0fff0000u
#define SUBCLASS_BITS 0x0000f000u
#define NUMBER_BITS   0x00000fffu

/* From xen/include/public/trace.h: the states before and after lie in these bits of the event. */
#define RUNSTATE_CHANGE        0x00021001u
#define RUNSTATE_CHANGE_STATES 0x00000330u
#define RUNSTATE_CHANGES       12u /* from each of four to another */

#define DOMAINS_END 0x8000u
#define DOMAIN_IDLE 0x7fffu
#define VCPUS_END   0x10000u

static const struct {
	const char *name;
	uint32_t bit;
	bool in_all;
	const char *what;
} classes[] = {
	{ "gen", 0x00010000u, true, "the tracing itself" },
	{ "sched", 0x00020000u, true, "scheduler, run states of vCPUs, pausing, migration" },
	{ "dom0op", 0x00040000u, true, "domains created, changed and destroyed" },
	{ "hvm", 0x00080000u, true, "VM entry and exit, hypercalls, emulation, interrupts" },
	{ "mem", 0x00100000u, true, "page grants, populate on demand" },
	{ "pv", 0x00200000u, true, "hypercalls, traps and page faults of PV domains" },
	{ "shadow", 0x00400000u, true, "shadow page tables" },
	{ "hw", 0x00800000u, true, "physical interrupts, NMIs, power states" },
	{ "evtchn", 0x01000000u, true, "event channels" },
	{ "xen", 0x02000000u, false,
	  "Xen's own work: softirqs, timers, IPIs; a fifth more events, so not in all" },
	{ "guest", 0x08000000u, false,
	  "events that guests write by hypercall, at any rate; not part of all" },
};

#define NR_CLASSES (sizeof(classes) / sizeof(classes[0]))

static int add_rule(struct xen_selection *selection, enum strata_hv_rule_kind kind, bool recorded,
		    uint32_t a, uint32_t b, struct strata_error *error)
{
	struct strata_hv_rule *rules =
		realloc(selection->rules, (selection->nr + 1) * sizeof(*rules));

	if (!rules)
		return strata_fail(error, "out of memory");
	selection->rules = rules;
	rules[selection->nr++] = (struct strata_hv_rule){
		.kind = (uint16_t)kind, .recorded = recorded, .a = a, .b = b
	};
	return 0;
}

static int add_events(struct xen_selection *selection, bool recorded, uint32_t value, uint32_t mask,
		      struct strata_error *error)
{
	return add_rule(selection, STRATA_HV_RULE_EVENTS, recorded, value, mask, error);
}

/* Adds a class, or `all`.  1: the word is neither. */
static int add_class(struct xen_selection *selection, const char *word, bool recorded,
		     struct strata_error *error)
{
	bool all = !strcmp(word, "all"), known = all;
	size_t i;

	for (i = 0; i < NR_CLASSES; i++) {
		if (all ? !classes[i].in_all : strcmp(classes[i].name, word) != 0)
			continue;
		known = true;
		if (add_events(selection, recorded, classes[i].bit, classes[i].bit, error))
			return -1;
	}
	return known ? 0 : 1;
}

/* xentrace's rule: one of the classes, and one of the subclasses; no subclasses mean all. */
static int add_mask(struct xen_selection *selection, uint32_t mask, bool recorded,
		    struct strata_error *error)
{
	uint32_t class_bit, subclass_bit;

	for (class_bit = 0x00010000u; class_bit & CLASS_BITS; class_bit <<= 1) {
		if (!(mask & class_bit))
			continue;
		if (!(mask & SUBCLASS_BITS) || (mask & SUBCLASS_BITS) == SUBCLASS_BITS) {
			if (add_events(selection, recorded, class_bit, class_bit, error))
				return -1;
			continue;
		}
		for (subclass_bit = 0x1000u; subclass_bit & SUBCLASS_BITS; subclass_bit <<= 1)
			if ((mask & subclass_bit) &&
			    add_events(selection, recorded, class_bit | subclass_bit,
				       class_bit | subclass_bit, error))
				return -1;
	}
	return 0;
}

/* Adds a number. 1: the word is not a number. */
static int add_number(struct xen_selection *selection, const char *word, bool recorded,
		      struct strata_error *error)
{
	unsigned long number, class_bits;
	char *end;

	errno = 0;
	number = strtoul(word, &end, 0);
	class_bits = number & CLASS_BITS;
	if (word[0] < '0' || word[0] > '9' || *end || errno || number > STRATA_HV_ID_TRACE)
		return 1;
	/* An event is of one class. */
	if ((number & NUMBER_BITS) && (!class_bits || (class_bits & (class_bits - 1))))
		return 1;
	if (number & NUMBER_BITS)
		return add_events(selection, recorded, (uint32_t)number, STRATA_HV_ID_TRACE, error);
	return add_mask(selection, (uint32_t)number, recorded, error);
}

/*
 * One of the events that have a name, by its place in the list of all; false
 * behind the last.  An id with rows for several sizes is one event.
 */
static bool event_at(size_t place, struct strata_event_desc *event)
{
	size_t row = place;

	if (place < RUNSTATE_CHANGES) {
		uint32_t before = (uint32_t)place / 3;
		uint32_t after = (uint32_t)place % 3 + ((uint32_t)place % 3 >= before);
		uint32_t id = RUNSTATE_CHANGE | before << 8 | after << 4;

		return strata_xen_event(id | 1u << STRATA_HV_ID_WORDS_SHIFT, event);
	}
	row -= RUNSTATE_CHANGES;
	if (row >= strata_xen_event_table_rows)
		return false;
	return strata_xen_event(strata_xen_event_table[row].id |
					strata_xen_event_table[row].words
						<< STRATA_HV_ID_WORDS_SHIFT,
				event);
}

void select_xen_event_name(uint32_t event, char name[STRATA_EVENT_NAME_BYTES])
{
	struct strata_event_desc desc;
	size_t i;

	for (i = 0; event_at(i, &desc); i++) {
		if ((desc.id & STRATA_HV_ID_OWN) || (desc.id & STRATA_HV_ID_TRACE) != event)
			continue;
		snprintf(name, STRATA_EVENT_NAME_BYTES, "%s", desc.name);
		return;
	}
	snprintf(name, STRATA_EVENT_NAME_BYTES, "0x%08x", event);
}

/* The ids of a name, as bits that all have, and a mask of the bits in which they are equal.
 * Returns how many ids there are. */
static unsigned int ids_of(const char *name, struct strata_aggregate_event *event)
{
	struct strata_event_desc desc;
	uint32_t last = 0;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; event_at(i, &desc); i++) {
		const uint32_t id = desc.id & STRATA_HV_ID_TRACE;

		if ((desc.id & STRATA_HV_ID_OWN) || strcmp(desc.name, name) || id == last)
			continue;
		event->mask = nr ? event->mask & ~(id ^ event->value) : STRATA_HV_ID_TRACE;
		event->value = id & event->mask;
		last = id;
		nr++;
	}
	return nr;
}

int select_xen_event(struct xen_selection *selection, const char *name,
		     struct strata_aggregate_event *event, struct strata_error *error)
{
	const unsigned int nr = ids_of(name, event);

	if (!nr)
		return strata_fail(
			error,
			"\"%s\" is no event of Xen; `strata list --events xen` shows their names",
			name);
	if (1u << __builtin_popcount(STRATA_HV_ID_TRACE & ~event->mask) != nr)
		return strata_fail(error, "\"%s\" is the name of %u events, which no mask selects",
				   name, nr);
	return add_events(selection, true, event->value, event->mask, error);
}

/* Adds the events that a pattern matches. 1: none. */
static int add_pattern(struct xen_selection *selection, const char *pattern, bool recorded,
		       struct strata_error *error)
{
	struct strata_event_desc event;
	uint32_t last = 0, id;
	size_t i;

	for (i = 0; event_at(i, &event); i++) {
		id = event.id & STRATA_HV_ID_TRACE;
		if (id == last || fnmatch(pattern, event.name, 0))
			continue;
		if (add_events(selection, recorded, id, STRATA_HV_ID_TRACE, error))
			return -1;
		last = id;
	}
	return last ? 0 : 1;
}

static int add_word(struct xen_selection *selection, const char *word, bool recorded,
		    struct strata_error *error)
{
	int result = add_class(selection, word, recorded, error);

	if (result > 0)
		result = add_number(selection, word, recorded, error);
	if (result > 0)
		result = add_pattern(selection, word, recorded, error);
	if (result > 0)
		return strata_fail(
			error,
			"--xen: \"%s\" is not a class and matches no event of Xen; `strata list --events` lists both",
			word);
	return result;
}

/* Cuts the next word off a list.  False: there are no more. */
static bool next_word(char **list, char **word)
{
	*word = *list;
	if (!*list)
		return false;
	*list = strchr(*list, ',');
	if (*list)
		*(*list)++ = '\0';
	return true;
}

static int add_words(struct xen_selection *selection, char *list, struct strata_error *error)
{
	bool any = false, first = true, runstates = true;
	char *word;

	while (next_word(&list, &word)) {
		bool recorded = *word != '!';

		word += !recorded;
		if (first && !recorded && add_word(selection, "all", true, error))
			return -1;
		any |= first && !recorded;
		first = false;
		if (!strcmp(word, "none"))
			continue;
		if (add_word(selection, word, recorded, error))
			return -1;
		any |= recorded && selection->nr;
		if (!recorded && !strncmp(word, "runstate", strlen("runstate")))
			runstates = false;
	}
	if (!any)
		select_xen_clear(selection);
	else if (runstates)
		return add_events(selection, true, RUNSTATE_CHANGE,
				  STRATA_HV_ID_TRACE & ~RUNSTATE_CHANGE_STATES, error);
	return 0;
}

int select_xen_events(struct xen_selection *selection, const char *events,
		      struct strata_error *error)
{
	char *copy = strdup(events);
	int result;

	select_xen_clear(selection);
	if (!copy)
		return strata_fail(error, "out of memory");
	result = add_words(selection, copy, error);
	if (result)
		select_xen_clear(selection);
	free(copy);
	return result;
}

/* Cuts /N or /N-M off a word.  False: malformed.  @last < @first: no such suffix. */
static bool cut_vcpus(char *word, unsigned long *first, unsigned long *last)
{
	char *slash = strrchr(word, '/'), *end;

	*first = 1;
	*last = 0;
	if (!slash)
		return true;
	if (slash[1] < '0' || slash[1] > '9')
		return false;
	*first = *last = strtoul(slash + 1, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*last = strtoul(end + 1, &end, 10);
	if (*end || *first > *last || *last >= VCPUS_END)
		return false;
	*slash = '\0';
	return true;
}

static int add_domain(struct xen_selection *selection, uint32_t domain, bool recorded,
		      unsigned long first, unsigned long last, struct strata_error *error)
{
	if (first <= last)
		return add_rule(selection, STRATA_HV_RULE_VCPUS, recorded,
				domain << 16 | (uint32_t)first, domain << 16 | (uint32_t)last,
				error);
	return add_rule(selection, STRATA_HV_RULE_DOMAINS, recorded, domain, domain, error);
}

static int add_domain_word(struct xen_selection *selection, char *word, bool recorded,
			   const struct xen_domain *domains, size_t nr, bool may_come,
			   struct strata_error *error)
{
	unsigned long first, last, number;
	char *end;
	bool found = (may_come && *word) || strpbrk(word, "*?[");
	size_t i;

	if (!cut_vcpus(word, &first, &last))
		return strata_fail(error, "--xen-domain: \"%s\" has no vCPU numbers after its /",
				   word);
	number = strtoul(word, &end, 10);
	if (!strcmp(word, "dom0"))
		return add_domain(selection, 0, recorded, first, last, error);
	if (!strcmp(word, "idle"))
		return add_domain(selection, DOMAIN_IDLE, recorded, first, last, error);
	if (word[0] >= '0' && word[0] <= '9' && !*end && number < DOMAINS_END)
		return add_domain(selection, (uint32_t)number, recorded, first, last, error);
	for (i = 0; i < nr; i++) {
		if (fnmatch(word, domains[i].name, 0))
			continue;
		found = true;
		if (add_domain(selection, domains[i].domain, recorded, first, last, error))
			return -1;
	}
	return found ? 0
		     : strata_fail(error,
				   "--xen-domain: no domain \"%s\" runs here; `strata list` shows "
				   "them, and --wait waits for it",
				   word);
}

int select_xen_domains(struct xen_selection *selection, const char *words,
		       const struct xen_domain *domains, size_t nr, bool may_come,
		       struct strata_error *error)
{
	char *copy = strdup(words), *list = copy, *word;
	int result = copy ? 0 : strata_fail(error, "out of memory");

	/* Names select only these domains; exclusions leave all others selected. */
	if (copy && *copy != '!')
		result = add_rule(selection, STRATA_HV_RULE_DOMAINS, false, 0, DOMAINS_END - 1,
				  error);
	while (!result && next_word(&list, &word)) {
		bool recorded = *word != '!';

		result = add_domain_word(selection, word + !recorded, recorded, domains, nr,
					 may_come, error);
	}
	free(copy);
	return result;
}

int select_xen_budget(struct xen_selection *selection, const char *argument,
		      struct strata_error *error)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(argument, &end, 10);
	if (!strcmp(argument, "none"))
		number = 0;
	else if (argument[0] < '1' || argument[0] > '9' || *end || errno || number > UINT32_MAX)
		return strata_fail(
			error,
			"--xen-budget: \"%s\" is not a number of events per second; use a number or none",
			argument);
	selection->budget_per_s = (uint32_t)number;
	return 0;
}

void select_xen_clear(struct xen_selection *selection)
{
	free(selection->rules);
	selection->rules = NULL;
	selection->nr = 0;
}

void select_xen_each_class(select_xen_visit_class *visit, void *data)
{
	size_t i;

	visit(data, "all", "everything but xen and guest");
	for (i = 0; i < NR_CLASSES; i++)
		visit(data, classes[i].name, classes[i].what);
	visit(data, "none", "nothing: leave the hypervisor out");
}

static const char *class_name(uint32_t id)
{
	size_t i;

	for (i = 0; i < NR_CLASSES; i++)
		if (id & classes[i].bit)
			return classes[i].name;
	return "";
}

static bool matches_any(const char *name, char *const *patterns, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return nr == 0;
}

size_t select_xen_each_event(char *const *patterns, size_t nr_patterns, select_xen_visit *visit,
			     void *data)
{
	struct strata_event_desc event;
	size_t i, nr = 0;

	for (i = 0; event_at(i, &event); i++) {
		if (!matches_any(event.name, patterns, nr_patterns))
			continue;
		visit(data, class_name(event.id), &event);
		nr++;
	}
	return nr;
}
