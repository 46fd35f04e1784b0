// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xen_scan.c - see xen_scan.h.  Called by the merger when it opens a recording.
 */
#include "xen_scan.h"

#include <string.h>

#include "packet_reader.h"

static int scan_record(struct strata_xen_scan *scan, const struct strata_record *record,
		       struct strata_error *error)
{
	struct strata_hv_vcpu_clock clock;

	if (record->event->id != (uint32_t)STRATA_HV_VCPU_CLOCK ||
	    strata_event_payload_bytes(record->event) < sizeof(clock))
		return 0;
	memcpy(&clock, record->payload, sizeof(clock));
	if (!strata_clock_maps_add(&scan->maps, record->ticks, &clock))
		return strata_fail(error, "out of memory for the clocks of vCPUs");
	return 0;
}

static int scan_stream(struct strata_xen_scan *scan, struct strata_packet_reader *reader,
		       uint64_t nr_recorded, struct strata_error *error)
{
	uint64_t first = 0, last = 0;
	bool any = false;

	while (strata_packet_reader_next(reader)) {
		size_t offset = STRATA_PACKET_HEADER_BYTES;
		struct strata_record record;

		while (strata_packet_next(reader->source, reader->bytes, &reader->packet, &offset,
					  &record)) {
			if (!any)
				first = record.ticks;
			any = true;
			if (scan_record(scan, &record, error))
				return -1;
		}
		last = reader->packet.end_ticks;
	}
	if (!any) {
		scan->incomplete |= nr_recorded > 0;
		return 0;
	}
	if (!scan->any || first > scan->covered_from)
		scan->covered_from = first;
	if (!scan->any || last < scan->covered_until)
		scan->covered_until = last;
	scan->any = true;
	return 0;
}

int strata_xen_scan(struct strata_xen_scan *scan, struct strata_recording *recording,
		    const char *raw, struct strata_error *error)
{
	size_t i, j;

	memset(scan, 0, sizeof(*scan));
	for (i = 0; i < recording->nr_sources; i++) {
		struct strata_source *source = &recording->sources[i];

		if (source->layer != STRATA_LAYER_XEN)
			continue;
		for (j = 0; j < source->nr_streams; j++) {
			struct strata_packet_reader reader;
			int status;

			if (strata_packet_reader_open(&reader, raw, source, &source->streams[j],
						      NULL, NULL, error))
				return -1;
			status = scan_stream(scan, &reader, source->streams[j].packets, error);
			strata_packet_reader_close(&reader);
			if (status)
				return -1;
		}
	}
	strata_clock_maps_sort(&scan->maps);
	/* What ran on the CPU whose stream is gone, nobody knows: no time is covered. */
	if (scan->incomplete) {
		scan->covered_from = UINT64_MAX;
		scan->covered_until = 0;
	}
	return 0;
}

void strata_xen_scan_clear(struct strata_xen_scan *scan)
{
	strata_clock_maps_clear(&scan->maps);
	memset(scan, 0, sizeof(*scan));
}
