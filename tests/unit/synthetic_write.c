// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * synthetic_write.c - writes a synthetic recording to a new temporary directory: streams,
 * recording.json, and the metadata as a recorder makes it; see synthetic.h.
 */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording/ctf_metadata.h"
#include "consumerd/packets/packet_reader.h"
#include "recording/recording.h"
#include "files/safe_dir.h"

static void die(const char *what)
{
	perror(what);
	abort();
}

static void write_file(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	if (!file || (length && fwrite(bytes, 1, length, file) != length) || fclose(file))
		die(path);
}

#define UNSIGNED(name, bytes)                         \
	{                                             \
		name, STRATA_FIELD_UNSIGNED, bytes, 1 \
	}
#define SIGNED(name, bytes)                         \
	{                                           \
		name, STRATA_FIELD_SIGNED, bytes, 1 \
	}
#define TEXT(name, count)                         \
	{                                         \
		name, STRATA_FIELD_TEXT, 1, count \
	}

static const struct strata_event_desc kernel_events[] = {
	{ .id = 0,
	  .name = "sched_switch",
	  .nr_fields = 7,
	  .fields = { TEXT("prev_comm", 16), SIGNED("prev_pid", 4), SIGNED("prev_prio", 4),
		      SIGNED("prev_state", 8), TEXT("next_comm", 16), SIGNED("next_pid", 4),
		      SIGNED("next_prio", 4) } },
	{ .id = 1,
	  .name = "sched_waking",
	  .nr_fields = 4,
	  .fields = { TEXT("comm", 16), SIGNED("pid", 4), SIGNED("prio", 4),
		      SIGNED("target_cpu", 4) } },
	{ .id = 2,
	  .name = "hrtimer_expire_entry",
	  .nr_fields = 1,
	  .fields = { { "hrtimer", STRATA_FIELD_HEX, 8, 1 } } },
	{ .id = 3, .name = "mark", .nr_fields = 1, .fields = { UNSIGNED("event", 1) } },
	{ .id = 4,
	  .name = "open",
	  .nr_fields = 5,
	  .fields = { SIGNED("fd", 4),
		      { "string", STRATA_FIELD_STRING, 1, 1 },
		      { "list", STRATA_FIELD_UNSIGNED, 2, 0 },
		      UNSIGNED("flag", 1),
		      TEXT("text", 0) } },
	{ .id = 5,
	  .name = "sys_enter",
	  .nr_fields = 2,
	  .fields = { SIGNED("id", 8), { "args", STRATA_FIELD_HEX, 8, 6 } } },
	{ .id = 6,
	  .name = "sys_exit",
	  .nr_fields = 2,
	  .fields = { SIGNED("id", 8), SIGNED("ret", 8) } },
	{ .id = 7, .name = "kvm_probe" },
};

const struct strata_event_desc *synthetic_kernel_event(enum synthetic_kernel_event id)
{
	return &kernel_events[id];
}

static void print_source(FILE *json, const struct synthetic *rec,
			 const struct synthetic_source *source)
{
	const uint8_t *u = source->uuid;
	const char *comma = "";
	unsigned int i;

	fprintf(json,
		"{\"name\":\"%s\",\"layer\":\"%s\",\"domain\":%u,\"domain_name\":\"%s\",%s"
		"\"uuid\":\"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\","
		"\"streams\":[",
		source->name, source->layer, source->domain,
		source->domain_name ? source->domain_name : source->name,
		source->migrates ? "\"migrates\":1," : "", u[0], u[1], u[2], u[3], u[4], u[5], u[6],
		u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
	for (i = 0; i < rec->nr_streams; i++) {
		const struct synthetic_stream *stream = &rec->streams[i];

		if (strcmp(stream->source, source->name) != 0)
			continue;
		fprintf(json,
			"%s{\"cpu\":%u,\"packets\":%llu,\"events\":%llu,\"lost\":%llu,"
			"\"bad_packets\":%llu}",
			comma, stream->cpu, (unsigned long long)stream->packets,
			(unsigned long long)stream->events,
			(unsigned long long)(stream->lost + stream->lost_after),
			(unsigned long long)stream->refused);
		comma = ",";
	}
	fprintf(json, "]");
	if (source->since_ticks)
		fprintf(json, ",\"since_ticks\":%llu", (unsigned long long)source->since_ticks);
	fprintf(json, "}");
}

/* Xen's own trace points are in no table until one is met. */
static void meet_events(const struct synthetic *rec, struct strata_source *source)
{
	struct strata_packet_reader reader;
	struct strata_error error;
	size_t i;

	for (i = 0; i < source->nr_streams; i++) {
		if (strata_packet_reader_open(&reader, rec->dir, source, &source->streams[i], NULL,
					      NULL, &error))
			die(error.text);
		while (strata_packet_reader_next(&reader))
			;
		strata_packet_reader_close(&reader);
	}
}

static void add_events(struct strata_source *source)
{
	struct strata_error error;
	size_t i;

	for (i = 0; i < sizeof(kernel_events) / sizeof(kernel_events[0]); i++) {
		if (strata_source_add_event(source, &kernel_events[i], &error))
			die(error.text);
	}
}

/* Writes the metadata as a recorder does, which writes no metadata for a damaged table. */
static void describe(const struct synthetic *rec)
{
	struct strata_recording recording = { 0 };
	struct strata_error error = { "" };
	struct strata_dir dir;
	size_t i;

	if (strata_dir_open(&dir, rec->dir, &error))
		die(error.text);
	if (!strata_recording_load_in(&recording, &dir, &error)) {
		for (i = 0; i < recording.nr_sources; i++) {
			if (recording.sources[i].layer == STRATA_LAYER_XEN)
				meet_events(rec, &recording.sources[i]);
			else
				add_events(&recording.sources[i]);
			if (strata_ctf_metadata_save(&recording, &recording.sources[i], &dir,
						     &error))
				die(error.text);
		}
	}
	strata_recording_clear(&recording);
	strata_dir_close(&dir);
}

void synthetic_write(struct synthetic *rec)
{
	char path[128];
	unsigned int i;
	FILE *json;

	snprintf(rec->dir, sizeof(rec->dir), "/tmp/strata-synthetic-XXXXXX");
	if (!mkdtemp(rec->dir))
		die(rec->dir);
	for (i = 0; i < rec->nr_sources; i++) {
		snprintf(path, sizeof(path), "%s/%s", rec->dir, rec->sources[i].name);
		if (mkdir(path, 0755))
			die(path);
	}
	for (i = 0; i < rec->nr_streams; i++) {
		struct synthetic_stream *stream = &rec->streams[i];

		synthetic_close_packet(stream);
		snprintf(path, sizeof(path), "%s/%s/cpu_%u", rec->dir, stream->source, stream->cpu);
		write_file(path, stream->bytes, stream->nr_bytes);
	}
	snprintf(path, sizeof(path), "%s/recording.json", rec->dir);
	json = fopen(path, "w");
	if (!json)
		die(path);
	fprintf(json,
		"{\"format\":\"strata recording\",\"version\":2,\"tsc_khz\":%u,"
		"\"anchor_ticks\":%llu,\"anchor_realtime_ns\":%llu,\"sources\":[",
		SYNTHETIC_TSC_KHZ, SYNTHETIC_ANCHOR_TICKS, SYNTHETIC_ANCHOR_NS);
	for (i = 0; i < rec->nr_sources; i++) {
		fprintf(json, "%s", i ? "," : "");
		print_source(json, rec, &rec->sources[i]);
	}
	fprintf(json, "]");
	if (rec->ended_ticks)
		fprintf(json, ",\"ended_ticks\":%llu", (unsigned long long)rec->ended_ticks);
	fprintf(json, "}\n");
	if (fclose(json))
		die(path);
	describe(rec);
}
