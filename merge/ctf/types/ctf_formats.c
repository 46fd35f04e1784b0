// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_formats.c - see ctf_formats.h. */
#include "ctf/types/ctf_formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <strata/event.h>

#include "base/partition.h"
#include "ctf/types/ctf_arena.h"

#define PREFIX "message_format_"

#define NAME_BYTES (sizeof(PREFIX) + 2 * sizeof("18446744073709551615"))

bool strata_ctf_is_format(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

size_t strata_ctf_nr_formats(const struct strata_ctf_stream_class *streams, size_t nr_streams)
{
	size_t i, j, nr = 0;

	for (i = 0; i < nr_streams; i++)
		for (j = 0; j < streams[i].nr_events; j++)
			nr += streams[i].events[j].format != NULL;
	return nr;
}

int strata_ctf_format_env(struct strata_ctf_env *env, struct strata_ctf_arena *arena,
			  uint64_t stream, uint64_t event, const char *format)
{
	char *name = strata_ctf_arena_get(arena, NAME_BYTES, 1);

	if (!name)
		return -1;
	snprintf(name, NAME_BYTES, PREFIX "%" PRIu64 "_%" PRIu64, stream, event);
	*env = (struct strata_ctf_env){ .name = name, .text = format };
	return 0;
}

/* Reads a decimal number, and moves behind it.  False: no digit, or more than 64 bits. */
static bool read_number(const char **text, uint64_t *number)
{
	const char *at = *text;

	*number = 0;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*number, 10u, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number))
			return false;
	if (at == *text)
		return false;
	*text = at;
	return true;
}

static bool read_name(const char *name, uint64_t *stream, uint64_t *event)
{
	if (!strata_ctf_is_format(name))
		return false;
	name += strlen(PREFIX);
	return read_number(&name, stream) && *name++ == '_' && read_number(&name, event) && !*name;
}

/* The class with those ids; NULL if no class has them. */
static const struct strata_ctf_event_class *
find_class(const struct strata_ctf_stream_class *streams, size_t nr_streams, uint64_t stream,
	   uint64_t event)
{
	const size_t at = STRATA_PARTITION(i, 0, nr_streams, streams[i].id < stream);
	const struct strata_ctf_stream_class *found = &streams[at];
	size_t of;

	if (at == nr_streams || found->id != stream)
		return NULL;
	of = STRATA_PARTITION(i, 0, found->nr_events, found->events[i].id < event);
	return of < found->nr_events && found->events[of].id == event ? &found->events[of] : NULL;
}

void strata_ctf_bind_formats(const struct strata_ctf_env *env, size_t nr_env,
			     const struct strata_ctf_stream_class *streams, size_t nr_streams,
			     struct strata_ctf_event_class *events)
{
	const struct strata_ctf_event_class *class;
	uint64_t stream, event;
	size_t i;

	for (i = 0; i < nr_env; i++) {
		if (!env[i].text || !read_name(env[i].name, &stream, &event))
			continue;
		/* Each event of the class is shown by it: the cost of one is bounded. */
		if (strnlen(env[i].text, STRATA_EVENT_FORMAT_BYTES) == STRATA_EVENT_FORMAT_BYTES)
			continue;
		class = find_class(streams, nr_streams, stream, event);
		if (class)
			events[class - events].format = env[i].text;
	}
}
