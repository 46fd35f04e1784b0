// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ctf_stream_file.c - where packets of a written stream begin and end, and which tell losses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "ctf/reader/ctf_index_file.h"
#include "outputs/ctf/ctf_stream_file.h"

#define PACKETS_MAX 32u

/* As the index has it. */
struct packet {
	uint64_t begin, end, content_bits, discarded, sequence;
};

struct world {
	char path[32];
	struct strata_dir dir;
	struct strata_ctf_stream_file file;
	struct packet packets[PACKETS_MAX];
	size_t nr_packets;
};

static const uint8_t uuid[16] = { 1 };
static const struct strata_ctf_packet_form form = { .stream_id = 7, .has_time = true };

static int begin(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct strata_dir index;
	struct strata_error error;

	snprintf(world->path, sizeof(world->path), "/tmp/strata-stream-XXXXXX");
	assert_non_null(mkdtemp(world->path));
	assert_int_equal(strata_dir_open(&world->dir, world->path, &error), 0);
	assert_int_equal(strata_dir_sub(&index, &world->dir, STRATA_CTF_INDEX_DIR, 0755, &error),
			 0);
	strata_dir_close(&index);
	assert_int_equal(strata_ctf_file_open(&world->file, &world->dir, "s", uuid, &error), 0);
	strata_ctf_file_enter(&world->file, &form);
	*state = world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;
	char command[64];

	strata_dir_close(&world->dir);
	snprintf(command, sizeof(command), "rm -r %s", world->path);
	assert_int_equal(system(command), 0);
	free(world);
	return 0;
}

static void put_event(struct world *world, uint64_t ns)
{
	struct strata_error error;

	assert_int_equal(strata_ctf_file_room(&world->file, 1, ns, &error), 0);
	world->file.packet[world->file.at / 8] = 1;
	world->file.at += 8;
}

static void lose(struct world *world, uint64_t events, uint64_t from_ns, uint64_t to_ns)
{
	const struct strata_loss loss = { .discarded = events, .from_ns = from_ns, .to_ns = to_ns };
	struct strata_error error;

	assert_int_equal(strata_ctf_file_lose(&world->file, &loss, &error), 0);
}

static void finish(struct world *world)
{
	struct strata_ctf_index_file_entry_1_1 entry;
	struct strata_error error;
	char path[64];
	FILE *index;

	assert_int_equal(strata_ctf_file_finish(&world->file, &error), 0);
	assert_int_equal(strata_ctf_file_close(&world->file, 0, &error), 0);
	snprintf(path, sizeof(path), "%s/index/s.idx", world->path);
	index = fopen(path, "r");
	assert_non_null(index);
	assert_int_equal(fseek(index, sizeof(struct strata_ctf_index_file_head), SEEK_SET), 0);
	while (fread(&entry, sizeof(entry), 1, index) == 1) {
		assert_in_range(world->nr_packets, 0, PACKETS_MAX - 1);
		world->packets[world->nr_packets++] = (struct packet){
			be64toh(entry.entry.begin),        be64toh(entry.entry.end),
			be64toh(entry.entry.content_bits), be64toh(entry.entry.discarded),
			be64toh(entry.sequence),
		};
	}
	fclose(index);
}

static void assert_packet(const struct world *world, size_t at, uint64_t begin_ns, uint64_t end_ns,
			  uint64_t events, uint64_t discarded)
{
	const struct packet *packet = &world->packets[at];
	const uint64_t head = STRATA_CTF_PACKET_HEADER_BYTES + 6 * sizeof(uint64_t);

	assert_in_range(at, 0, world->nr_packets - 1);
	assert_int_equal(packet->begin, begin_ns);
	assert_int_equal(packet->end, end_ns);
	assert_int_equal(packet->content_bits / 8 - head, events);
	assert_int_equal(packet->discarded, discarded);
}

static void a_loss_ends_the_packet_before_it(void **state)
{
	struct world *world = *state;

	put_event(world, 10);
	put_event(world, 20);
	lose(world, 5, 20, 28);
	put_event(world, 30);
	put_event(world, 40);
	finish(world);
	assert_int_equal(world->nr_packets, 2);
	assert_packet(world, 0, 10, 20, 2, 0);
	assert_packet(world, 1, 20, 40, 2, 5);
}

static void a_packet_lasts_as_long_as_its_loss(void **state)
{
	struct world *world = *state;

	lose(world, 5, 3, 50);
	put_event(world, 10);
	strata_ctf_file_enter(&world->file, &form);
	put_event(world, 70);
	lose(world, 1, 70, 90);
	put_event(world, 72);
	strata_ctf_file_enter(&world->file, &form);
	/* Events come first: no packet reaches beyond the next one's. */
	put_event(world, 80);
	finish(world);
	assert_int_equal(world->nr_packets, 5);
	assert_packet(world, 1, 3, 50, 1, 5);
	assert_packet(world, 2, 70, 70, 1, 5);
	assert_packet(world, 3, 70, 80, 1, 6);
	assert_packet(world, 4, 80, 80, 1, 6);
}

static void losses_without_an_event_between_them_get_packets(void **state)
{
	struct world *world = *state;
	unsigned int i;

	put_event(world, 10);
	for (i = 0; i < 3; i++)
		lose(world, 2, 10, 20 + i);
	put_event(world, 30);
	lose(world, 1, 30, 35);
	finish(world);
	assert_int_equal(world->nr_packets, 5);
	assert_packet(world, 1, 10, 20, 0, 2);
	assert_packet(world, 2, 20, 21, 0, 4);
	assert_packet(world, 3, 21, 30, 1, 6);
	assert_packet(world, 4, 30, 35, 0, 7);
}

static void any_number_of_losses_is_told(void **state)
{
	struct world *world = *state;
	uint64_t i;

	put_event(world, 10);
	for (i = 0; i < 100; i++)
		lose(world, 3, 10, 20 + i);
	finish(world);
	assert_int_equal(world->nr_packets, 1 + STRATA_CTF_LOSSES_MAX);
	assert_int_equal(world->packets[world->nr_packets - 1].discarded, 300);
	assert_int_equal(world->packets[world->nr_packets - 1].end, 119);
}

static void a_loss_before_the_first_event_has_an_empty_packet_before_it(void **state)
{
	struct world *world = *state;

	lose(world, 5, 3, 8);
	put_event(world, 10);
	finish(world);
	assert_int_equal(world->nr_packets, 2);
	assert_packet(world, 0, 3, 3, 0, 0);
	assert_packet(world, 1, 3, 10, 1, 5);
	assert_int_equal(world->packets[0].sequence, 0);
	assert_int_equal(world->packets[1].sequence, 1);
}

static void a_loss_of_no_events_at_all_has_two_empty_packets(void **state)
{
	struct world *world = *state;

	lose(world, 5, 3, 8);
	finish(world);
	assert_int_equal(world->nr_packets, 2);
	assert_packet(world, 0, 3, 3, 0, 0);
	assert_packet(world, 1, 3, 8, 0, 5);
}

static void a_first_packet_of_a_later_number_has_an_empty_one_before_it(void **state)
{
	struct world *world = *state;

	strata_ctf_file_count_from(&world->file, 9, 100);
	lose(world, 5, 3, 8);
	put_event(world, 10);
	finish(world);
	assert_int_equal(world->nr_packets, 2);
	assert_packet(world, 0, 3, 3, 0, 100);
	assert_packet(world, 1, 3, 10, 1, 105);
	assert_int_equal(world->packets[0].sequence, 8);
	assert_int_equal(world->packets[1].sequence, 9);
}

static void packets_that_begin_otherwise_are_others(void **state)
{
	struct world *world = *state;

	strata_buffer_put(&world->file.next_context, "a", 1);
	strata_ctf_file_enter(&world->file, &form);
	put_event(world, 10);
	strata_ctf_file_enter(&world->file, &form);
	put_event(world, 20);
	world->file.next_context.bytes[0] = 'b';
	strata_ctf_file_enter(&world->file, &form);
	put_event(world, 30);
	finish(world);
	assert_int_equal(world->nr_packets, 2);
	assert_packet(world, 0, 10, 20, 2 + 1, 0);
	assert_packet(world, 1, 30, 30, 1 + 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_loss_ends_the_packet_before_it, begin, end),
		cmocka_unit_test_setup_teardown(a_packet_lasts_as_long_as_its_loss, begin, end),
		cmocka_unit_test_setup_teardown(losses_without_an_event_between_them_get_packets,
						begin, end),
		cmocka_unit_test_setup_teardown(any_number_of_losses_is_told, begin, end),
		cmocka_unit_test_setup_teardown(
			a_loss_before_the_first_event_has_an_empty_packet_before_it, begin, end),
		cmocka_unit_test_setup_teardown(a_loss_of_no_events_at_all_has_two_empty_packets,
						begin, end),
		cmocka_unit_test_setup_teardown(
			a_first_packet_of_a_later_number_has_an_empty_one_before_it, begin, end),
		cmocka_unit_test_setup_teardown(packets_that_begin_otherwise_are_others, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
