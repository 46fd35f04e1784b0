// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nmi_check RECORDING BEFORE AFTER - is each NMI of a flood in a recording, or counted as lost?
 *
 * BEFORE and AFTER are what `flood counts` said, the one before the recording began and the other
 * after its end: of each CPU, Xen's own count of NMIs, and how many records its ring refused.  Of
 * each stream of the hypervisor it is checked, packet by packet, that
 *
 *   - no timestamp goes back, within a packet or from one to the next;
 *   - no record of an NMI is torn: its check word is that of its other words;
 *   - NMIs are numbered as Xen counts them, each number once and in order; where one is missing,
 *     losses were counted in the packets around it;
 *   - the trace point `nmi` says that each hit where the record before says it did;
 *   - recorded and lost add up to Xen's count, of both kinds of record, exactly;
 *   - what all rings refused is what the recording says that was lost.
 *
 * Says what it counted, and what is wrong; status 1 then.  tests/xen/test_nmi.sh calls it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flood.h>
#include <strata/abi/hypervisor.h>

#include "consumerd/packets/packet_reader.h"
#include "../../packet_records.h"

#define CPUS_MAX       64u
#define NMI_EVENT      0x00804001u /* TRC_HW_NMI_ENTRY; where it hit follows the code segment */
#define COMPLAINTS_MAX 10u

/* As `flood counts` prints them, or the difference of two. */
struct counts {
	uint64_t nmis, between, lost_nmi, lost_check, lost_other;
};

/* What a stream was found to hold. */
struct found {
	uint32_t cpu;
	uint64_t points, checks, between, in_domains;
	uint64_t ticks;        /* of the record before */
	uint64_t number;       /* of the newest NMI that is recorded */
	uint64_t lost;         /* all kinds, at the end of the packet before */
	uint64_t lost_since;   /* ... at the end of the packet before that with the newest NMI */
	uint64_t ip;           /* of the check record that was the record before; else ... */
	bool after_check;      /* ... false */
	uint64_t points_alone; /* `nmi` without its check record */
};

static unsigned int complaints;

static __attribute__((format(printf, 1, 2))) void complain(const char *format, ...)
{
	va_list arguments;

	if (complaints++ >= COMPLAINTS_MAX)
		return;
	va_start(arguments, format);
	fputs("WRONG: ", stdout);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

/* Of the packet reader. */
static void complain_of_packet(void *data, const char *message)
{
	(void)data;
	complain("%s", message);
}

/* Returns how many CPUs there are. */
static unsigned int read_counts(const char *path, struct counts *counts)
{
	FILE *file = fopen(path, "re");
	unsigned int cpu, nr = 0;
	struct counts c;

	while (file && nr < CPUS_MAX &&
	       fscanf(file, "%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &cpu,
		      &c.nmis, &c.between, &c.lost_nmi, &c.lost_check, &c.lost_other) == 6 &&
	       cpu == nr)
		counts[nr++] = c;
	if (file)
		fclose(file);
	if (!nr) {
		fprintf(stderr, "nmi_check: %s: no counts of `flood counts`\n", path);
		exit(2);
	}
	return nr;
}

static void check_nmi(struct found *found, const struct strata_record *record,
		      const struct counts *before, const struct counts *after)
{
	struct strata_flood_record nmi;
	uint64_t missing;

	memcpy(&nmi, record->payload, sizeof(nmi));
	found->after_check = true;
	found->ip = nmi.ip[0] | (uint64_t)nmi.ip[1] << 32;
	found->checks++;
	if (nmi.check != strata_flood_check(&nmi) || nmi.cpu != found->cpu) {
		complain("CPU %u: the record of NMI %u is torn", found->cpu, nmi.number);
		return;
	}
	found->between += nmi.between;
	if (nmi.number <= found->number || nmi.number > after->nmis) {
		complain("CPU %u: NMI %u follows NMI %" PRIu64 "; Xen counted from %" PRIu64
			 " to %" PRIu64,
			 found->cpu, nmi.number, found->number, before->nmis, after->nmis);
		return;
	}
	missing = nmi.number - found->number - 1;
	if (missing > found->lost - found->lost_since)
		complain("CPU %u: %" PRIu64 " NMIs are missing before NMI %u, where %" PRIu64
			 " records were lost",
			 found->cpu, missing, nmi.number, found->lost - found->lost_since);
	found->number = nmi.number;
}

static void check_point(struct found *found, const struct strata_record *record)
{
	uint32_t words[3]; /* code segment, instruction pointer */
	uint64_t ip;

	memcpy(words, record->payload, sizeof(words));
	ip = words[1] | (uint64_t)words[2] << 32;
	found->points++;
	found->in_domains += (words[0] & 3) != 0; /* Xen runs in ring 0, and no PV domain does */
	if (!found->after_check)
		found->points_alone++;
	else if (ip != found->ip)
		complain("CPU %u: `nmi` says that NMI %" PRIu64 " hit %#" PRIx64
			 ", its check record says %#" PRIx64,
			 found->cpu, found->number, ip, found->ip);
}

static uint64_t sum_lost(const struct strata_packet *packet)
{
	return packet->lost[STRATA_LOST_FULL] + packet->lost[STRATA_LOST_NESTED] +
	       packet->lost[STRATA_LOST_BIG];
}

static void check_packet(struct found *found, struct strata_packet_reader *reader,
			 const struct counts *before, const struct counts *after)
{
	uint64_t lost_before = found->lost;
	size_t offset = STRATA_PACKET_HEADER_BYTES;
	struct strata_record record;

	/* A record that is lost is counted in the packet in which it would be, or in the next. */
	found->lost = sum_lost(&reader->packet);
	while (strata_packet_next(reader->source, reader->bytes, &reader->packet, &offset,
				  &record)) {
		uint32_t event = record.event->id & STRATA_HV_ID_TRACE;
		bool own = record.event->id & STRATA_HV_ID_OWN;

		if (record.ticks < found->ticks)
			complain("CPU %u: time goes back by %" PRIu64 " ticks, to %" PRIu64,
				 found->cpu, found->ticks - record.ticks, record.ticks);
		found->ticks = record.ticks;
		if (!own && event == STRATA_FLOOD_EVENT &&
		    record.payload_bytes == sizeof(struct strata_flood_record)) {
			check_nmi(found, &record, before, after);
			found->lost_since = lost_before;
			continue;
		}
		if (!own && event == NMI_EVENT && record.payload_bytes == 12)
			check_point(found, &record);
		found->after_check = false;
	}
}

static void check_sums(const struct found *found, const struct counts *d, uint64_t lost)
{
	printf("CPU %u: %" PRIu64 " NMIs by Xen's count, %" PRIu64
	       " of them between a reserve and its commit; recorded %" PRIu64 " and %" PRIu64
	       ", lost %" PRIu64 " and %" PRIu64 " (and %" PRIu64 " other records); %" PRIu64
	       " of the recorded hit a domain\n",
	       found->cpu, d->nmis, d->between, found->points, found->checks, d->lost_nmi,
	       d->lost_check, d->lost_other, found->in_domains);
	if (found->points + d->lost_nmi != d->nmis)
		complain("CPU %u: %" PRIu64 " `nmi` recorded and %" PRIu64 " lost of %" PRIu64,
			 found->cpu, found->points, d->lost_nmi, d->nmis);
	if (found->checks + d->lost_check != d->nmis)
		complain("CPU %u: %" PRIu64 " check records and %" PRIu64 " lost of %" PRIu64,
			 found->cpu, found->checks, d->lost_check, d->nmis);
	if (found->points_alone > d->lost_check)
		complain("CPU %u: %" PRIu64 " `nmi` stand alone, where %" PRIu64
			 " check records were lost",
			 found->cpu, found->points_alone, d->lost_check);
	if (found->between > d->between || found->between + d->lost_check < d->between)
		complain("CPU %u: of %" PRIu64 " NMIs between a reserve and its commit, %" PRIu64
			 " are recorded, %" PRIu64 " records were lost",
			 found->cpu, d->between, found->between, d->lost_check);
	if (lost != d->lost_nmi + d->lost_check + d->lost_other)
		complain("CPU %u: the recording says that %" PRIu64
			 " records were lost, Xen %" PRIu64,
			 found->cpu, lost, d->lost_nmi + d->lost_check + d->lost_other);
}

static void check_stream(const char *recording, struct strata_source *source,
			 const struct strata_stream *stream, const struct counts *before,
			 const struct counts *after)
{
	struct found found = { .cpu = stream->cpu, .number = before->nmis };
	struct strata_packet_reader reader;
	struct strata_error error = { "" };
	struct counts d = { after->nmis - before->nmis, after->between - before->between,
			    after->lost_nmi - before->lost_nmi,
			    after->lost_check - before->lost_check,
			    after->lost_other - before->lost_other };

	if (strata_source_load_events(source, recording, &error) ||
	    strata_packet_reader_open(&reader, recording, source, stream, complain_of_packet, NULL,
				      &error)) {
		fprintf(stderr, "nmi_check: %s\n", error.text);
		exit(2);
	}
	while (strata_packet_reader_next(&reader))
		check_packet(&found, &reader, before, after);
	if (stream->bad_packets || reader.missing_packets)
		complain("CPU %u: %" PRIu64 " packets were refused, %" PRIu64 " are missing",
			 found.cpu, stream->bad_packets, reader.missing_packets);
	check_sums(&found, &d, found.lost);
	strata_packet_reader_close(&reader);
}

int main(int argc, char **argv)
{
	struct counts before[CPUS_MAX], after[CPUS_MAX];
	struct strata_recording recording = { 0 };
	struct strata_error error = { "" };
	unsigned int nr, streams = 0;
	size_t i, j;

	if (argc != 4) {
		fprintf(stderr, "usage: nmi_check RECORDING BEFORE AFTER\n");
		return 2;
	}
	nr = read_counts(argv[2], before);
	if (read_counts(argv[3], after) != nr ||
	    strata_recording_load(&recording, argv[1], &error)) {
		fprintf(stderr, "nmi_check: %s\n", error.text);
		return 2;
	}
	for (i = 0; i < recording.nr_sources; i++) {
		struct strata_source *source = &recording.sources[i];

		for (j = 0; source->layer == STRATA_LAYER_XEN && j < source->nr_streams; j++) {
			const struct strata_stream *stream = &source->streams[j];

			if (stream->cpu < nr)
				check_stream(argv[1], source, stream, &before[stream->cpu],
					     &after[stream->cpu]);
			streams++;
		}
	}
	if (streams != nr)
		complain("there are %u streams of %u CPUs", streams, nr);
	if (complaints)
		printf("%u things are wrong\n", complaints);
	strata_recording_clear(&recording);
	return complaints ? 1 : 0;
}
