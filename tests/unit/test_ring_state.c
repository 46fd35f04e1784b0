// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_state.c - the four equations of ring_state.h against a model that
 * does not wrap: positions there are twice as wide as the counters, and every
 * answer follows from a history (so many whole turns, so many bytes of this one)
 * instead of from masks.
 */
#include <limits.h>

#include "ring_fixture.h"

#if ULONG_MAX > UINT32_MAX
__extension__ typedef unsigned __int128 wide_t;
#else
typedef uint64_t wide_t;
#endif

static const struct strata_ring_geometry geometries[] = {
	{ 12, 1 }, { 12, 3 }, { 14, 2 }, { 16, 4 }, { 22, 1 }, { 12, 8 }, { 22, 8 },
};

#define NR_GEOMETRIES (sizeof(geometries) / sizeof(geometries[0]))

/* Buffers before the counters wrap at which a history begins; 0: none in sight. */
static const unsigned int buffers_to_the_wrap[] = { 0, 1, 2, 5 };

#define NR_STARTS (sizeof(buffers_to_the_wrap) / sizeof(buffers_to_the_wrap[0]))

/* The moves of a writer and a reader, in numbers that never wrap. */
struct history {
	struct strata_ring_geometry geo;
	wide_t first; /* a multiple of the buffer's size */
};

static wide_t subbuf_bytes(const struct history *history)
{
	return (wide_t)1 << history->geo.subbuf_bits;
}

static wide_t nr_subbufs(const struct history *history)
{
	return (wide_t)1 << history->geo.nr_subbufs_bits;
}

/* Bytes committed to the sub-buffer at @position, @into bytes of its present turn included. */
static strata_count_t commit_count(const struct history *history, wide_t position, wide_t into)
{
	wide_t turns = position / subbuf_bytes(history) / nr_subbufs(history);

	return (strata_count_t)(turns * subbuf_bytes(history) + into);
}

static void for_each_history(void (*check)(const struct history *history))
{
	size_t i, j;

	for (i = 0; i < NR_GEOMETRIES; i++) {
		for (j = 0; j < NR_STARTS; j++) {
			struct history history = { geometries[i], 0 };

			if (buffers_to_the_wrap[j])
				history.first = ((wide_t)1 << STRATA_COUNT_BITS) -
						buffers_to_the_wrap[j] * subbuf_bytes(&history) *
							nr_subbufs(&history);
			check(&history);
		}
	}
}

/* Positions worth a look in a sub-buffer: both ends and something between. */
static wide_t place(const struct history *history, unsigned int which)
{
	wide_t places[] = { 0, 4, subbuf_bytes(history) / 2, subbuf_bytes(history) - 4,
			    subbuf_bytes(history) - 1 };

	return places[which];
}

#define NR_PLACES 5u

static void check_position(const struct history *history)
{
	unsigned int turn, which;

	for (turn = 0; turn < 3 * nr_subbufs(history); turn++) {
		for (which = 0; which < NR_PLACES; which++) {
			wide_t start = history->first + turn * subbuf_bytes(history);
			wide_t wide = start + place(history, which);
			strata_count_t position = (strata_count_t)wide;
			wide_t up = which ? start + subbuf_bytes(history) : start;

			assert_int_equal(strata_subbuf_index(history->geo, position),
					 (unsigned int)(turn % nr_subbufs(history)));
			assert_true(strata_subbuf_offset(history->geo, position) ==
				    (strata_count_t)place(history, which));
			assert_true(strata_subbuf_start(history->geo, position) ==
				    (strata_count_t)start);
			assert_true(strata_subbuf_align_up(history->geo, position) ==
				    (strata_count_t)up);
		}
	}
}

static void a_position_names_a_subbuffer_and_a_place_in_it(void **state)
{
	(void)state;
	for_each_history(check_position);
}

static void check_full(const struct history *history)
{
	unsigned int read, ahead, which;

	for (read = 0; read < 2 * nr_subbufs(history); read++) {
		for (ahead = 0; ahead <= nr_subbufs(history) + 1; ahead++) {
			for (which = 0; which < NR_PLACES; which++) {
				wide_t reader = history->first + read * subbuf_bytes(history);
				wide_t writer = reader + ahead * subbuf_bytes(history) +
						place(history, which);
				bool full = strata_buffer_full(history->geo, (strata_count_t)writer,
							       (strata_count_t)reader);

				assert_int_equal(full, ahead >= nr_subbufs(history));
			}
		}
	}
}

static void equation_1_the_buffer_is_full_when_the_writer_is_a_buffer_ahead(void **state)
{
	(void)state;
	for_each_history(check_full);
}

static void check_reader_ahead(const struct history *history)
{
	wide_t writer = history->first + 3 * subbuf_bytes(history);
	unsigned int ahead;

	for (ahead = 1; ahead < 300; ahead++)
		assert_true(strata_buffer_full(
			history->geo, (strata_count_t)writer,
			(strata_count_t)(writer + ahead * subbuf_bytes(history))));
}

static void equation_1_a_reader_ahead_of_the_writer_makes_the_buffer_full(void **state)
{
	(void)state;
	for_each_history(check_reader_ahead);
}

/* Commit counts worth a look, as bytes of the turn that @position is in. */
static void check_commits(const struct history *history)
{
	wide_t subbuf = subbuf_bytes(history);
	/* The start of the turn before, one short, whole; then this turn likewise. */
	wide_t backs[] = { subbuf, 4, 0 };
	wide_t intos[] = { 4, subbuf / 2, subbuf - 4, subbuf, 2 * subbuf };
	unsigned int turn, which, i;

	for (turn = 0; turn < 3 * nr_subbufs(history); turn++) {
		for (which = 0; which < NR_PLACES; which++) {
			wide_t wide = history->first + turn * subbuf + place(history, which);
			strata_count_t position = (strata_count_t)wide;

			for (i = 0; i < 3; i++) {
				strata_count_t commit =
					commit_count(history, wide, 0) - (strata_count_t)backs[i];

				assert_int_equal(
					strata_fully_committed(history->geo, position, commit),
					backs[i] == 0);
				assert_false(strata_subbuf_ready(history->geo, position, commit));
			}
			for (i = 0; i < 5; i++) {
				strata_count_t commit = commit_count(history, wide, intos[i]);

				assert_false(
					strata_fully_committed(history->geo, position, commit));
				assert_int_equal(
					strata_subbuf_ready(history->geo, position, commit),
					intos[i] == subbuf);
			}
		}
	}
}

static void equations_2_and_3_tell_a_whole_turn_from_any_other_count(void **state)
{
	(void)state;
	for_each_history(check_commits);
}

static void check_turn_after_turn(const struct history *history)
{
	wide_t wide = history->first;
	unsigned int turn;

	for (turn = 0; turn < 8; turn++) {
		strata_count_t whole = commit_count(history, wide, subbuf_bytes(history));
		wide_t next = wide + subbuf_bytes(history) * nr_subbufs(history);

		assert_true(strata_subbuf_ready(history->geo, (strata_count_t)wide, whole));
		assert_true(strata_fully_committed(history->geo, (strata_count_t)next, whole));
		wide = next;
	}
}

static void a_subbuffer_that_is_ready_may_be_entered_one_buffer_later(void **state)
{
	(void)state;
	for_each_history(check_turn_after_turn);
}

static void check_initial_count(const struct history *history)
{
	unsigned int i;

	for (i = 0; i < nr_subbufs(history); i++) {
		wide_t wide = history->first + i * subbuf_bytes(history);
		strata_count_t commit =
			strata_commit_at_turn(history->geo, (strata_count_t)history->first);

		assert_true(strata_fully_committed(history->geo, (strata_count_t)wide, commit));
		assert_false(strata_subbuf_ready(history->geo, (strata_count_t)wide, commit));
	}
}

static void a_new_ring_is_committed_before_its_first_turn_and_ready_nowhere(void **state)
{
	(void)state;
	for_each_history(check_initial_count);
}

static void check_being_written(const struct history *history)
{
	unsigned int turn, which;

	for (turn = 0; turn < 2 * nr_subbufs(history); turn++) {
		for (which = 0; which < NR_PLACES; which++) {
			wide_t read = history->first + turn * subbuf_bytes(history);
			wide_t write = read + place(history, which);
			strata_count_t other = (strata_count_t)(write + subbuf_bytes(history));
			strata_count_t later =
				(strata_count_t)(write +
						 subbuf_bytes(history) * nr_subbufs(history));

			assert_true(strata_subbuf_being_written(history->geo, (strata_count_t)write,
								(strata_count_t)read));
			assert_false(strata_subbuf_being_written(history->geo, other,
								 (strata_count_t)read));
			assert_false(strata_subbuf_being_written(history->geo, later,
								 (strata_count_t)read));
		}
	}
}

static void equation_4_writer_and_reader_meet_only_in_the_same_turn(void **state)
{
	(void)state;
	for_each_history(check_being_written);
}

/* Every place where a reader can be, and those beside it where none can. */
static void check_read_count(const struct history *history)
{
	wide_t buffer = subbuf_bytes(history) * nr_subbufs(history);
	wide_t read = history->first + buffer * 3;
	wide_t behind;

	for (behind = 0; behind <= buffer; behind += subbuf_bytes(history) / 4)
		assert_true(strata_read_count_possible(
			history->geo, (strata_count_t)(read + behind), (strata_count_t)read));
	assert_false(strata_read_count_possible(history->geo, (strata_count_t)(read + buffer + 1),
						(strata_count_t)read));
	assert_false(strata_read_count_possible(history->geo, (strata_count_t)(read - 1),
						(strata_count_t)read));
	assert_false(strata_read_count_possible(history->geo, (strata_count_t)(read + buffer / 2),
						(strata_count_t)(read + 8)));
}

static void a_reader_is_within_a_buffer_of_the_writer_or_nowhere(void **state)
{
	(void)state;
	for_each_history(check_read_count);
}

static void a_geometry_is_valid_within_its_limits_and_not_beyond(void **state)
{
	unsigned int subbuf_bits, nr_subbufs_bits;

	(void)state;
	for (subbuf_bits = 0; subbuf_bits < 256; subbuf_bits++) {
		for (nr_subbufs_bits = 0; nr_subbufs_bits < 256; nr_subbufs_bits++) {
			struct strata_ring_geometry geo = { (uint8_t)subbuf_bits,
							    (uint8_t)nr_subbufs_bits };

			assert_int_equal(strata_geometry_valid(geo),
					 subbuf_bits >= 12 && subbuf_bits <= 22 &&
						 nr_subbufs_bits >= 1 && nr_subbufs_bits <= 8);
		}
	}
}

static void the_layout_is_what_a_reader_of_this_version_expects(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct strata_packet_header), 104);
	assert_int_equal(offsetof(struct strata_packet_header, timestamp_begin), 24);
	assert_int_equal(offsetof(struct strata_packet_header, events_discarded), 64);
	assert_int_equal(offsetof(struct strata_packet_header, cpu_id), 96);
	assert_int_equal(sizeof(struct strata_record_header), 12);
	assert_int_equal(sizeof(struct strata_compact_header), 4);
	assert_int_equal(sizeof(struct strata_large_header), 8);
	assert_int_equal(sizeof(struct strata_extended_header), 16);
	assert_int_equal(offsetof(struct strata_ring_writer_area, lost), 64);
	assert_int_equal(offsetof(struct strata_ring_writer_area, commit_seq), 128);
	assert_in_range(sizeof(struct strata_ring_writer_area), 1,
			STRATA_WRITER_AREA_PAGES * STRATA_PAGE_BYTES);
	assert_int_equal(offsetof(struct strata_ring_reader_area, table), 64);
	/* Words that are loaded or exchanged in one piece, also where processors have 32 bits. */
	assert_int_equal(offsetof(struct strata_ring_subbuf, newest_ticks) % 8, 0);
	assert_int_equal(offsetof(struct strata_ring_subbuf, last_ticks) % 8, 0);
	assert_int_equal(sizeof(struct strata_ring_subbuf) % 8, 0);
	assert_int_equal(offsetof(struct strata_ring, subbuf) % 8, 0);
	assert_in_range(sizeof(struct strata_ring_reader_area), 1,
			STRATA_READER_AREA_PAGES * STRATA_PAGE_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_position_names_a_subbuffer_and_a_place_in_it),
		cmocka_unit_test(equation_1_the_buffer_is_full_when_the_writer_is_a_buffer_ahead),
		cmocka_unit_test(equation_1_a_reader_ahead_of_the_writer_makes_the_buffer_full),
		cmocka_unit_test(equations_2_and_3_tell_a_whole_turn_from_any_other_count),
		cmocka_unit_test(a_subbuffer_that_is_ready_may_be_entered_one_buffer_later),
		cmocka_unit_test(a_new_ring_is_committed_before_its_first_turn_and_ready_nowhere),
		cmocka_unit_test(equation_4_writer_and_reader_meet_only_in_the_same_turn),
		cmocka_unit_test(a_reader_is_within_a_buffer_of_the_writer_or_nowhere),
		cmocka_unit_test(a_geometry_is_valid_within_its_limits_and_not_beyond),
		cmocka_unit_test(the_layout_is_what_a_reader_of_this_version_expects),
	};

	return cmocka_run_group_tests_name("ring_state", tests, NULL, NULL);
}
