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
#include "packets/packet_reader.h"
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

static const char kernel_events[] =
	"{\"id\":0,\"name\":\"sched_switch\",\"fields\":["
	"{\"name\":\"prev_comm\",\"kind\":\"text\",\"bytes\":1,\"count\":16},"
	"{\"name\":\"prev_pid\",\"kind\":\"signed\",\"bytes\":4,\"count\":1},"
	"{\"name\":\"prev_prio\",\"kind\":\"signed\",\"bytes\":4,\"count\":1},"
	"{\"name\":\"prev_state\",\"kind\":\"signed\",\"bytes\":8,\"count\":1},"
	"{\"name\":\"next_comm\",\"kind\":\"text\",\"bytes\":1,\"count\":16},"
	"{\"name\":\"next_pid\",\"kind\":\"signed\",\"bytes\":4,\"count\":1},"
	"{\"name\":\"next_prio\",\"kind\":\"signed\",\"bytes\":4,\"count\":1}]},"
	"{\"id\":1,\"name\":\"sched_waking\",\"fields\":["
	"{\"name\":\"comm\",\"kind\":\"text\",\"bytes\":1,\"count\":16},"
	"{\"name\":\"pid\",\"kind\":\"signed\",\"bytes\":4,\"count\":1},"
	"{\"name\":\"prio\",\"kind\":\"signed\",\"bytes\":4,\"count\":1},"
	"{\"name\":\"target_cpu\",\"kind\":\"signed\",\"bytes\":4,\"count\":1}]},"
	"{\"id\":2,\"name\":\"hrtimer_expire_entry\",\"fields\":["
	"{\"name\":\"hrtimer\",\"kind\":\"hex\",\"bytes\":8,\"count\":1}]},"
	"{\"id\":3,\"name\":\"mark\",\"fields\":["
	"{\"name\":\"event\",\"kind\":\"unsigned\",\"bytes\":1,\"count\":1}]},"
	"{\"id\":4,\"name\":\"open\",\"group\":\"files\",\"fields\":["
	"{\"name\":\"fd\",\"kind\":\"signed\",\"bytes\":4,\"count\":1},"
	"{\"name\":\"string\",\"kind\":\"string\",\"bytes\":1,\"count\":1},"
	"{\"name\":\"list\",\"kind\":\"unsigned\",\"bytes\":2,\"count\":0},"
	"{\"name\":\"flag\",\"kind\":\"unsigned\",\"bytes\":1,\"count\":1},"
	"{\"name\":\"text\",\"kind\":\"text\",\"bytes\":1,\"count\":0}]},"
	"{\"id\":5,\"name\":\"sys_enter\",\"fields\":["
	"{\"name\":\"id\",\"kind\":\"signed\",\"bytes\":8,\"count\":1},"
	"{\"name\":\"args\",\"kind\":\"hex\",\"bytes\":8,\"count\":6}]},"
	"{\"id\":6,\"name\":\"sys_exit\",\"fields\":["
	"{\"name\":\"id\",\"kind\":\"signed\",\"bytes\":8,\"count\":1},"
	"{\"name\":\"ret\",\"kind\":\"signed\",\"bytes\":8,\"count\":1}]},"
	"{\"id\":7,\"name\":\"kvm_probe\",\"group\":\"kprobes\",\"fields\":[]}";

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
	fprintf(json, "],");
	if (source->since_ticks)
		fprintf(json, "\"since_ticks\":%llu,", (unsigned long long)source->since_ticks);
	fprintf(json, "\"events\":[%s]}", strcmp(source->layer, "xen") == 0 ? "" : kernel_events);
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

/* Writes the metadata as a recorder does; of a table that is damaged there is none. */
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
			meet_events(rec, &recording.sources[i]);
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
		"{\"format\":\"strata recording\",\"version\":1,\"tsc_khz\":%u,"
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
