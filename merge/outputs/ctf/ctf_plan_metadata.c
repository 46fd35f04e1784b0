// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_plan_metadata.c - a plan (ctf_plan.h) as metadata: TSDL text. */
#include <string.h>

#include "base/escape.h"
#include "outputs/ctf/ctf_flat.h"
#include "outputs/ctf/ctf_plan.h"
#include "outputs/output_directory.h"
#include "ctf/write/tsdl.h"

#define CLOCK "timeline"

/* babeltrace2 knows tracers by this name, and mends what it holds for their mistakes: but no
 * tracer has written these packets.  Who wrote the events is said by another name. */
#define STRATA          "strata"
#define TRACER          "tracer_name"
#define ORIGINAL_TRACER "original_tracer_name"

static void put_trace(struct strata_out_file *out, const struct strata_ctf_plan *plan)
{
	const char *order = plan->trace->metadata.big_endian ? "be" : "le";
	char uuid[STRATA_UUID_TEXT_BYTES];

	strata_uuid_text(uuid, plan->uuid);
	strata_out_print(out,
			 "/* CTF 1.8 */\n\n"
			 "trace {\n"
			 "\tmajor = 1;\n"
			 "\tminor = 8;\n"
			 "\tuuid = \"%s\";\n"
			 "\tbyte_order = %s;\n"
			 "\tpacket.header := struct {\n"
			 "\t\tinteger { size = 32; align = 8; signed = false; } magic;\n"
			 "\t\tinteger { size = 8; align = 8; signed = false; } uuid[16];\n"
			 "\t\tinteger { size = 32; align = 8; signed = false; } stream_id;\n"
			 "\t};\n"
			 "};\n\n",
			 uuid, order);
}

static void put_text(struct strata_out_file *out, const char *name, const char *text)
{
	strata_out_print(out, "\t%s = ", name);
	strata_tsdl_string(out, text);
	strata_out_print(out, ";\n");
}

/* What a merge says of each trace, and says anew where it was merged before. */
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

static void put_env(struct strata_out_file *out, const struct strata_ctf_plan *plan)
{
	const struct strata_ctf_metadata *metadata = &plan->trace->metadata;
	const char *original = strata_ctf_env_text(plan->trace, ORIGINAL_TRACER);
	size_t i;

	strata_out_print(out, "env {\n");
	put_text(out, TRACER, STRATA);
	for (i = 0; i < metadata->nr_env; i++) {
		const struct strata_ctf_env *env = &metadata->env[i];

		/* CTF 2 may have any name. */
		if (!strata_ctf_flat_is_name(env->name) || is_of_merge(env->name))
			continue;
		if (strcmp(env->name, TRACER) == 0) {
			if (env->text && !original && strcmp(env->text, STRATA) != 0)
				put_text(out, ORIGINAL_TRACER, env->text);
		} else if (env->text) {
			put_text(out, env->name, env->text);
		} else {
			strata_out_print(out, "\t%s = %lld;\n", env->name, (long long)env->number);
		}
	}
	if (plan->is_on_timeline)
		put_text(out, STRATA_CTF_TIMELINE, plan->merge);
	put_text(out, STRATA_CTF_MERGE, plan->merge);
	put_text(out, STRATA_CTF_SOURCE, plan->source);
	strata_out_print(out, "\t%s = %zu;\n\t%s = %zu;\n\t%s = %zu;\n};\n\n", STRATA_CTF_PLACE,
			 plan->place, STRATA_CTF_MACHINE, plan->machine, STRATA_CTF_CLOCK,
			 plan->clock);
}

static void put_clock(struct strata_out_file *out, const struct strata_ctf_plan *plan)
{
	char uuid[STRATA_UUID_TEXT_BYTES];

	strata_uuid_text(uuid, plan->clock_uuid);
	strata_out_print(
		out,
		"clock {\n"
		"\tname = " CLOCK ";\n"
		"\tuuid = \"%s\";\n"
		"\tdescription = \"nanoseconds, of one clock for all traces of a merge\";\n"
		"\tfreq = 1000000000;\n"
		"\tprecision = %llu;\n"
		"\toffset_s = 0;\n"
		"\toffset = 0;\n"
		"\tabsolute = TRUE;\n"
		"};\n\n",
		uuid, (unsigned long long)plan->precision_ns);
}

/* @flat: the kind whose events are made anew; NULL: they are as they were */
static int put_scope(struct strata_out_file *out, const struct strata_ctf_scopes *scopes,
		     enum strata_ctf_scope scope, const struct strata_ctf_plan_kind *flat,
		     const char *name, struct strata_error *error)
{
	if (!scopes->types[scope])
		return 0;
	strata_out_print(out, "\t%s := ", name);
	if (flat)
		strata_ctf_flat_write(out, scopes->types[scope], flat->big_endian, 1);
	else if (strata_ctf_write_tsdl(out, scopes, scope, 1, error))
		return -1;
	strata_out_print(out, ";\n");
	return 0;
}

/* The id and the time, as members of a structure. */
static void put_id_and_time(struct strata_out_file *out, const struct strata_ctf_plan_kind *kind,
			    unsigned int align)
{
	strata_out_print(out, "integer { size = 32; align = %u; signed = false; } id; ", align);
	if (kind->kind->has_time)
		strata_out_print(out,
				 "integer { size = 64; align = %u; signed = false; "
				 "map = clock." CLOCK ".value; } timestamp; ",
				 align);
}

static void put_filled_header(struct strata_out_file *out, const struct strata_ctf_plan_kind *kind)
{
	unsigned int bits;

	strata_out_print(out, "\t\tenum : integer { size = 8; align = 8; signed = false; } {");
	for (bits = 1; bits <= kind->modulus; bits++)
		strata_out_print(out, " bits%u = %u,", bits, bits);
	strata_out_print(out, " } id;\n\t\tvariant <id> {\n");
	for (bits = 1; bits <= kind->modulus; bits++) {
		strata_out_print(out,
				 "\t\t\tstruct { struct { integer { size = %u; align = 1; "
				 "signed = false; } id; } filler; ",
				 bits);
		put_id_and_time(out, kind, 1);
		strata_out_print(out, "} bits%u;\n", bits);
	}
	strata_out_print(out, "\t\t} v;\n");
}

static int put_header(struct strata_out_file *out, const struct strata_ctf_plan_kind *kind,
		      const struct strata_ctf_scopes *scopes, struct strata_error *error)
{
	strata_out_print(out, "\tevent.header := struct {\n");
	if (kind->header &&
	    strata_ctf_write_tsdl_fields(out, scopes, STRATA_CTF_EVENT_HEADER, 2, error))
		return -1;
	if (kind->kind->has_time)
		strata_out_print(out,
				 "\t\tstruct { integer { size = %u; align = 8; signed = false; } "
				 "id; } %s;\n"
				 "\t\tstruct { integer { size = 8; align = 8; signed = false; } "
				 "id; } strata_tick;\n"
				 "\t\tstruct { integer { size = 8; align = 8; signed = false; } "
				 "id; } strata_doubtful;\n"
				 "\t\tstruct { integer { size = %u; align = 8; signed = false; } "
				 "id; } strata_pcpu;\n",
				 STRATA_CTF_BOUND_BITS, STRATA_CTF_BOUND_NAME,
				 STRATA_CTF_PCPU_BITS);
	if (kind->modulus) {
		put_filled_header(out, kind);
	} else {
		strata_out_print(out, "\t\t");
		put_id_and_time(out, kind, 8);
		strata_out_print(out, "\n");
	}
	strata_out_print(out, "\t};\n");
	return 0;
}

static int put_event(struct strata_out_file *out, struct strata_ctf_scopes *scopes,
		     const struct strata_ctf_plan_kind *flat,
		     const struct strata_ctf_stream_class *stream, size_t at,
		     struct strata_error *error)
{
	const struct strata_ctf_event_class *event = &stream->events[at];

	strata_out_print(out, "event {\n\tname = ");
	strata_tsdl_string(out, event->name);
	strata_out_print(out, ";\n\tid = %zu;\n\tstream_id = %llu;\n", at,
			 (unsigned long long)stream->id);
	if (event->loglevel >= 0)
		strata_out_print(out, "\tloglevel = %lld;\n", (long long)event->loglevel);
	scopes->types[STRATA_CTF_EVENT_CONTEXT] = event->context;
	scopes->types[STRATA_CTF_PAYLOAD] = event->payload;
	if (put_scope(out, scopes, STRATA_CTF_EVENT_CONTEXT, flat, "context", error) ||
	    put_scope(out, scopes, STRATA_CTF_PAYLOAD, flat, "fields", error))
		return strata_fail_in(error, "event %.200s", event->name);
	strata_out_print(out, "};\n\n");
	return 0;
}

static int put_stream(struct strata_out_file *out, const struct strata_ctf_plan_kind *kind,
		      struct strata_error *error)
{
	/* Fields of events that map to an old clock are numbers now. */
	static const char *const clocks[] = { CLOCK };
	const struct strata_ctf_stream_class *stream = kind->kind->class;
	const struct strata_ctf_plan_kind *flat = kind->is_flat ? kind : NULL;
	struct strata_ctf_scopes scopes = { .clocks = clocks };
	size_t i;

	strata_out_print(out, "stream {\n\tid = %llu;\n", (unsigned long long)stream->id);
	scopes.types[STRATA_CTF_PACKET_CONTEXT] = kind->context;
	if (put_scope(out, &scopes, STRATA_CTF_PACKET_CONTEXT, NULL, "packet.context", error))
		return -1;
	scopes.clocks = NULL;
	scopes.types[STRATA_CTF_EVENT_HEADER] = kind->header;
	if (put_header(out, kind, &scopes, error))
		return -1;
	scopes.types[STRATA_CTF_STREAM_EVENT_CONTEXT] = stream->event_context;
	if (put_scope(out, &scopes, STRATA_CTF_STREAM_EVENT_CONTEXT, flat, "event.context", error))
		return -1;
	strata_out_print(out, "};\n\n");
	for (i = 0; i < stream->nr_events; i++) {
		if (put_event(out, &scopes, flat, stream, i, error))
			return -1;
	}
	return 0;
}

int strata_ctf_plan_metadata(const struct strata_ctf_plan *plan, const struct strata_dir *dir,
			     struct strata_error *error)
{
	struct strata_out_file *out = dir ? strata_out_create(dir, "metadata", error)
					  : strata_out_open("/dev/null", false, error);
	struct strata_error ignored;
	size_t i;

	if (!out)
		return -1;
	put_trace(out, plan);
	put_env(out, plan);
	put_clock(out, plan);
	for (i = 0; i < plan->trace->metadata.nr_streams; i++) {
		if (!put_stream(out, &plan->kinds[i], error))
			continue;
		strata_out_close(out, &ignored);
		return strata_fail_in(error, "%s", plan->trace->path);
	}
	strata_out_print(out, "/* " STRATA_OUTPUT_MARK " */\n");
	return strata_out_close(out, error);
}
