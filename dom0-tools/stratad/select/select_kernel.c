// SPDX-License-Identifier: GPL-2.0-or-later
/* select_kernel.c - see select_kernel.h. */
#include "stratad/select/select_kernel.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const char *select_option_name(enum select_kind kind)
{
	static const char *const names[] = { "--kernel", "--kprobe", "--kretprobe", "--tid",
					     "--pid" };

	return names[kind];
}

static const char *expected(enum select_kind kind)
{
	static const char *const texts[] = { "DOMAIN:EVENTS", "DOMAIN:SYMBOL[+OFFSET]",
					     "DOMAIN:SYMBOL", "DOMAIN:N,N,...", "DOMAIN:N,N,..." };

	return texts[kind];
}

/* Whether a text is a valid kernel symbol, without spaces, which would separate words. */
static bool is_symbol(const char *text, size_t length)
{
	size_t i;

	if (length == 0 || length >= 256)
		return false;
	for (i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '.')
			return false;
	}
	return true;
}

static bool is_place(const char *text)
{
	size_t length = strcspn(text, "+");
	char *end;

	if (!is_symbol(text, length))
		return false;
	if (!text[length])
		return true;
	errno = 0;
	strtoul(text + length + 1, &end, 0);
	return isdigit((unsigned char)text[length + 1]) && !*end && !errno;
}

static bool is_number_list(const char *text)
{
	unsigned int nr = 0;
	char *end;

	do {
		errno = 0;
		if (!isdigit((unsigned char)*text) || strtoul(text, &end, 10) > INT32_MAX ||
		    errno || ++nr > STRATA_GUEST_FILTER_MAX)
			return false;
		text = end + 1;
	} while (*end == ',');
	return !*end;
}

static bool is_text_of(enum select_kind kind, const char *text)
{
	switch (kind) {
	case SELECT_EVENTS:
		return *text;
	case SELECT_KPROBE:
		return is_place(text);
	case SELECT_KRETPROBE:
		return is_symbol(text, strlen(text));
	case SELECT_TID:
	case SELECT_PID:
		return is_number_list(text);
	}
	return false;
}

int select_parse_kernel(enum select_kind kind, const char *argument,
			struct kernel_selection *selection, struct strata_error *error)
{
	const char *colon = strrchr(argument, ':');
	size_t length = colon ? (size_t)(colon - argument) : strlen(argument);

	selection->kind = kind;
	selection->found = false;
	selection->text = colon ? colon + 1 : "default";
	if (length == 0 || length >= sizeof(selection->domain) ||
	    (!colon && kind != SELECT_EVENTS) || !is_text_of(kind, selection->text))
		return strata_fail(error, "%s: \"%s\" is not %s", select_option_name(kind),
				   argument, expected(kind));
	memcpy(selection->domain, argument, length);
	selection->domain[length] = '\0';
	return 0;
}

bool select_matches_domain(const struct kernel_selection *selection, uint32_t domain,
			   const char *name)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", domain);
	return !strcmp(selection->domain, number) || !fnmatch(selection->domain, name, 0) ||
	       (domain == 0 && !strcmp(selection->domain, "dom0"));
}

bool select_matches_event(const char *pattern, const struct strata_event_desc *event)
{
	char path[STRATA_EVENT_GROUP_BYTES + 1 + STRATA_EVENT_NAME_BYTES];

	if (!strcmp(pattern, "all"))
		return true;
	if (!strchr(pattern, '/'))
		return !fnmatch(pattern, event->name, 0);
	snprintf(path, sizeof(path), "%s/%s", event->group, event->name);
	return !fnmatch(pattern, path, 0);
}

static bool add_pattern(const char *pattern, const struct strata_event_desc *events, size_t nr,
			struct event_set *set)
{
	bool any = false;
	size_t i;

	for (i = 0; i < nr && i < STRATA_GUEST_EVENTS_MAX; i++) {
		if (!select_matches_event(pattern, &events[i]))
			continue;
		event_set_add(set, i);
		any = true;
	}
	return any;
}

/* Adds this kernel's events of the default set. */
static bool add_default(const struct strata_event_desc *events, size_t nr, struct event_set *set)
{
	char names[] = SELECT_DEFAULT_EVENTS;
	char *rest = names;
	char *name;
	bool any = false;

	while ((name = strsep(&rest, ",")))
		any |= add_pattern(name, events, nr, set);
	return any;
}

static int add_word(const char *word, size_t length, const struct strata_event_desc *events,
		    size_t nr, struct event_set *set, struct strata_error *error)
{
	char copy[STRATA_EVENT_GROUP_BYTES + STRATA_EVENT_NAME_BYTES];

	if (length >= sizeof(copy))
		return strata_fail(error, "--kernel: the pattern \"%.*s\" is too long", (int)length,
				   word);
	memcpy(copy, word, length);
	copy[length] = '\0';
	if (!strcmp(copy, "none") ||
	    (!strcmp(copy, "default") ? add_default(events, nr, set)
				      : add_pattern(copy, events, nr, set)))
		return 0;
	return strata_fail(error,
			   "\"%s\" names no event of this kernel; `strata list --events` lists "
			   "them",
			   copy);
}

int select_kernel_events(const char *patterns, const struct strata_event_desc *events, size_t nr,
			 struct event_set *set, struct strata_error *error)
{
	memset(set, 0, sizeof(*set));
	while (true) {
		size_t length = strcspn(patterns, ",");

		if (add_word(patterns, length, events, nr, set, error))
			return -1;
		if (!patterns[length])
			return 0;
		patterns += length + 1;
	}
}

void select_probe_name(const struct kernel_selection *selection, char name[STRATA_EVENT_NAME_BYTES])
{
	char *at;

	/* A long symbol is cut; the module refuses a second one with the same beginning. */
	snprintf(name, STRATA_EVENT_NAME_BYTES, "%s_%.56s",
		 selection->kind == SELECT_KRETPROBE ? "return" : "probe", selection->text);
	for (at = name; *at; at++) {
		if (!isalnum((unsigned char)*at))
			*at = '_';
	}
}
