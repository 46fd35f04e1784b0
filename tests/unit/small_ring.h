/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small_ring.h - a ring of four sub-buffers of 4 KiB, a clock that the test sets, and the books of
 * one writer and one reader of the ring.
 *
 * It is a header, because the core is compiled against the test's clock.
 */
#ifndef STRATA_TESTS_SMALL_RING_H
#define STRATA_TESTS_SMALL_RING_H

#include <stdint.h>

static uint64_t ticks_now;

#define strata_clock()           (ticks_now++)
#define STRATA_WRITERS_SHARE_CPU 1

#include "record_audit.h"

#define SUBBUF_BYTES 4096u
#define SUBBUF_ROOM  (SUBBUF_BYTES - STRATA_PACKET_HEADER_BYTES)
#define HEAD         (STRATA_RECORD_HEADER_BYTES + (uint32_t)sizeof(struct audit_payload))

static const struct strata_ring_geometry small_ring = { 12, 2 };

static struct ring_fixture fixture;
static struct record_audit audit;

static inline int open_small_ring(void **state)
{
	(void)state;
	ticks_now = 1000;
	ring_fixture_open(&fixture, small_ring, 0);
	audit_open(&audit, fixture.ring, 1u << 16);
	return 0;
}

static inline int close_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	ring_fixture_close(&fixture);
	return 0;
}

/* Writes one record that takes @bytes in the ring. */
static inline bool write_bytes(uint32_t bytes)
{
	return audited_write(&audit, fixture.ring, 0, (bytes - HEAD) / 4);
}

/* Fills the sub-buffer that is being written until @bytes are left of it. */
static inline void leave_room(uint32_t bytes)
{
	uint32_t offset = (uint32_t)strata_subbuf_offset(small_ring, fixture.ring->write_count);
	uint32_t room = offset ? SUBBUF_BYTES - offset : SUBBUF_ROOM;

	for (; room - bytes > 2000; room -= 1000)
		assert_true(write_bytes(1000));
	assert_true(write_bytes(room - bytes));
}

static inline const struct strata_packet_header *next_packet(void)
{
	assert_true(strata_reader_get(&fixture.reader));
	return strata_reader_subbuf(&fixture.reader);
}

static inline void balance(void)
{
	audit_balance(&audit, &fixture);
	assert_books_balance(&audit);
}

#define SMALL_RING_TEST(name) cmocka_unit_test_setup_teardown(name, open_small_ring, close_ring)

#endif /* STRATA_TESTS_SMALL_RING_H */
