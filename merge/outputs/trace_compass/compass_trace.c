// SPDX-License-Identifier: GPL-2.0-or-later
/* compass_trace.c - see compass_trace.h. */
#include "outputs/trace_compass/compass_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/trace/ctf_trace.h"
#include "outputs/output_directory.h"
#include "ctf/write/tsdl.h"
#include "base/value_hash.h"

/* Room for one more in an array that doubles when it is full.  NULL: out of memory. */
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
	memset(trace, 0, sizeof(*trace));
	trace->dir.fd = -1;
	trace->context = context;
	strata_hash_uuid(trace->files.uuid, 0, uuid, 16);
	strata_hash_uuid(trace->clock_uuid, STRATA_HASH_FACTOR, uuid, 16);
	snprintf(trace->name, sizeof(trace->name), "%s", name);
	if (strata_dir_sub(&trace->dir, dir, name, 0755, error))
		return -1;
	return strata_output_begin(&trace->dir, error);
}

static int add_stream(struct compass_file *file, const struct strata_merge_stream *stream,
		      struct strata_error *error)
{
	const struct strata_merge_stream **streams =
		room_for_one(file->streams, file->nr_streams, sizeof(stream));

	if (!streams)
		return strata_fail(error, "out of memory");
	file->streams = streams;
	file->streams[file->nr_streams++] = stream;
	return 0;
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
	} else if (!strata_ctf_packets_open(&file->packets, &trace->files, &trace->dir, name,
					    trace->stream_id, cpu, error)) {
		file->cpu = cpu;
		trace->by_cpu[trace->nr_files++] = file;
		return file;
	}
	free(file);
	return NULL;
}

struct compass_file *strata_compass_trace_file(struct compass_trace *trace, uint32_t cpu,
					       const struct strata_merge_stream *stream,
					       struct strata_error *error)
{
	struct compass_file *file = NULL;
	size_t i;

	for (i = 0; i < trace->nr_files; i++) {
		if (trace->by_cpu[i]->cpu == cpu)
			file = trace->by_cpu[i];
	}
	if (!file)
		file = make_file(trace, cpu, error);
	return file && !add_stream(file, stream, error) ? file : NULL;
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

static uint64_t lost_of(const struct compass_file *file)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < file->nr_streams; i++)
		lost += file->streams[i]->lost;
	return lost;
}

void strata_compass_trace_put(struct compass_trace *trace, struct compass_file *file,
			      uint32_t class_number, uint64_t ns, const void *context,
			      const void *payload, uint32_t payload_bytes)
{
	const uint32_t context_bytes = (strata_event_payload_bytes(trace->context) + 3u) & ~3u;
	struct strata_ctf_event_header header = { .id = class_number };
	uint8_t *to;

	if (class_number == COMPASS_NO_CLASS)
		return;
	if (ns > file->last_ns)
		file->last_ns = ns;
	header.ns = file->last_ns;
	to = strata_ctf_packets_room(&file->packets,
				     (uint32_t)sizeof(header) + context_bytes + payload_bytes,
				     header.ns, lost_of(file));
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), context, context_bytes);
	memcpy(to + sizeof(header) + context_bytes, payload, payload_bytes);
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

static void print_environment(struct strata_out_file *out, const struct compass_trace *trace)
{
	unsigned int i;

	strata_out_print(out, "env {\n"
			      "\tdomain = \"kernel\";\n"
			      "\ttracer_name = \"strata\";\n"
			      "\ttracer_major = 0;\n"
			      "\ttracer_minor = 1;\n"
			      "\thostname = ");
	strata_tsdl_string(out, trace->name);
	strata_out_print(out, ";\n");
	for (i = 0; i < trace->nr_env; i++) {
		strata_out_print(out, "\t%s = ", trace->env[i].name);
		strata_tsdl_string(out, trace->env[i].text);
		strata_out_print(out, ";\n");
	}
	strata_out_print(out, "};\n\n");
}

static int write_metadata(const struct compass_trace *trace, uint64_t precision_ns,
			  struct strata_error *error)
{
	const struct strata_tsdl_clock clock = {
		.description = "nanoseconds since 1970, from the host's time stamp counter",
		.uuid = trace->clock_uuid,
		.frequency = 1000000000,
		.precision = precision_ns,
	};
	struct strata_out_file *out;
	uint32_t i;

	out = strata_out_create(&trace->dir, "metadata", error);
	if (!out)
		return -1;
	strata_tsdl_begin(out, trace->files.uuid);
	print_environment(out, trace);
	strata_tsdl_clock(out, &clock);
	strata_ctf_packets_describe(out, trace->stream_id);
	strata_out_print(out, "\tevent.context := struct {\n");
	strata_tsdl_fields(out, trace->context);
	strata_out_print(out, "\t} align(32);\n};\n\n");
	for (i = 0; i < trace->nr_classes; i++) {
		strata_out_print(out, "event {\n\tname = ");
		strata_tsdl_string(out, trace->classes[i]->name);
		strata_out_print(out, ";\n\tid = %u;\n\tstream_id = %u;\n\tfields := struct {\n", i,
				 trace->stream_id);
		strata_tsdl_fields(out, trace->classes[i]);
		strata_out_print(out, "\t} align(32);\n};\n\n");
	}
	strata_out_print(out, "/* " STRATA_OUTPUT_MARK " */\n");
	return strata_out_close(out, error);
}

int strata_compass_trace_finish(struct compass_trace *trace,
				const struct strata_merge_result *result,
				struct strata_error *error)
{
	size_t i;

	for (i = 0; i < trace->nr_files; i++)
		strata_ctf_packets_finish(&trace->by_cpu[i]->packets, result->last_ns,
					  lost_of(trace->by_cpu[i]));
	if (trace->no_memory)
		return strata_fail(error, "%s: out of memory", trace->dir.path);
	if (strata_ctf_files_result(&trace->files, error))
		return -1;
	if (write_metadata(trace, result->bound_ns, error))
		return -1;
	strata_output_end(&trace->dir);
	return 0;
}

void strata_compass_trace_close(struct compass_trace *trace)
{
	size_t i;

	for (i = 0; i < trace->nr_files; i++) {
		strata_ctf_packets_close(&trace->by_cpu[i]->packets);
		free(trace->by_cpu[i]->streams);
		free(trace->by_cpu[i]);
	}
	for (i = 0; i < trace->nr_classes; i++)
		free(trace->classes[i]);
	free(trace->by_cpu);
	free(trace->classes);
	strata_dir_close(&trace->dir);
	memset(trace, 0, sizeof(*trace));
	trace->dir.fd = -1;
}
