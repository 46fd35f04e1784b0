// SPDX-License-Identifier: GPL-2.0-or-later
/* compass_trace.c - see compass_trace.h. */
#include "outputs/trace_compass/compass_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/packet.h>

#include "ctf/reader/ctf_index_file.h"
#include "ctf/trace/ctf_trace.h"
#include "ctf/types/ctf_event_types.h"
#include "ctf/write/ctf_write_metadata.h"
#include "outputs/output_directory.h"
#include "base/version.h"
#include "base/derived_uuid.h"

/* Makes room for one more in an array that doubles when full. NULL: out of memory. */
static void *room_for_one(void *array, size_t nr, size_t bytes)
{
	if (nr & (nr - 1))
		return array;
	if (nr > SIZE_MAX / 2 / bytes)
		return NULL;
	return realloc(array, (nr ? nr * 2 : 1) * bytes);
}

int strata_compass_trace_open(struct compass_trace *trace, const struct strata_dir *dir,
			      const char *name, const struct strata_event_desc *context,
			      const uint8_t uuid[16], struct strata_error *error)
{
	struct strata_dir index;

	memset(trace, 0, sizeof(*trace));
	trace->dir.fd = -1;
	trace->context = context;
	strata_derive_uuid(trace->uuid, STRATA_DERIVED_COPY, 0, uuid, 16);
	strata_derive_uuid(trace->clock_uuid, STRATA_DERIVED_CLOCK, 0, uuid, 16);
	snprintf(trace->name, sizeof(trace->name), "%s", name);
	if (strata_dir_sub(&trace->dir, dir, name, 0755, error) ||
	    strata_output_begin(&trace->dir, error) ||
	    strata_dir_sub(&index, &trace->dir, STRATA_CTF_INDEX_DIR, 0755, error))
		return -1;
	strata_dir_close(&index);
	return 0;
}

/* The form shared by all packets of a trace. */
static struct strata_ctf_packet_form form_of(const struct compass_trace *trace)
{
	return (struct strata_ctf_packet_form){ .stream_id = trace->stream_id,
						.has_time = true,
						.big_endian = __BYTE_ORDER__ ==
							      __ORDER_BIG_ENDIAN__ };
}

static struct compass_file *make_file(struct compass_trace *trace, uint32_t cpu,
				      struct strata_error *error)
{
	struct compass_file **by_cpu =
		room_for_one(trace->by_cpu, trace->nr_files, sizeof(*by_cpu));
	struct compass_file *file = calloc(1, sizeof(*file));
	char name[32];

	if (by_cpu)
		trace->by_cpu = by_cpu;
	snprintf(name, sizeof(name), "cpu_%u", cpu);
	if (!by_cpu || !file) {
		strata_fail(error, "%s: out of memory", trace->dir.path);
	} else if (!strata_ctf_file_open(&file->packets, &trace->dir, name, trace->uuid, error)) {
		const struct strata_ctf_packet_form form = form_of(trace);

		strata_buffer_put(&file->packets.next_context, (const char *)&cpu, sizeof(cpu));
		strata_ctf_file_enter(&file->packets, &form);
		/* Readers count losses from the first packet on, so this is preceded by an empty
		 * one. */
		strata_ctf_file_count_from(&file->packets, 1, 0);
		file->cpu = cpu;
		trace->by_cpu[trace->nr_files++] = file;
		return file;
	} else {
		strata_ctf_file_close(&file->packets, -1, error);
	}
	free(file);
	return NULL;
}

struct compass_file *strata_compass_trace_file(struct compass_trace *trace, uint32_t cpu,
					       struct strata_error *error)
{
	size_t i;

	for (i = 0; i < trace->nr_files; i++) {
		if (trace->by_cpu[i]->cpu == cpu)
			return trace->by_cpu[i];
	}
	return make_file(trace, cpu, error);
}

uint32_t strata_compass_trace_class(struct compass_trace *trace,
				    const struct strata_event_desc *desc)
{
	struct strata_event_desc **classes =
		room_for_one(trace->classes, trace->nr_classes, sizeof(*classes));
	struct strata_event_desc *copy = malloc(sizeof(*copy));

	if (classes)
		trace->classes = classes;
	if (!classes || !copy) {
		free(copy);
		trace->no_memory = true;
		return COMPASS_NO_CLASS;
	}
	*copy = *desc;
	copy->id = trace->nr_classes;
	trace->classes[trace->nr_classes] = copy;
	return trace->nr_classes++;
}

/* Keeps the first error; status 0 is none. */
static void note(struct compass_trace *trace, int status, const struct strata_error *error)
{
	if (status && !trace->has_failed)
		trace->error = *error;
	trace->has_failed |= status != 0;
}

/* Reports what was lost since the last event. */
static void tell_lost(struct compass_trace *trace, struct compass_file *file, uint64_t ns)
{
	const struct strata_loss loss = { .discarded = file->lost - file->told,
					  .from_ns = file->last_ns ? file->last_ns
								   : trace->first_ns,
					  .to_ns = ns,
					  .bound_ns = UINT64_MAX };
	struct strata_error error;

	if (!loss.discarded)
		return;
	file->told = file->lost;
	note(trace, strata_ctf_file_lose(&file->packets, &loss, &error), &error);
}

void strata_compass_trace_put(struct compass_trace *trace, struct compass_file *file,
			      uint32_t class_number, uint64_t ns, const void *context,
			      const void *payload, uint32_t payload_bytes)
{
	const uint32_t context_bytes = (strata_event_payload_bytes(trace->context) + 3u) & ~3u;
	const struct strata_record_header header = {
		.id = class_number,
		.ticks = ns > file->last_ns ? ns : file->last_ns,
	};
	const size_t bytes = sizeof(header) + context_bytes + payload_bytes;
	struct strata_ctf_stream_file *packets = &file->packets;
	struct strata_error error;
	uint64_t padding;
	uint8_t *to;

	if (class_number == COMPASS_NO_CLASS || trace->has_failed)
		return;
	tell_lost(trace, file, header.ticks);
	file->last_ns = header.ticks;
	if (strata_ctf_file_room(packets, 3 + bytes, header.ticks, &error)) {
		note(trace, -1, &error);
		return;
	}
	padding = -(packets->at / 8) & 3;
	to = packets->packet + packets->at / 8;
	memset(to, 0, padding);
	to += padding;
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), context, context_bytes);
	memcpy(to + sizeof(header) + context_bytes, payload, payload_bytes);
	packets->at += (padding + bytes) * 8;
}

void strata_compass_trace_say(struct compass_trace *trace, const char *name, const char *format,
			      ...)
{
	struct compass_env *env = &trace->env[trace->nr_env];
	va_list args;

	if (trace->nr_env == COMPASS_ENV_MAX)
		return;
	trace->nr_env++;
	snprintf(env->name, sizeof(env->name), "%s", name);
	va_start(args, format);
	vsnprintf(env->text, sizeof(env->text), format, args);
	va_end(args);
}

#define ENV_OWN 5u

static size_t make_env(struct strata_ctf_env *env, const struct compass_trace *trace)
{
	size_t i, nr = 0;

	env[nr++] = (struct strata_ctf_env){ .name = "domain", .text = "kernel" };
	env[nr++] = (struct strata_ctf_env){ .name = "tracer_name", .text = "strata" };
	env[nr++] =
		(struct strata_ctf_env){ .name = "tracer_major", .number = STRATA_VERSION_MAJOR };
	env[nr++] =
		(struct strata_ctf_env){ .name = "tracer_minor", .number = STRATA_VERSION_MINOR };
	env[nr++] = (struct strata_ctf_env){ .name = "hostname", .text = trace->name };
	for (i = 0; i < trace->nr_env; i++)
		env[nr++] = (struct strata_ctf_env){ .name = trace->env[i].name,
						     .text = trace->env[i].text };
	return nr;
}

/* The types of the headers and contexts before events' fields. */
struct types {
	struct strata_ctf_field context_fields[STRATA_CTF_PACKET_NUMBERS + 1], header_fields[2];
	struct strata_ctf_type numbers[STRATA_CTF_PACKET_NUMBERS], cpu, id, time;
	struct strata_ctf_type packet_context, event_header;
	struct strata_ctf_event_types event_context, payload;
};

static struct strata_ctf_stream_class make_stream(struct types *types,
						  const struct compass_trace *trace)
{
	const struct strata_ctf_packet_form form = form_of(trace);
	size_t nr = strata_ctf_packet_numbers(&form, types->context_fields, types->numbers);

	types->cpu = strata_ctf_integer(32, 8);
	types->context_fields[nr++] = (struct strata_ctf_field){ "cpu_id", &types->cpu };
	types->packet_context = strata_ctf_struct(types->context_fields, nr, 8);
	types->id = strata_ctf_integer(32, 32);
	types->time = strata_ctf_integer(64, 32);
	types->time.clock = 0;
	types->header_fields[0] = (struct strata_ctf_field){ "id", &types->id };
	types->header_fields[1] = (struct strata_ctf_field){ "timestamp", &types->time };
	types->event_header = strata_ctf_struct(types->header_fields, 2, 32);
	strata_ctf_event_types(&types->event_context, trace->context);
	return (struct strata_ctf_stream_class){ .id = trace->stream_id,
						 .packet_context = &types->packet_context,
						 .event_header = &types->event_header,
						 .event_context = &types->event_context.structure };
}

static int put_metadata(struct strata_out_file *out, const struct compass_trace *trace,
			const struct strata_ctf_metadata *metadata, struct strata_error *error)
{
	struct types types;
	const struct strata_ctf_stream_class stream = make_stream(&types, trace);
	uint32_t i;

	strata_ctf_write_head(out, metadata);
	if (strata_ctf_write_stream(out, metadata, &stream, error))
		return -1;
	for (i = 0; i < trace->nr_classes; i++) {
		const struct strata_ctf_event_class event = { .id = i,
							      .name = trace->classes[i]->name,
							      .loglevel = -1,
							      .payload = &types.payload.structure };

		strata_ctf_event_types(&types.payload, trace->classes[i]);
		if (strata_ctf_write_event(out, metadata, &stream, &event, error))
			return -1;
	}
	strata_out_print(out, "/* " STRATA_OUTPUT_MARK " */\n");
	return 0;
}

static int write_metadata(const struct compass_trace *trace, uint64_t precision_ns,
			  struct strata_error *error)
{
	struct strata_ctf_env env[ENV_OWN + COMPASS_ENV_MAX];
	struct strata_ctf_clock clock = {
		.name = "ticks",
		.description = "nanoseconds since 1970, from the host's time stamp counter",
		.frequency = 1000000000,
		.precision = precision_ns,
	};
	struct strata_ctf_metadata metadata = {
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.env = env,
		.nr_env = make_env(env, trace),
		.clocks = &clock,
		.nr_clocks = 1,
	};
	struct strata_out_file *out;
	struct strata_error ignored;

	memcpy(metadata.uuid, trace->uuid, sizeof(metadata.uuid));
	memcpy(clock.uuid, trace->clock_uuid, sizeof(clock.uuid));
	out = strata_out_create(&trace->dir, "metadata", error);
	if (!out)
		return -1;
	if (!put_metadata(out, trace, &metadata, error))
		return strata_out_close(out, error);
	strata_out_close(out, &ignored);
	return strata_fail_in(error, "%s", trace->dir.path);
}

/* Closes the files. Returns 0, or -1 with the first error. */
static int close_files(struct compass_trace *trace, struct strata_error *error)
{
	struct strata_error ignored;
	int status = 0;
	size_t i;

	for (i = 0; i < trace->nr_files; i++) {
		struct compass_file *file = trace->by_cpu[i];

		if (strata_ctf_file_close(&file->packets, 0, status ? &ignored : error))
			status = -1;
		free(file);
	}
	trace->nr_files = 0;
	return status;
}

int strata_compass_trace_finish(struct compass_trace *trace, uint64_t last_ns,
				uint64_t precision_ns, struct strata_error *error)
{
	struct strata_error cause;
	size_t i;

	for (i = 0; i < trace->nr_files; i++) {
		struct compass_file *file = trace->by_cpu[i];

		tell_lost(trace, file, last_ns);
		if (!trace->has_failed)
			note(trace, strata_ctf_file_finish(&file->packets, &cause), &cause);
	}
	if (trace->no_memory)
		return strata_fail(error, "%s: out of memory", trace->dir.path);
	if (trace->has_failed) {
		*error = trace->error;
		return -1;
	}
	if (close_files(trace, error))
		return -1;
	if (write_metadata(trace, precision_ns, error))
		return -1;
	strata_output_end(&trace->dir);
	return 0;
}

void strata_compass_trace_close(struct compass_trace *trace)
{
	struct strata_error ignored;
	size_t i;

	close_files(trace, &ignored);
	for (i = 0; i < trace->nr_classes; i++)
		free(trace->classes[i]);
	free(trace->by_cpu);
	free(trace->classes);
	strata_dir_close(&trace->dir);
	memset(trace, 0, sizeof(*trace));
	trace->dir.fd = -1;
}
