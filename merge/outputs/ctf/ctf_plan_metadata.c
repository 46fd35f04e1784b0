// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_plan_metadata.c - writes a plan (ctf_plan.h) as metadata. */
#include <string.h>

#include "ctf/types/ctf_arena.h"
#include "ctf/types/ctf_formats.h"
#include "ctf/write/ctf_write_metadata.h"
#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_plan.h"
#include "outputs/output_directory.h"

/* babeltrace2 knows tracers by name and corrects known bugs in their packets. No tracer wrote these
 * packets, so the original tracer's name is stored under another key. */
#define STRATA          "strata"
#define TRACER          "tracer_name"
#define ORIGINAL_TRACER "original_tracer_name"

#define ENV_MORE 8u /* entries in addition to the trace's own */

/* Whether a merge writes this entry itself, and so replaces that of an earlier merge. */
static bool is_of_merge(const char *name)
{
	static const char *const names[] = { STRATA_CTF_TIMELINE, STRATA_CTF_MERGE,
					     STRATA_CTF_SOURCE,   STRATA_CTF_PLACE,
					     STRATA_CTF_MACHINE,  STRATA_CTF_CLOCK };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void add_env(struct strata_ctf_metadata *made, const char *name, const char *text,
		    size_t number)
{
	struct strata_ctf_env *env = (struct strata_ctf_env *)made->env;

	env[made->nr_env++] = (struct strata_ctf_env){ name, text, (int64_t)number };
}

static void add_old_env(struct strata_ctf_metadata *made, const struct strata_ctf_trace *trace)
{
	const char *original = strata_ctf_env_text(trace, ORIGINAL_TRACER);
	size_t i;

	for (i = 0; i < trace->metadata.nr_env; i++) {
		const struct strata_ctf_env *env = &trace->metadata.env[i];
		const bool is_tracer = strcmp(env->name, TRACER) == 0;

		/* In CTF 2, a name is any string. */
		if (!strata_ctf_flat_is_name(env->name) || is_of_merge(env->name) ||
		    strata_ctf_is_format(env->name))
			continue;
		if (!is_tracer)
			add_env(made, env->name, env->text, (size_t)env->number);
		else if (env->text && !original && strcmp(env->text, STRATA) != 0)
			add_env(made, ORIGINAL_TRACER, env->text, 0);
	}
}

/* A merge numbers the classes anew, so their formats have new names, too. */
static int add_formats(struct strata_ctf_metadata *made, const struct strata_ctf_metadata *from)
{
	struct strata_ctf_env *env = (struct strata_ctf_env *)made->env;
	size_t i, j;

	for (i = 0; i < from->nr_streams; i++) {
		const struct strata_ctf_stream_class *stream = &from->streams[i];

		for (j = 0; j < stream->nr_events; j++)
			if (stream->events[j].format &&
			    strata_ctf_format_env(&env[made->nr_env++], made->arena, stream->id, j,
						  stream->events[j].format))
				return -1;
	}
	return 0;
}

static int make_env(struct strata_ctf_metadata *made, const struct strata_ctf_plan *plan)
{
	const struct strata_ctf_metadata *from = &plan->trace->metadata;
	const size_t nr_formats = strata_ctf_nr_formats(from->streams, from->nr_streams);

	made->env = strata_ctf_arena_get(made->arena, from->nr_env + ENV_MORE + nr_formats,
					 sizeof(*made->env));
	if (!made->env)
		return -1;
	add_env(made, TRACER, STRATA, 0);
	add_old_env(made, plan->trace);
	if (plan->is_on_timeline)
		add_env(made, STRATA_CTF_TIMELINE, plan->merge, 0);
	add_env(made, STRATA_CTF_MERGE, plan->merge, 0);
	add_env(made, STRATA_CTF_SOURCE, plan->source, 0);
	add_env(made, STRATA_CTF_PLACE, NULL, plan->place);
	add_env(made, STRATA_CTF_MACHINE, NULL, plan->machine);
	add_env(made, STRATA_CTF_CLOCK, NULL, plan->clock);
	return add_formats(made, from);
}

/* Replaces an event scope by the type with which it is re-encoded. Returns 0 or -1. */
static int flatten(const struct strata_ctf_type **type, const struct strata_ctf_metadata *made,
		   struct strata_error *error)
{
	if (!*type)
		return 0;
	*type = strata_ctf_flat_type(made->arena, *type, made->big_endian);
	return *type ? 0 : strata_fail(error, "out of memory for the types of its events");
}

static int put_stream(struct strata_out_file *out, const struct strata_ctf_metadata *made,
		      const struct strata_ctf_plan_kind *kind, struct strata_error *error)
{
	struct strata_ctf_stream_class stream = *kind->kind->class;
	size_t i;

	stream.packet_context = kind->context;
	stream.event_header = kind->header;
	if ((kind->is_flat && flatten(&stream.event_context, made, error)) ||
	    strata_ctf_write_stream(out, made, &stream, error))
		return -1;
	for (i = 0; i < stream.nr_events; i++) {
		struct strata_ctf_event_class event = stream.events[i];

		event.id = i;
		if (kind->is_flat &&
		    (flatten(&event.context, made, error) || flatten(&event.payload, made, error)))
			return -1;
		if (strata_ctf_write_event(out, made, &stream, &event, error))
			return -1;
	}
	return 0;
}

int strata_ctf_plan_metadata(const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			     struct strata_error *error)
{
	struct strata_ctf_clock clock = {
		.name = "timeline",
		.description = "nanoseconds, of one clock for all traces of a merge",
		.frequency = 1000000000,
		.precision = plan->precision_ns,
	};
	struct strata_ctf_metadata made = { .big_endian = plan->trace->metadata.big_endian,
					    .clocks = &clock,
					    .nr_clocks = 1,
					    .arena = plan->arena };
	struct strata_out_file *out;
	struct strata_error ignored;
	size_t i;

	memcpy(made.uuid, plan->uuid, sizeof(made.uuid));
	memcpy(clock.uuid, plan->clock_uuid, sizeof(clock.uuid));
	if (make_env(&made, plan))
		return strata_fail(error, "%s: out of memory", plan->trace->path);
	out = dir ? strata_out_create(dir, "metadata", error)
		  : strata_out_open("/dev/null", false, error);
	if (!out)
		return -1;
	strata_ctf_write_head(out, &made);
	for (i = 0; i < plan->trace->metadata.nr_streams; i++) {
		if (!put_stream(out, &made, &plan->kinds[i], error))
			continue;
		strata_out_close(out, &ignored);
		return strata_fail_in(error, "%s", plan->trace->path);
	}
	strata_out_print(out, "/* " STRATA_OUTPUT_MARK " */\n");
	return strata_out_close(out, error);
}
