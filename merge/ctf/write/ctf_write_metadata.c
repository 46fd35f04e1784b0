// SPDX-License-Identifier: GPL-2.0-or-later
/* ctf_write_metadata.c - see ctf_write_metadata.h. */
#include "ctf/write/ctf_write_metadata.h"

#include "base/escape.h"
#include "ctf/write/tsdl.h"

static void write_trace(struct strata_out_file *out, const struct strata_ctf_metadata *metadata)
{
	char uuid[STRATA_UUID_TEXT_BYTES];

	strata_uuid_text(uuid, metadata->uuid);
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
			 uuid, metadata->big_endian ? "be" : "le");
}

static void write_env(struct strata_out_file *out, const struct strata_ctf_env *env)
{
	strata_out_print(out, "\t%s = ", env->name);
	if (env->text)
		strata_tsdl_string(out, env->text);
	else
		strata_out_print(out, "%lld", (long long)env->number);
	strata_out_text(out, ";\n");
}

static void write_clock(struct strata_out_file *out, const struct strata_ctf_clock *clock)
{
	char uuid[STRATA_UUID_TEXT_BYTES];

	strata_uuid_text(uuid, clock->uuid);
	strata_out_print(out,
			 "clock {\n\tname = %s;\n\tuuid = \"%s\";\n\tdescription = ", clock->name,
			 uuid);
	strata_tsdl_string(out, clock->description);
	strata_out_print(out,
			 ";\n"
			 "\tfreq = %llu;\n"
			 "\tprecision = %llu;\n"
			 "\toffset_s = %lld;\n"
			 "\toffset = %llu;\n"
			 "\tabsolute = TRUE;\n"
			 "};\n\n",
			 (unsigned long long)clock->frequency, (unsigned long long)clock->precision,
			 (long long)clock->offset_seconds, (unsigned long long)clock->offset);
}

void strata_ctf_write_head(struct strata_out_file *out, const struct strata_ctf_metadata *metadata)
{
	size_t i;

	write_trace(out, metadata);
	strata_out_print(out, "env {\n");
	for (i = 0; i < metadata->nr_env; i++)
		write_env(out, &metadata->env[i]);
	strata_out_text(out, "};\n\n");
	for (i = 0; i < metadata->nr_clocks; i++)
		write_clock(out, &metadata->clocks[i]);
}

static int write_scope(struct strata_out_file *out, const struct strata_ctf_scopes *scopes,
		       enum strata_ctf_scope scope, const char *name, struct strata_error *error)
{
	if (!scopes->types[scope])
		return 0;
	strata_out_text(out, "\t");
	strata_out_text(out, name);
	strata_out_text(out, " := ");
	if (strata_ctf_write_tsdl(out, scopes, scope, 1, error))
		return -1;
	strata_out_text(out, ";\n");
	return 0;
}

static void set_scopes(struct strata_ctf_scopes *scopes, const struct strata_ctf_metadata *metadata,
		       const struct strata_ctf_stream_class *stream)
{
	*scopes = (struct strata_ctf_scopes){ .big_endian = metadata->big_endian };
	scopes->types[STRATA_CTF_PACKET_CONTEXT] = stream->packet_context;
	scopes->types[STRATA_CTF_EVENT_HEADER] = stream->event_header;
	scopes->types[STRATA_CTF_STREAM_EVENT_CONTEXT] = stream->event_context;
}

int strata_ctf_write_stream(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			    const struct strata_ctf_stream_class *stream,
			    struct strata_error *error)
{
	const char *clock = metadata->nr_clocks ? metadata->clocks[0].name : NULL;
	struct strata_ctf_scopes scopes;

	set_scopes(&scopes, metadata, stream);
	scopes.clocks = clock ? &clock : NULL;
	strata_out_print(out, "stream {\n\tid = %llu;\n", (unsigned long long)stream->id);
	if (write_scope(out, &scopes, STRATA_CTF_PACKET_CONTEXT, "packet.context", error) ||
	    write_scope(out, &scopes, STRATA_CTF_EVENT_HEADER, "event.header", error))
		return -1;
	/* Fields of events may be times of a clock that the trace no longer has. */
	scopes.clocks = NULL;
	if (write_scope(out, &scopes, STRATA_CTF_STREAM_EVENT_CONTEXT, "event.context", error))
		return -1;
	strata_out_text(out, "};\n\n");
	return 0;
}

int strata_ctf_write_event(struct strata_out_file *out, const struct strata_ctf_metadata *metadata,
			   const struct strata_ctf_stream_class *stream,
			   const struct strata_ctf_event_class *event, struct strata_error *error)
{
	struct strata_ctf_scopes scopes;

	set_scopes(&scopes, metadata, stream);
	scopes.types[STRATA_CTF_EVENT_CONTEXT] = event->context;
	scopes.types[STRATA_CTF_PAYLOAD] = event->payload;
	strata_out_text(out, "event {\n\tname = ");
	strata_tsdl_string(out, event->name);
	strata_out_print(out, ";\n\tid = %llu;\n\tstream_id = %llu;\n",
			 (unsigned long long)event->id, (unsigned long long)stream->id);
	if (event->loglevel >= 0)
		strata_out_print(out, "\tloglevel = %lld;\n", (long long)event->loglevel);
	if (write_scope(out, &scopes, STRATA_CTF_EVENT_CONTEXT, "context", error) ||
	    write_scope(out, &scopes, STRATA_CTF_PAYLOAD, "fields", error))
		return strata_fail_in(error, "event %.200s", event->name);
	strata_out_text(out, "};\n\n");
	return 0;
}
