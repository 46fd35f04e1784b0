// SPDX-License-Identifier: GPL-2.0-or-later
/* rings.c - see rings.h. */
#include "rings.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <strata/abi/app.h>
#include <strata/clock.h>

#define RECORD_BYTES 20u /* of a record of an event without fields */

/* Writes records of an event without fields, and as the last one a record of an event that does not
 * exist.  Returns where they end. */
static uint32_t fill(unsigned char *subbuf, struct strata_ring_geometry geo, uint64_t ticks)
{
	const struct strata_app_context context = { (int32_t)getpid(), (int32_t)getpid() };
	const struct strata_record_header header = { 0, ticks }, unknown = { 1, ticks };
	uint32_t at = STRATA_PACKET_HEADER_BYTES;

	for (; at + RECORD_BYTES <= strata_subbuf_bytes(geo); at += RECORD_BYTES) {
		memcpy(subbuf + at, &header, sizeof(header));
		memcpy(subbuf + at + sizeof(header), &context, sizeof(context));
	}
	memcpy(subbuf + at - RECORD_BYTES, &unknown, sizeof(unknown));
	return at;
}

void fill_once(const struct connection *connection, uint32_t cpu)
{
	struct strata_single_area *area = area_of(connection, cpu);
	unsigned char *data = (unsigned char *)area + STRATA_SINGLE_HEAD_BYTES;
	uint64_t ticks = strata_clock();
	uint32_t i;

	for (i = 0; i < strata_nr_subbufs(connection->geo); i++)
		area->closed[i].content_bytes = fill(
			data + i * strata_subbuf_bytes(connection->geo), connection->geo, ticks);
}

void fill_all_once(uint32_t nr)
{
	uint32_t i, cpu;

	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			fill_once(&connections[i], cpu);
}

void fill_with_nothing(const struct connection *connection, uint32_t cpu)
{
	struct strata_single_area *area = area_of(connection, cpu);
	uint32_t i;

	for (i = 0; i < strata_nr_subbufs(connection->geo); i++)
		area->closed[i].content_bytes = STRATA_PACKET_HEADER_BYTES + RECORD_BYTES;
}

static const struct strata_single_reader_area *reader_of(const struct connection *connection,
							 uint32_t cpu)
{
	return strata_single_reader_area(area_of(connection, cpu));
}

void refill(const struct connection *connection, uint32_t cpu)
{
	const struct strata_ring_geometry geo = connection->geo;
	uint64_t full = (strata_nr_subbufs(geo) - 1ull) << geo.subbuf_bits;

	/* Both pair with the recorder's accesses, as a writer's do. */
	strata_store_release(&area_of(connection, cpu)->position,
			     strata_load_acquire(&reader_of(connection, cpu)->read_count) + full +
				     STRATA_PACKET_HEADER_BYTES);
}

void refill_all(uint32_t nr)
{
	uint32_t i, cpu;

	for (i = 0; i < nr; i++)
		for (cpu = 0; cpu < connections[i].cpus; cpu++)
			refill(&connections[i], cpu);
}

bool has_hung_up(const struct connection *connection)
{
	struct pollfd hung_up = { .fd = connection->socket };

	return poll(&hung_up, 1, 0) != 0;
}

void be_read(const struct connection *connection, uint32_t cpu)
{
	const struct strata_single_reader_area *reader = reader_of(connection, cpu);
	const uint64_t begin = strata_load_acquire(&reader->read_count);

	while (strata_load_acquire(&reader->read_count) - begin <
		       2 * strata_buffer_bytes(connection->geo) &&
	       !has_hung_up(connection)) {
		refill(connection, cpu);
		usleep(1000);
	}
}
