// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_metadata.c - writes the metadata of a recorded source, which declares the ring's own bytes as
 * a CTF 1.8 trace. The recorder calls it when a source's tables are known, and again when they have
 * grown.
 *
 * The clock is the raw TSC of the source's own CPUs, with an offset that makes host ticks absolute
 * time.  Times of a guest with a TSC offset are wrong by that offset here; only a merge corrects
 * them.
 */
#include "recording/ctf_metadata.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "files/out_file.h"
#include "ctf/write/tsdl.h"

/* Seconds and cycles that, added to ticks, give time since 1970. */
static void clock_offset(const struct strata_recording *recording, struct strata_tsdl_clock *clock)
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

/* Readers print these unescaped, also to a terminal, so the name is escaped twice. */
static void print_environment(struct strata_out_file *out, const struct strata_source *source)
{
	char name[STRATA_ESCAPED_BYTES(sizeof(source->domain_name)) + 1];

	strata_escape_name(name, sizeof(name), source->domain_name);
	strata_out_print(out, "env {\n\tdomain = ");
	strata_tsdl_string(out, name);
	strata_out_print(out, ";\n\thostname = ");
	strata_tsdl_string(out, name);
	strata_out_print(out, ";\n");
	if (source->pid)
		strata_out_print(out, "\tpid = %d;\n\tuid = %u;\n", source->pid, source->uid);
	strata_out_print(out,
			 "\tdomain_id = %u;\n"
			 "\tlayer = \"%s\";\n"
			 "\ttracer_name = \"strata\";\n"
			 "\ttracer_major = 0;\n"
			 "\ttracer_minor = 1;\n"
			 "};\n\n",
			 source->domain, strata_layer_name(source->layer));
}

/* Declares a short header's time, and the extended header behind the escape value. */
static void print_variant(struct strata_out_file *out, unsigned int id_bits,
			  unsigned int ticks_bits, unsigned int align)
{
	const unsigned int escape = (1u << id_bits) - 1;

	strata_out_print(out,
			 "\t\tenum : integer { size = %u; align = %u; signed = false; } "
			 "{ compact = 0 ... %u, extended = %u } id;\n",
			 id_bits, align, escape - 1, escape);
	strata_out_print(out,
			 "\t\tvariant <id> {\n"
			 "\t\t\tstruct {\n"
			 "\t\t\t\tinteger { size = %u; align = %u; signed = false; "
			 "map = clock.ticks.value; } timestamp;\n"
			 "\t\t\t} compact;\n"
			 "\t\t\tstruct {\n"
			 "\t\t\t\tuint32_t id;\n"
			 "\t\t\t\tticks_t timestamp;\n"
			 "\t\t\t} extended;\n"
			 "\t\t} v;\n",
			 ticks_bits, align == 1 ? 1 : ticks_bits);
}

static void print_header(struct strata_out_file *out, enum strata_header_form form)
{
	strata_out_print(out, "\tevent.header := struct {\n");
	if (form == STRATA_HEADER_COMPACT)
		print_variant(out, STRATA_COMPACT_ID_BITS, STRATA_COMPACT_TICKS_BITS, 1);
	else if (form == STRATA_HEADER_LARGE)
		print_variant(out, STRATA_LARGE_ID_BITS, STRATA_LARGE_TICKS_BITS, 16);
	else
		strata_out_print(out, "\t\tuint32_t id;\n"
				      "\t\tticks_t timestamp;\n");
	strata_out_print(out, "\t} align(32);\n");
}

static void print_stream(struct strata_out_file *out, const struct strata_source *source)
{
	strata_out_print(out, "stream {\n\tid = %u;\n", source->form);
	strata_out_print(out, "\tpacket.context := struct {\n"
			      "\t\tticks_t timestamp_begin;\n"
			      "\t\tticks_t timestamp_end;\n"
			      "\t\tuint64_t content_size;\n"
			      "\t\tuint64_t packet_size;\n"
			      "\t\tuint64_t packet_seq_num;\n"
			      "\t\tuint64_t events_discarded;\n"
			      "\t\tuint64_t lost[3];\n"
			      "\t\tuint32_t cpu_id;\n");
	/* The recorder sets it, to the same value in each packet, so filters can treat it as a
	 * context. */
	strata_out_print(out, "\t\t%s;\n\t};\n",
			 source->pid ? "integer { size = 32; align = 32; signed = true; } pid"
				     : "uint32_t reserved");
	print_header(out, source->form);
	strata_out_print(out, "\tevent.context := struct {\n");
	strata_tsdl_fields(out, strata_layer_context(source->layer));
	strata_out_print(out, "\t} align(32);\n};\n\n");
}

/* The padding behind a record is not declared: the next header is aligned. */
static void print_event(struct strata_out_file *out, const struct strata_source *source,
			const struct strata_event_desc *event)
{
	const uint32_t id = source->by_number ? strata_source_shape(source, event->id)->number
					      : event->id;

	strata_out_print(out,
			 "event {\n"
			 "\tname = \"%s\";\n"
			 "\tid = %u;\n"
			 "\tstream_id = %u;\n"
			 "\tfields := struct {\n",
			 event->name, id, source->form);
	strata_tsdl_fields(out, event);
	strata_out_print(out, "\t} align(32);\n};\n\n");
}

static void print(struct strata_out_file *out, const struct strata_recording *recording,
		  const struct strata_source *source)
{
	struct strata_tsdl_clock clock = {
		.description = "raw time stamp counter",
		.uuid = source->uuid,
		.precision = 1,
	};
	size_t i;

	clock_offset(recording, &clock);
	strata_tsdl_begin(out, source->uuid);
	print_environment(out, source);
	strata_tsdl_clock(out, &clock);
	print_stream(out, source);
	for (i = 0; i < source->nr_events; i++)
		print_event(out, source, &source->events[i]);
}

/* Hidden: a reader would take any other file for a stream. */
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
		print(out, recording, source);
		status = strata_out_close(out, error);
	}
	if (!status && renameat(folder.fd, TEMPORARY, folder.fd, "metadata"))
		status = strata_fail(error, "%s/metadata: cannot be replaced: %s", folder.path,
				     strerror(errno));
	if (status)
		strata_dir_remove(&folder, TEMPORARY);
	strata_dir_close(&folder);
	return status;
}
