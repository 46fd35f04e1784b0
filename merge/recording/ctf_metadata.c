// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_metadata.c - the metadata of a recorded source, which makes the ring's own bytes a CTF 1.8
 * trace. The recorder calls it when a source's tables are known, and again when they have grown.
 *
 * The clock is the raw TSC of the source's own CPUs, with an offset that makes
 * host ticks absolute time. The times of a guest with a TSC offset are off by that offset here;
 * only a merge corrects them.
 */
#include "recording/ctf_metadata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "base/escape.h"
#include "files/out_file.h"
#include "ctf/types/ctf_arena.h"
#include "ctf/types/ctf_event_types.h"
#include "ctf/types/ctf_formats.h"
#include "ctf/write/ctf_write_metadata.h"
#include "recording/recorded_types.h"

#define ENV_OWN 9u /* entries besides the formats of events */

/* Seconds and cycles that, added to ticks, give time since 1970. */
static void clock_offset(const struct strata_recording *recording, struct strata_ctf_clock *clock)
{
	uint64_t frequency = (uint64_t)recording->tsc_khz * 1000;
	uint64_t since_second_ns = recording->anchor_realtime_ns % 1000000000;

	/* Whole seconds separately, so that no product exceeds 64 bits. */
	clock->frequency = frequency;
	clock->offset_seconds = (int64_t)(recording->anchor_realtime_ns / 1000000000) -
				(int64_t)(recording->anchor_ticks / frequency);
	clock->offset = since_second_ns * recording->tsc_khz / 1000000;
	/* Cycles must not be negative. */
	if (clock->offset < recording->anchor_ticks % frequency) {
		clock->offset += frequency;
		clock->offset_seconds--;
	}
	clock->offset -= recording->anchor_ticks % frequency;
}

/* The domain has the name that it has in Xen, an application its program's; the host name is the
 * source's, which is unique in the recording.  @domain is given as readers print it, also to a
 * terminal: it is escaped, and the writer escapes that once more. */
static size_t make_env(struct strata_ctf_env env[ENV_OWN], const struct strata_source *source,
		       const char *domain)
{
	size_t nr = 0;

	env[nr++] = (struct strata_ctf_env){ .name = "domain", .text = domain };
	env[nr++] = (struct strata_ctf_env){ .name = "hostname", .text = source->name };
	if (source->pid) {
		env[nr++] = (struct strata_ctf_env){ .name = "pid", .number = source->pid };
		env[nr++] = (struct strata_ctf_env){ .name = "uid", .number = source->uid };
	}
	env[nr++] = (struct strata_ctf_env){ .name = "domain_id", .number = source->domain };
	env[nr++] = (struct strata_ctf_env){ .name = "layer",
					     .text = strata_layer_name(source->layer) };
	env[nr++] = (struct strata_ctf_env){ .name = "tracer_name", .text = "strata" };
	env[nr++] =
		(struct strata_ctf_env){ .name = "tracer_major", .number = STRATA_VERSION_MAJOR };
	env[nr++] =
		(struct strata_ctf_env){ .name = "tracer_minor", .number = STRATA_VERSION_MINOR };
	return nr;
}

/* The id of an event class in the metadata. */
static uint64_t class_id(const struct strata_source *source, const struct strata_event_desc *desc)
{
	return source->by_number ? strata_source_shape(source, desc->id)->number : desc->id;
}

/* Makes the whole environment, in an arena.  0 or -1. */
static int make_whole_env(struct strata_ctf_metadata *metadata, const struct strata_source *source,
			  const char *domain, struct strata_error *error)
{
	struct strata_ctf_env *env =
		strata_ctf_arena_get(metadata->arena, ENV_OWN + source->nr_events, sizeof(*env));
	size_t i, nr;

	if (!env)
		return strata_fail(error, "out of memory");
	nr = make_env(env, source, domain);
	for (i = 0; i < source->nr_events; i++) {
		const struct strata_event_desc *desc = source->events[i];
		const char *format = strata_event_format(desc);

		if (format && strata_ctf_format_env(&env[nr++], metadata->arena, source->form,
						    class_id(source, desc), format))
			return strata_fail(error, "out of memory");
	}
	metadata->env = env;
	metadata->nr_env = nr;
	return 0;
}

static int print_events(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			const struct strata_ctf_stream_class *stream,
			const struct strata_source *source, struct strata_error *error)
{
	struct strata_ctf_event_types types;
	size_t i;

	for (i = 0; i < source->nr_events; i++) {
		const struct strata_event_desc *desc = source->events[i];
		const struct strata_ctf_event_class event = {
			.id = class_id(source, desc),
			.name = desc->name,
			/* Without a level: -1, which is not written. */
			.loglevel = (int64_t)desc->level - 1,
			.payload = &types.structure,
		};

		/* Padding after a record needs no declaration: the header of the next is
		 * aligned. */
		strata_ctf_event_types(&types, desc);
		if (strata_ctf_write_event(out, metadata, stream, &event, error))
			return -1;
	}
	return 0;
}

/* @arena: for the environment */
static int print_in(struct strata_out_file *out, const struct strata_recording *recording,
		    const struct strata_source *source, struct strata_ctf_arena *arena,
		    struct strata_error *error)
{
	char name[STRATA_ESCAPED_BYTES(sizeof(source->domain_name)) + 1];
	struct strata_ctf_clock clock = {
		.name = "ticks",
		.description = "raw time stamp counter",
		.precision = 1,
	};
	struct strata_ctf_metadata metadata = {
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.clocks = &clock,
		.nr_clocks = 1,
		.arena = arena,
	};
	struct strata_event_desc described;
	struct strata_ctf_event_types context;
	struct strata_recorded_types types;
	struct strata_ctf_stream_class stream = { .id = source->form };

	memcpy(metadata.uuid, source->uuid, sizeof(metadata.uuid));
	memcpy(clock.uuid, source->uuid, sizeof(clock.uuid));
	clock_offset(recording, &clock);
	strata_escape_name(name, sizeof(name), source->domain_name);
	if (make_whole_env(&metadata, source, name, error))
		return -1;
	strata_recorded_types(&types, source->form, source->pid != 0);
	strata_source_context(source, &described);
	strata_ctf_event_types(&context, &described);
	stream.packet_context = &types.packet_context;
	stream.event_header = &types.event_header;
	stream.event_context = &context.structure;
	strata_ctf_write_head(out, &metadata);
	if (strata_ctf_write_stream(out, &metadata, &stream, error))
		return -1;
	return print_events(out, &metadata, &stream, source, error);
}

static int print(struct strata_out_file *out, const struct strata_recording *recording,
		 const struct strata_source *source, struct strata_error *error)
{
	struct strata_ctf_arena *arena = strata_ctf_arena_new(SIZE_MAX);
	int result;

	if (!arena)
		return strata_fail(error, "out of memory");
	result = print_in(out, recording, source, arena, error);
	strata_ctf_arena_free(arena);
	return result;
}

/* Hidden: a reader would take any other file there for a stream. */
#define TEMPORARY ".metadata"

int strata_ctf_metadata_save(const struct strata_recording *recording,
			     const struct strata_source *source, const struct strata_dir *dir,
			     struct strata_error *error)
{
	struct strata_out_file *out;
	struct strata_dir folder;
	int status = -1;

	if (strata_dir_sub(&folder, dir, source->name, 0750, error))
		return -1;
	out = strata_out_create(&folder, TEMPORARY, error);
	if (out) {
		struct strata_error cause;
		const int printed = print(out, recording, source, &cause);

		status = strata_out_close(out, error);
		if (!status && printed)
			status = strata_fail(error, "%s/metadata: %s", folder.path, cause.text);
	}
	if (!status && renameat(folder.fd, TEMPORARY, folder.fd, "metadata"))
		status = strata_fail(error, "%s/metadata: cannot be replaced: %s", folder.path,
				     strerror(errno));
	if (status)
		strata_dir_remove(&folder, TEMPORARY);
	strata_dir_close(&folder);
	return status;
}
