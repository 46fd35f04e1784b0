// SPDX-License-Identifier: GPL-2.0-or-later
/* Applications are accepted all at once, and then served in turns by user; one that ended is no
 * failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "stratad/domains/apps.h"

#include "../raw_app.h"

#define IN_LINE   200u
#define TURNS_MAX 5000u

static char dir[64];
static struct app_selection all = { .program = "all", .events = "*" };
static struct peer_looks looks;
static struct memory_makers makers;
static struct apps apps;

static int open_world(void **state)
{
	char path[100];
	struct strata_error error;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/strata-test-apps-XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(peer_looks_open(&looks, 0, &error), 0);
	assert_int_equal(memory_makers_open(&makers, &error), 0);
	snprintf(path, sizeof(path), "%s/socket", dir);
	setenv(STRATA_APP_SOCKET_VARIABLE, path, 1);
	snprintf(path, sizeof(path), "%s/recording", dir);
	apps = (struct apps){ .recorder = recorder_open(path, OUTPUT_REPLACE, &error),
			      .looks = &looks,
			      .makers = &makers,
			      .selections = &all,
			      .nr_selections = 1,
			      .listener = -1,
			      .epoll = -1,
			      .spare = -1 };
	assert_non_null(apps.recorder);
	assert_int_equal(apps_open(&apps, &error), 0);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	apps_release(&apps, true);
	peer_looks_close(&looks);
	memory_makers_close(&makers);
	recorder_abandon(apps.recorder);
	return rmdir(dir);
}

static int connect_once(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", dir);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static size_t nr_received(void)
{
	size_t nr = 0, i;

	for (i = 0; i < apps.nr; i++)
		nr += apps.list[i]->step > APPLICATION_ARRIVED;
	return nr;
}

/* Serves them for a while.  How many of them it has received. */
static size_t tend(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const size_t before = nr_received();

	principals_begin_turn(recorder_principals(apps.recorder));
	apps_tend(&apps);
	nanosleep(&pause, NULL);
	return nr_received() - before;
}

static void nobody_waits_in_line_for_those_before_him(void **state)
{
	const size_t a_turn = PRINCIPAL_TALKING_BYTES / PRINCIPAL_FILE_BYTES;
	int sockets[IN_LINE];
	size_t nr;
	unsigned int i;

	(void)state;
	for (i = 0; i < IN_LINE; i++)
		sockets[i] = connect_once();
	nr = tend();
	assert_true(apps.all_accepted);
	assert_int_equal(apps.nr, IN_LINE);
	/* Finding out what they are is work for their own user, and comes in turns; how many come
	 * in one depends on how long the looks at those before them took. */
	assert_in_range(nr, 1, a_turn);
	for (i = 0; i < TURNS_MAX && nr_received() <= a_turn; i++)
		assert_in_range(tend(), 0, a_turn);
	assert_true(nr_received() > a_turn);
	for (i = 0; i < IN_LINE; i++)
		close(sockets[i]);
}

static void describe(int fd, unsigned int nr_events)
{
	struct strata_event_desc event = {
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		event.id = i;
		snprintf(event.name, sizeof(event.name), "tick_%u", i);
		raw_app_say(fd, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(1), 0);
	}
}

/* Waits until all is done.  Returns how many events of the program were added in one turn at
 * most. */
static size_t settle(void)
{
	size_t before, most = 0;

	do {
		before = apps.list[0]->nr_added;
		tend();
		if (apps.list[0]->nr_added - before > most)
			most = apps.list[0]->nr_added - before;
	} while (!apps_settled(&apps));
	return most;
}

/* A program that is recorded. */
static int begin_program(unsigned int nr_events, size_t *most)
{
	const struct strata_ring_geometry geometry = { 12, 1 };
	struct strata_single_area *area;
	struct strata_app_packet setup;
	int fd = connect_once(), memory;

	apps.channel =
		(struct app_channel){ .geometry = geometry, .mode = STRATA_APP_SINGLE_STORE };
	raw_app_say(fd, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, 1, NULL, 0, 0);
	describe(fd, nr_events);
	raw_app_say(fd, STRATA_APP_READY, 0, 0, NULL, 0, 0);
	do
		tend();
	while (apps.nr && apps.list[0]->step < APPLICATION_MAKING);
	while (apps.nr && apps.list[0]->connection->busy)
		tend();
	memory = raw_app_receive_memory(fd, &setup);
	assert_true(memory >= 0);
	area = mmap(NULL, strata_single_bytes(geometry), PROT_READ | PROT_WRITE, MAP_SHARED, memory,
		    0);
	assert_true(area != MAP_FAILED);
	strata_single_init(area, geometry, 0, false);
	munmap(area, strata_single_bytes(geometry));
	close(memory);
	raw_app_say(fd, STRATA_APP_ATTACHED, 0, 0, NULL, 0, 0);
	*most = settle();
	assert_int_equal(apps.nr, 1);
	return fd;
}

/* The recorder sends it a message before it hears anything else. */
static void tell_program(void)
{
	app_stop(app_connection_begin(apps.list[0]->connection));
	app_connection_send(apps.list[0]->connection);
}

static void a_program_that_ended_is_not_left_out(void **state)
{
	size_t most;
	int fd = begin_program(1, &most);

	(void)state;
	close(fd);
	tell_program();
	while (apps.nr && apps.list[0]->step < APPLICATION_LEAVING)
		tend();
	assert_int_equal(apps.left_out, 0);
}

static void many_events_are_added_over_several_turns(void **state)
{
	size_t most;
	int fd = begin_program(100, &most);

	(void)state;
	assert_int_equal(apps.list[0]->nr_added, 100);
	assert_true(most < 100);
	close(fd);
}

static void a_program_that_does_not_listen_is_left_out(void **state)
{
	size_t most;
	int fd = begin_program(1, &most);

	(void)state;
	shutdown(fd, SHUT_RD);
	tell_program();
	while (apps.nr && apps.list[0]->step < APPLICATION_LEAVING)
		tend();
	assert_int_equal(apps.left_out, 1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_waits_in_line_for_those_before_him,
						open_world, close_world),
		cmocka_unit_test_setup_teardown(a_program_that_ended_is_not_left_out, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(many_events_are_added_over_several_turns,
						open_world, close_world),
		cmocka_unit_test_setup_teardown(a_program_that_does_not_listen_is_left_out,
						open_world, close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
