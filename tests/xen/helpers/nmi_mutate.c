// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nmi_mutate FAULT RECORDING - puts one fault into the middle of a recording of NMIs, of the kind
 * that a recorder of NMIs could make:
 *
 *   torn    a bit of what an NMI recorded is another
 *   twice   an NMI has the number of the one before, and the check word that belongs to it
 *   missing an NMI has become another event
 *   back    a record is older than the one before it
 *   packet  a packet is not there
 *
 * nmi_check has to find each: tests/xen/test_nmi.sh calls both.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <flood.h>
#include <strata/abi/hypervisor.h>

#include "consumerd/packets/packet_reader.h"
#include "../../packet_records.h"

/* Where the fault goes: a packet that has two NMIs. */
struct place {
	uint64_t packet; /* offset in the file */
	uint32_t packet_bytes;
	size_t record; /* offset in the packet, of the second one's header */
	uint32_t number_before;
	uint64_t ticks_before; /* of the record before that, whatever it is of */
};

static bool is_check(const struct strata_record *record)
{
	return record->payload_bytes == sizeof(struct strata_flood_record) &&
	       (record->event->id & STRATA_HV_ID_TRACE) == STRATA_FLOOD_EVENT;
}

static bool find_in_packet(struct strata_packet_reader *reader, struct place *place)
{
	size_t next = STRATA_PACKET_HEADER_BYTES, at = next;
	struct strata_flood_record nmi;
	struct strata_record record;
	unsigned int found = 0;
	uint64_t ticks = 0;

	while (strata_packet_next(reader->source, reader->bytes, &reader->packet, &next, &record)) {
		if (is_check(&record)) {
			place->record = at;
			place->ticks_before = ticks;
			if (++found == 2)
				return true;
			memcpy(&nmi, record.payload, sizeof(nmi));
			place->number_before = nmi.number;
		}
		ticks = record.ticks;
		at = next;
	}
	return false;
}

static bool find(struct strata_packet_reader *reader, struct place *place)
{
	while (strata_packet_reader_next(reader)) {
		place->packet_bytes = reader->packet.packet_bytes;
		place->packet = reader->offset - place->packet_bytes;
		if (place->packet > reader->size / 2 && find_in_packet(reader, place))
			return true;
	}
	return false;
}

/* Changes the record that was found. */
static void change(const char *fault, const struct place *place, uint8_t *bytes)
{
	struct strata_record_header *header =
		(struct strata_record_header *)(bytes + place->record);
	void *payload = (uint8_t *)(header + 1) + sizeof(struct strata_hv_context);
	struct strata_flood_record nmi;

	memcpy(&nmi, payload, sizeof(nmi));
	if (!strcmp(fault, "torn")) {
		nmi.ip[0] ^= 0x10;
	} else if (!strcmp(fault, "twice")) {
		nmi.number = place->number_before;
		nmi.check = strata_flood_check(&nmi);
	} else if (!strcmp(fault, "missing")) {
		header->id ^= STRATA_FLOOD_EVENT ^ (STRATA_FLOOD_EVENT + 1);
	} else {
		header->ticks = place->ticks_before - 1;
	}
	memcpy(payload, &nmi, sizeof(nmi));
}

static bool mutate(const char *fault, const char *path, const struct place *place)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	uint8_t *bytes = size < 0 ? NULL : malloc((size_t)size);
	size_t left, kept = (size_t)size;

	if (!bytes || pread(fd, bytes, (size_t)size, 0) != size)
		return false;
	if (!strcmp(fault, "packet")) {
		kept -= place->packet_bytes;
		left = kept - place->packet;
		memmove(bytes + place->packet, bytes + place->packet + place->packet_bytes, left);
	} else {
		change(fault, place, bytes + place->packet);
	}
	return pwrite(fd, bytes, kept, 0) == (ssize_t)kept && !ftruncate(fd, (off_t)kept) &&
	       !close(fd);
}

int main(int argc, char **argv)
{
	struct strata_recording recording = { 0 };
	struct strata_packet_reader reader;
	struct strata_error error = { "" };
	struct strata_source *source;
	struct place place = { 0 };

	if (argc != 3 || strata_recording_load(&recording, argv[2], &error)) {
		fprintf(stderr, "usage: nmi_mutate FAULT RECORDING: %s\n", error.text);
		return 2;
	}
	source = &recording.sources[0];
	if (!recording.nr_sources || source->layer != STRATA_LAYER_XEN ||
	    strata_source_load_events(source, argv[2], &error) ||
	    strata_packet_reader_open(&reader, argv[2], source, &source->streams[0], NULL, NULL,
				      &error) ||
	    !find(&reader, &place) || !mutate(argv[1], reader.path, &place)) {
		fprintf(stderr, "nmi_mutate: %s: no place for a fault %s\n", argv[2], error.text);
		return 1;
	}
	printf("%s: offset %" PRIu64 " + %zu\n", argv[1], place.packet, place.record);
	strata_packet_reader_close(&reader);
	return 0;
}
