// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill_writer.c - a process that is killed at each operation of the core, in
 * reserve, copy, commit and flush, in each situation of its ring that matters.
 *
 * Its rings lie in memory that it shares.  What it had committed before the first
 * hole must be readable, nothing may come twice or torn, its other ring must be
 * whole, and another process must be able to go on writing to both.
 *
 * Where writers of a ring share a CPU, "readable" is up to the last record; where
 * threads share it (STRATA_WRITERS_SHARE_CPU 0), it is each complete sub-buffer.
 */
#include "interruptible_platform.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_audit.h"

#define RECORD_WORDS 2u /* 32 bytes in the ring */
#define LARGE_WORDS  480u
#define RECORDS_MAX  1024u
#define KILLED       0u /* level of the process that is killed, and */
#define SURVIVOR     1u /* of the one that goes on */
#define AFTERWARDS   300u

static const struct strata_ring_geometry geo = { 12, 2 };

enum phase { RESERVE, COPY, COMMIT, FLUSH, NR_PHASES };

static const char *const phase_names[] = { "reserve", "copy", "commit", "flush" };

/* A ring, its books, and which of the records are committed, known to both processes. */
struct shared_ring {
	struct ring_fixture fixture;
	struct record_audit audit;
	strata_count_t position[2][RECORDS_MAX];
	bool reserved[2][RECORDS_MAX];
	bool committed[2][RECORDS_MAX];
	strata_count_t before; /* write count when the phase began in which it was killed */
	strata_count_t hole;   /* the first, once it is dead */
};

static struct shared_ring *ring, *other;
static uint64_t clock_now;
/* Where the process is, and where it is to be killed. */
static enum phase phase_now, phase_wanted;
static unsigned int passed, point_wanted;
static bool armed;

static uint64_t clock_shows(void)
{
	return clock_now++;
}

static void interruption_point(void)
{
	if (armed && phase_now == phase_wanted && passed++ == point_wanted)
		kill(getpid(), SIGKILL);
}

static void begin_phase(struct shared_ring *of, enum phase phase)
{
	of->before = of->fixture.ring->write_count;
	phase_now = phase;
}

static bool reserve(struct shared_ring *of, uint32_t level, uint32_t words, uint32_t *number,
		    struct strata_slot *slot)
{
	begin_phase(of, RESERVE);
	*number = of->audit.next[level];
	if (!audited_reserve(&of->audit, of->fixture.ring, level, words, slot))
		return false;
	of->position[level][*number] = slot->position;
	of->reserved[level][*number] = true;
	return true;
}

/* Copies the payload again, word by word. */
static void copy(struct shared_ring *of, const struct strata_slot *slot)
{
	uint32_t words[3 + RECORD_WORDS], i;

	begin_phase(of, COPY);
	memcpy(words, slot->payload, sizeof(words));
	memset(slot->payload, 0xee, sizeof(words));
	for (i = 0; i < sizeof(words) / 4; i++) {
		interruption_point();
		memcpy(slot->payload + 4 * i, &words[i], 4);
	}
	interruption_point();
}

static void commit(struct shared_ring *of, uint32_t level, uint32_t number,
		   const struct strata_slot *slot)
{
	begin_phase(of, COMMIT);
	strata_ring_commit(of->fixture.ring, slot);
	of->committed[level][number] = true;
}

static void write_record(struct shared_ring *of, uint32_t level, uint32_t words)
{
	struct strata_slot slot;
	uint32_t number;

	if (!reserve(of, level, words, &number, &slot))
		return;
	copy(of, &slot);
	commit(of, level, number, &slot);
}

/* What may be under way when the process is killed. */
static void a_write(void)
{
	write_record(ring, KILLED, RECORD_WORDS);
}

static void a_flush(void)
{
	begin_phase(ring, FLUSH);
	strata_ring_flush(ring->fixture.ring);
}

static void a_write_in_a_write(void)
{
	struct strata_slot slot;
	uint32_t number;

	if (!reserve(ring, KILLED, RECORD_WORDS, &number, &slot))
		return;
	write_record(ring, KILLED, RECORD_WORDS);
	commit(ring, KILLED, number, &slot);
}

static void (*const actions[])(void) = { a_write, a_flush, a_write_in_a_write };
static const char *const action_names[] = { "a write", "a flush", "a write in a write" };

#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* What was in the ring by then. */
static void nothing(void)
{
}

static void a_few_records(void)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		write_record(ring, KILLED, RECORD_WORDS);
}

/* Leaves @bytes of the sub-buffer. */
static void leave_room(uint32_t bytes)
{
	strata_count_t room;

	a_few_records();
	room = strata_subbuf_bytes(geo) -
	       strata_subbuf_offset(geo, ring->fixture.ring->write_count) - bytes;
	write_record(ring, KILLED, (uint32_t)(room - STRATA_RECORD_HEADER_BYTES - 12) / 4);
}

static void room_for_less_than_a_record(void)
{
	leave_room(20);
}

static void room_for_exactly_a_record(void)
{
	leave_room(32);
}

static void a_whole_subbuffer(void)
{
	leave_room(0);
}

/* The next sub-buffer that is opened was used before. */
static void a_turn_and_a_bit(void)
{
	unsigned int i;

	for (i = 0; i < 9; i++) {
		write_record(ring, KILLED, LARGE_WORDS);
		audit_drain(&ring->audit, &ring->fixture.reader);
	}
	room_for_less_than_a_record();
}

static void a_full_ring(void)
{
	unsigned int i;

	for (i = 0; i < 7; i++)
		write_record(ring, KILLED, LARGE_WORDS);
	leave_room(20);
}

static void (*const situations[])(void) = { nothing,
					    a_few_records,
					    room_for_less_than_a_record,
					    room_for_exactly_a_record,
					    a_whole_subbuffer,
					    a_turn_and_a_bit,
					    a_full_ring };
static const char *const situation_names[] = { "nothing",
					       "a few records",
					       "room for less than a record",
					       "room for exactly a record",
					       "a whole sub-buffer",
					       "a turn and a bit",
					       "a full ring" };

#define NR_SITUATIONS (sizeof(situations) / sizeof(situations[0]))

static void open_ring(struct shared_ring *of)
{
	ring_fixture_reset(&of->fixture, geo, wraps_after(geo, 1));
	audit_reset(&of->audit, of->fixture.ring);
	memset(of->reserved, 0, sizeof(of->reserved));
	memset(of->committed, 0, sizeof(of->committed));
}

/* Takes all that is complete, and steps over what is not and never will be. */
static void read_all(struct shared_ring *of, struct strata_ring_reader *reader)
{
	static uint32_t prefix[(1u << 12) / 4];
	uint32_t bytes, offset, length;
	uint64_t ticks;

	for (;;) {
		audit_drain(&of->audit, reader);
		if (strata_reader_newest(reader) - reader->read_count >= strata_buffer_bytes(geo))
			return;
		bytes = strata_reader_copy_prefix(reader, reader->read_count, prefix);
		ticks = 0;
		for (offset = STRATA_PACKET_HEADER_BYTES; offset < bytes; offset += length) {
			length = audit_record(&of->audit, (unsigned char *)prefix + offset,
					      bytes - offset, &ticks);
			if (!length)
				break;
		}
		if (reader->read_count == strata_reader_newest(reader))
			return;
		strata_reader_put(reader);
		of->audit.sequence = reader->read_count >> geo.subbuf_bits;
	}
}

/* Of what was reserved and not committed, or is unknown, the first. */
static strata_count_t first_hole(const struct shared_ring *of)
{
	strata_count_t hole = of->before;
	uint32_t number;

	for (number = 0; number < of->audit.next[KILLED]; number++)
		if (of->reserved[KILLED][number] && !of->committed[KILLED][number] &&
		    (of->position[KILLED][number] - hole) >> (STRATA_COUNT_BITS - 1))
			hole = of->position[KILLED][number];
	return hole;
}

/* What the dead process left is found up to the first hole; its last record, if it was. */
static void check_the_dead(struct shared_ring *of)
{
	strata_count_t end = STRATA_WRITERS_SHARE_CPU ? of->hole
						      : strata_subbuf_start(geo, of->hole);
	uint32_t number;

	for (number = 0; number < of->audit.next[KILLED]; number++) {
		bool before = (of->position[KILLED][number] - end) >> (STRATA_COUNT_BITS - 1);
		unsigned int found = of->audit.found[KILLED][number];

		if (of->committed[KILLED][number] && before && found != 1)
			audit_complain(&of->audit, "record %u was committed and is not found",
				       number);
		if (found && of->audit.fate[KILLED][number] == RECORD_LOST)
			audit_complain(&of->audit, "record %u was lost and is found", number);
	}
}

/* Looks at what the dead process left, as a snapshot does, and leaves it there. */
static void check_post_mortem(struct shared_ring *of)
{
	static uint8_t found[RECORDS_MAX];
	struct strata_ring_reader reader = of->fixture.reader;
	struct record_audit before = of->audit;

	memcpy(found, before.found[KILLED], sizeof(found));
	reader.shared = NULL;
	read_all(of, &reader);
	check_the_dead(of);
	before.errors = of->audit.errors;
	memcpy(before.first_error, of->audit.first_error, sizeof(before.first_error));
	of->audit = before;
	memcpy(before.found[KILLED], found, sizeof(found));
}

/* Another process goes on: what it commits is found, but in the sub-buffer that has the hole. */
static void survive(struct shared_ring *of, bool damaged)
{
	strata_count_t hole = strata_subbuf_start(geo, of->hole);
	unsigned int i, lost = 0, missed = 0;

	for (i = 0; i < AFTERWARDS; i++) {
		write_record(of, SURVIVOR, RECORD_WORDS);
		if (i % 20 == 19) {
			strata_ring_flush(of->fixture.ring);
			audit_drain(&of->audit, &of->fixture.reader);
		}
	}
	read_all(of, &of->fixture.reader);
	for (i = 0; i < of->audit.next[SURVIVOR]; i++) {
		if (of->audit.fate[SURVIVOR][i] == RECORD_LOST) {
			lost++;
			continue;
		}
		if (of->audit.found[SURVIVOR][i] == 1)
			continue;
		missed++;
		if (!damaged || strata_subbuf_start(geo, of->position[SURVIVOR][i]) - hole >
					strata_subbuf_bytes(geo))
			audit_complain(&of->audit, "the survivor's record %u is missing", i);
	}
	if (!damaged && (lost || missed))
		audit_complain(&of->audit, "a whole ring lost %u and hid %u records", lost, missed);
}

/* One life and death.  False: the phase has no such point; nobody was killed. */
static bool live_until(size_t situation, size_t action, enum phase phase, unsigned int point)
{
	int status;
	pid_t pid;

	open_ring(ring);
	open_ring(other);
	clock_now = 1;
	phase_wanted = phase;
	point_wanted = point;
	passed = 0;
	pid = fork();
	if (pid < 0)
		fail_msg("fork fails");
	if (pid == 0) {
		write_record(other, KILLED, RECORD_WORDS);
		situations[situation]();
		armed = true;
		actions[action]();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid)
		fail_msg("waitpid fails");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return false;
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		fail_msg("the process ended by itself, status %#x", (unsigned int)status);

	/* The dead one's clock is not known here. */
	clock_now = 1u << 20;
	ring->hole = first_hole(ring);
	check_post_mortem(ring);
	survive(ring, true);
	check_the_dead(ring);
	survive(other, false);
	if (ring->audit.errors || other->audit.errors)
		fail_msg("%s, and in %s killed at point %u of %s: %s", situation_names[situation],
			 action_names[action], point, phase_names[phase],
			 ring->audit.errors ? ring->audit.first_error : other->audit.first_error);
	return true;
}

static void kill_in(enum phase phase)
{
	unsigned int point, points = 0;
	size_t situation, action;

	for (situation = 0; situation < NR_SITUATIONS; situation++)
		for (action = 0; action < NR_ACTIONS; action++)
			for (point = 0; live_until(situation, action, phase, point); point++)
				points++;
	print_message("# killed at %u points of %s\n", points, phase_names[phase]);
	assert_in_range(points, 30, UINT32_MAX);
}

static void a_writer_killed_in_reserve_leaves_what_it_committed(void **state)
{
	(void)state;
	kill_in(RESERVE);
}

static void a_writer_killed_in_copy_leaves_what_it_committed(void **state)
{
	(void)state;
	kill_in(COPY);
}

static void a_writer_killed_in_commit_leaves_what_it_committed(void **state)
{
	(void)state;
	kill_in(COMMIT);
}

static void a_writer_killed_in_flush_leaves_what_it_committed(void **state)
{
	(void)state;
	kill_in(FLUSH);
}

static int make_rings(void **state)
{
	(void)state;
	ring = audit_memory(sizeof(*ring));
	other = audit_memory(sizeof(*other));
	ring_fixture_open(&ring->fixture, geo, 0);
	ring_fixture_open(&other->fixture, geo, 0);
	audit_open(&ring->audit, ring->fixture.ring, RECORDS_MAX);
	audit_open(&other->audit, other->fixture.ring, RECORDS_MAX);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_writer_killed_in_reserve_leaves_what_it_committed),
		cmocka_unit_test(a_writer_killed_in_copy_leaves_what_it_committed),
		cmocka_unit_test(a_writer_killed_in_commit_leaves_what_it_committed),
		cmocka_unit_test(a_writer_killed_in_flush_leaves_what_it_committed),
	};

	return cmocka_run_group_tests_name("kill_writer", tests, make_rings, NULL);
}
