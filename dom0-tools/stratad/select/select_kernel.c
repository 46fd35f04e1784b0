// SPDX-License-Identifier: GPL-2.0-or-later
/* select_kernel.c - see select_kernel.h. */
#include "stratad/select/select_kernel.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "stratad/select/select_context.h"
#include "stratad/select/select_filter.h"

/* The names of both events of --function are NAME and one of these. */
static const char *const function_suffixes[] = { "_entry", "_exit" };

/* Bytes behind NAME for the longer one. */
#define FUNCTION_SUFFIX_BYTES (sizeof("_entry") - 1)

static bool is_of_program(enum select_kind kind)
{
	return kind == SELECT_UPROBE || kind == SELECT_URETPROBE;
}

bool select_is_probe(enum select_kind kind)
{
	return kind == SELECT_KPROBE || kind == SELECT_KRETPROBE || kind == SELECT_FUNCTION ||
	       kind == SELECT_TRACEPOINT || is_of_program(kind);
}

const char *select_option_name(enum select_kind kind)
{
	static const char *const names[NR_SELECT_KINDS] = {
		"--kernel",    "--kprobe",        "--kretprobe",      "--uprobe",
		"--uretprobe", "--function",      "--tracepoint",     "--tid",
		"--pid",       "--kernel-filter", "--kernel-context",
	};

	return names[kind];
}

static const char *expected(enum select_kind kind)
{
	static const char *const texts[] = { "DOMAIN:EVENTS",
					     "DOMAIN:[NAME=]SYMBOL[+OFFSET] [ARGUMENT]...",
					     "DOMAIN:[NAME=]SYMBOL [ARGUMENT]...",
					     "DOMAIN:[NAME=]PATH:SYMBOL[+OFFSET] [ARGUMENT]...",
					     "DOMAIN:[NAME=]PATH:SYMBOL [ARGUMENT]...",
					     "DOMAIN:[NAME=]PATTERN [ARGUMENT]...",
					     "DOMAIN:[NAME=]TRACEPOINT [ARGUMENT]...",
					     "DOMAIN:N,N,...",
					     "DOMAIN:N,N,...",
					     "DOMAIN:EVENTS:EXPRESSION",
					     "DOMAIN:NAME,NAME,..." };

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

static bool is_offset(const char *text, size_t length)
{
	char *end;

	errno = 0;
	strtoul(text, &end, 0);
	return isdigit((unsigned char)*text) && end == text + length && !errno;
}

static bool is_place(const char *text, size_t length, bool with_offset)
{
	const char *plus = memchr(text, '+', length);

	if (!plus)
		return is_symbol(text, length);
	return with_offset && is_symbol(text, (size_t)(plus - text)) &&
	       is_offset(plus + 1, length - (size_t)(plus + 1 - text));
}

/* "PATH:PLACE": the last colon is before the place.  A place that is an offset is a symbol to
 * is_place(). */
static bool is_place_of_program(const char *text, size_t length, bool with_offset)
{
	const char *colon = memrchr(text, ':', length);
	const char *c;

	if (*text != '/' || !colon)
		return false;
	for (c = text; c < colon; c++)
		if (!isgraph((unsigned char)*c))
			return false;
	return is_place(colon + 1, length - (size_t)(colon + 1 - text), with_offset);
}

/* Whether a text can match a kernel symbol, and is one word. */
static bool is_function_pattern(const char *text, size_t length)
{
	size_t i;

	if (length == 0 || length >= 256)
		return false;
	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_.*?[]!-", text[i]))
			return false;
	return true;
}

/* The module checks the notation; here, that it is one word. */
static bool is_argument(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_$%=+->.*():[]", text[i]))
			return false;
	return length > 0;
}

/* The length of "NAME=" in front of a place; 0: no name. */
static size_t name_length(const char *text)
{
	size_t length = strcspn(text, "= ");

	return text[length] == '=' ? length + 1 : 0;
}

/* @suffix: bytes that are appended to it */
static bool is_name(const char *text, size_t length, size_t suffix)
{
	size_t i;

	if (length == 0 || length + suffix >= STRATA_EVENT_NAME_BYTES ||
	    isdigit((unsigned char)*text))
		return false;
	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static bool is_probe(enum select_kind kind, const char *text)
{
	const bool with_offset = kind == SELECT_KPROBE || kind == SELECT_UPROBE;
	size_t length = name_length(text);

	if (length &&
	    !is_name(text, length - 1, kind == SELECT_FUNCTION ? FUNCTION_SUFFIX_BYTES : 0))
		return false;
	text += length;
	length = strcspn(text, " ");
	if (!(is_of_program(kind)       ? is_place_of_program(text, length, with_offset)
	      : kind == SELECT_FUNCTION ? is_function_pattern(text, length)
					: is_place(text, length, with_offset)))
		return false;
	while (text[length]) {
		text += length + 1;
		length = strcspn(text, " ");
		if (!is_argument(text, length))
			return false;
	}
	return true;
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
	case SELECT_CONTEXT:
		return *text;
	case SELECT_KPROBE:
	case SELECT_KRETPROBE:
	case SELECT_UPROBE:
	case SELECT_URETPROBE:
	case SELECT_FUNCTION:
	case SELECT_TRACEPOINT:
		return is_probe(kind, text);
	case SELECT_TID:
	case SELECT_PID:
		return is_number_list(text);
	case SELECT_FILTER:
		return select_filter_expression(text);
	case NR_SELECT_KINDS:
		break;
	}
	return false;
}

/* Where the first name of a counter begins: behind a colon or a comma; or the end. */
static const char *find_counter(const char *argument)
{
	const char *name = argument;

	/* A domain's name comes first. */
	do {
		name = *name ? strstr(name + 1, "perf:") : NULL;
	} while (name && name[-1] != ':' && name[-1] != ',');
	return name ? name : argument + strlen(argument);
}

/* The colon between domain and text: the last one, but for those of arguments, of paths and of
 * counters; before a filter, the last but one in front of its first text in quotes. */
static const char *find_colon(enum select_kind kind, const char *argument)
{
	const char *ends = is_of_program(kind) ? "/ " : select_is_probe(kind) ? " " : "";

	if (kind == SELECT_FILTER) {
		const char *second = memrchr(argument, ':', strcspn(argument, "\""));

		return second ? memrchr(argument, ':', (size_t)(second - argument)) : NULL;
	}
	if (kind == SELECT_CONTEXT)
		return memrchr(argument, ':', (size_t)(find_counter(argument) - argument));
	return memrchr(argument, ':', strcspn(argument, ends));
}

int select_parse_kernel(enum select_kind kind, const char *argument,
			struct kernel_selection *selection, struct strata_error *error)
{
	const char *colon = find_colon(kind, argument);
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
	if (kind == SELECT_CONTEXT)
		return select_context_check(selection, error);
	return kind == SELECT_FILTER ? select_filter_check(selection, error) : 0;
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

const char *select_probe_place(const struct kernel_selection *selection)
{
	return selection->text + name_length(selection->text);
}

/* Whether a pattern of a length is a whole name, or the beginning of names up to an underscore:
 * "vfs_read", "vfs_*".  OUT: the length of the name without the wildcard and the underscore. */
static bool is_plain_pattern(const char *pattern, size_t length, size_t *stem)
{
	size_t i;

	*stem = length;
	if (length > 2 && !strncmp(pattern + length - 2, "_*", 2))
		*stem = length - 2;
	for (i = 0; i < *stem; i++)
		if (!isalnum((unsigned char)pattern[i]) && pattern[i] != '_')
			return false;
	return true;
}

/* What tells events of a selection apart that do not differ in the text of their name: "" where
 * that suffices.  OUT: the name's length in the place @from. */
static const char *hashed_of(const struct kernel_selection *selection, const char *place,
			     const char *from, size_t *length)
{
	const size_t end = strcspn(place, " ");

	*length = end - (size_t)(from - place);
	if (is_of_program(selection->kind))
		return place;
	if (selection->kind == SELECT_FUNCTION && !is_plain_pattern(place, end, length))
		return place;
	return place + end;
}

static const char *name_prefix(enum select_kind kind)
{
	if (kind == SELECT_FUNCTION)
		return "call";
	if (kind == SELECT_TRACEPOINT)
		return "tracepoint";
	return kind == SELECT_KRETPROBE || kind == SELECT_URETPROBE ? "return" : "probe";
}

/* A place's probe and that of its return are cut alike. */
static size_t prefix_bytes(enum select_kind kind)
{
	return kind == SELECT_TRACEPOINT ? sizeof("tracepoint_") : sizeof("return_");
}

void select_probe_name(const struct kernel_selection *selection, char name[STRATA_EVENT_NAME_BYTES])
{
	const char *place = select_probe_place(selection), *from = place;
	const char *hashed;
	size_t length, end, cut = STRATA_EVENT_NAME_BYTES - prefix_bytes(selection->kind);

	if (place > selection->text) {
		snprintf(name, STRATA_EVENT_NAME_BYTES, "%.*s", (int)(place - selection->text) - 1,
			 selection->text);
		return;
	}
	/* Of a path the file's name. */
	if (is_of_program(selection->kind))
		from = (const char *)memrchr(place, '/', strcspn(place, " ")) + 1;
	hashed = hashed_of(selection, place, from, &length);
	if (*hashed)
		cut -= sizeof("_xxxx") - 1;
	if (selection->kind == SELECT_FUNCTION)
		cut -= FUNCTION_SUFFIX_BYTES;
	/* A long symbol is cut; the module refuses a second one with the same beginning. */
	snprintf(name, STRATA_EVENT_NAME_BYTES, "%s_%.*s", name_prefix(selection->kind),
		 (int)(length < cut ? length : cut), from);
	end = strlen(name);
	/* Events stay while the module is loaded: the same place with other arguments is another.
	 */
	if (*hashed)
		snprintf(name + end, STRATA_EVENT_NAME_BYTES - end, "_%04x",
			 (unsigned int)crc32(0, (const unsigned char *)hashed,
					     (uInt)strlen(hashed)) &
				 0xffffu);
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name))
			*name = '_';
	}
}

bool select_is_probe_event(const struct strata_event_desc *event)
{
	unsigned int kind;

	for (kind = 0; kind < NR_SELECT_KINDS; kind++)
		if (select_is_probe(kind) && !strcmp(event->group, select_option_name(kind) + 2))
			return true;
	return false;
}

void select_remove_probe_events(const struct strata_event_desc *table, size_t nr,
				struct event_set *events)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (select_is_probe_event(&table[i]))
			event_set_remove(events, i);
}

bool select_probe_makes(const struct kernel_selection *selection,
			const struct strata_event_desc *event)
{
	char name[STRATA_EVENT_NAME_BYTES];
	size_t length, i;

	if (strcmp(event->group, select_option_name(selection->kind) + 2))
		return false;
	select_probe_name(selection, name);
	if (selection->kind != SELECT_FUNCTION)
		return !strcmp(event->name, name);
	length = strlen(name);
	if (strncmp(event->name, name, length))
		return false;
	for (i = 0; i < sizeof(function_suffixes) / sizeof(function_suffixes[0]); i++)
		if (!strcmp(event->name + length, function_suffixes[i]))
			return true;
	return false;
}
