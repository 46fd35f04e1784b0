// SPDX-License-Identifier: GPL-2.0-or-later
/* Applications are accepted all at once, and then served in turns by user, each when its turn
 * comes; one that ended is no failure; and the loop frees no memory of rings, which may take long.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/memory_maker.h"
#include "stratad/domains/apps.h"

#include "../raw_app.h"

#define IN_LINE   200u
#define TURNS_MAX 5000u
#define IN_BURST  200u /* programs */
#define AHEAD     8u   /* of them wait for memory: then nobody else is looked at */
#define SERVED    10u  /* get it before the line stands still */

static char dir[64];
static struct app_selection all = { .program = "all", .events = "*" };
static struct peer_looks looks;
static struct memory_makers makers;
static struct apps apps;

/* The memory of the kernel's (kernel_memory.h) that was made last, by another process. */
static uint32_t *last_made;

/* Whether this thread, whose loop it is, closed that memory. */
static bool is_closed_by_loop;

/* What time has passed besides. */
static time_t more_s;

/* By each byte that is written here, a played maker obeys one order. */
static int go_ahead;

static uint32_t memory_of(int fd)
{
	char path[40], line[80];
	unsigned int id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	while (file && !id && fgets(line, sizeof(line), file))
		if (sscanf(line, "map_id: %u", &id) != 1)
			id = 0;
	if (file)
		fclose(file);
	return id;
}

/* In place of the C library's. */
int close(int fd)
{
	if (last_made && syscall(SYS_gettid) == getpid() && memory_of(fd) == *last_made)
		is_closed_by_loop = *last_made != 0;
	return (int)syscall(SYS_close, fd);
}

/* In place of the C library's.  The time that threads take goes on as it does. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	const int failed = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)
		now->tv_sec += more_s;
	return failed;
}

static void open_apps(void)
{
	char path[100];
	struct strata_error error;

	snprintf(dir, sizeof(dir), "/tmp/strata-test-apps-XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(peer_looks_open(&looks, 0, &error), 0);
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
}

static int open_world(void **state)
{
	struct strata_error error;

	(void)state;
	assert_int_equal(memory_makers_open(&makers, &error), 0);
	open_apps();
	return 0;
}

/* A helper that makes memory, played by play(socket, end). */
static void play_maker(void (*play)(int socket, int end), int end)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	makers.helper = fork();
	if (makers.helper == 0) {
		close(ends[0]);
		if (go_ahead)
			close(go_ahead);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		play(ends[1], end);
		_exit(0);
	}
	assert_true(makers.helper > 0);
	close(ends[1]);
	makers.socket = ends[0];
	open_apps();
}

/* Obeys each order twice: when it was answered early, a maker obeys it again. */
static void make_twice(int socket, int unused)
{
	struct memory_order order;
	unsigned int time;

	(void)unused;
	while (recv(socket, &order, sizeof(order), 0) == (ssize_t)sizeof(order))
		for (time = 0; time < 2; time++) {
			order.failed = kernel_memory_make(order.bytes, &order.memory) ? errno : 0;
			*last_made = order.memory.id;
			memory_maker_answer(socket, &order);
		}
}

static int open_world_made_twice(void **state)
{
	(void)state;
	last_made = mmap(NULL, sizeof(*last_made), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(last_made != MAP_FAILED);
	play_maker(make_twice, -1);
	return 0;
}

static void make_when_told(int socket, int end)
{
	struct memory_order order;
	char told;

	while (read(end, &told, 1) == 1 &&
	       recv(socket, &order, sizeof(order), 0) == (ssize_t)sizeof(order)) {
		order.failed = kernel_memory_make(order.bytes, &order.memory) ? errno : 0;
		memory_maker_answer(socket, &order);
	}
}

static int open_world_of_a_slow_maker(void **state)
{
	int ends[2];

	(void)state;
	setenv(STRATA_APP_WAIT_VARIABLE, "100000", 1);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	go_ahead = ends[1];
	play_maker(make_when_told, ends[0]);
	unsetenv(STRATA_APP_WAIT_VARIABLE);
	close(ends[0]);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	if (go_ahead)
		close(go_ahead);
	go_ahead = 0;
	apps_release(&apps, true);
	peer_looks_close(&looks);
	memory_makers_close(&makers);
	/* If it is a played one; the true one has children to wait for. */
	while (waitpid(-1, NULL, 0) > 0)
		;
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

static void the_loop_frees_no_memory(void **state)
{
	size_t most;
	int fd = begin_program(1, &most);
	unsigned int turn;

	(void)state;
	/* The second one has come after the first one, and no program has it. */
	for (turn = 0; turn < TURNS_MAX && kernel_memory_exists(*last_made); turn++)
		tend();
	assert_false(kernel_memory_exists(*last_made));
	close(fd);
	while (apps.nr && apps.list[0]->step < APPLICATION_LEAVING)
		tend();
	assert_false(is_closed_by_loop);
}

static size_t nr_from(enum application_step step)
{
	size_t nr = 0, i;

	for (i = 0; i < apps.nr; i++)
		nr += apps.list[i]->step >= step;
	return nr;
}

static size_t nr_orders(void)
{
	size_t nr = 0, i;

	for (i = 0; i < apps.nr_asked; i++)
		nr += apps.asked[i].of_memory;
	return nr;
}

/* Many programs begin at once; all of them say at once what they have to say. */
static void begin_burst(int *sockets)
{
	const struct strata_ring_geometry geometry = { 12, 1 };
	unsigned int i;

	apps.channel =
		(struct app_channel){ .geometry = geometry, .mode = STRATA_APP_SINGLE_STORE };
	for (i = 0; i < IN_BURST; i++) {
		sockets[i] = connect_once();
		raw_app_say(sockets[i], STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, 1, NULL, 0, 0);
		describe(sockets[i], 1);
		raw_app_say(sockets[i], STRATA_APP_READY, 0, 0, NULL, 0, 0);
		while (i == AHEAD - 1 && nr_orders() < AHEAD)
			tend();
	}
	tend();
	assert_int_equal(apps.nr, IN_BURST);
	assert_int_equal(nr_received(), AHEAD);
}

static void end_burst(const int *sockets)
{
	unsigned int i;

	for (i = 0; i < IN_BURST; i++)
		close(sockets[i]);
}

/* Some have their turn.  The last ones wait for longer than anything else may take. */
static void serve_some(void)
{
	size_t served;

	for (served = 1; served <= SERVED; served++) {
		more_s += 450 / SERVED;
		assert_int_equal(write(go_ahead, "", 1), 1);
		while (nr_from(APPLICATION_MAKING) < served && !apps.left_out)
			tend();
		assert_int_equal(apps.left_out, 0);
	}
	assert_in_range(nr_received(), 1, IN_BURST - 1);
}

static void a_program_has_its_turn_however_long_those_before_it_take(void **state)
{
	int sockets[IN_BURST];
	unsigned int i;

	(void)state;
	begin_burst(sockets);
	serve_some();
	/* Now the line stands still. */
	more_s += 110;
	for (i = 0; i < TURNS_MAX && apps.nr > nr_received(); i++)
		tend();
	assert_true(apps.left_out > 0);
	end_burst(sockets);
}

static void whose_turn_never_comes_is_named_at_the_end(void **state)
{
	int sockets[IN_BURST + 1];

	(void)state;
	begin_burst(sockets);
	serve_some();
	/* It is not missed: it has come only now. */
	sockets[IN_BURST] = connect_once();
	tend();
	assert_int_equal(apps.nr, IN_BURST + 1);
	apps_stop(&apps);
	assert_int_equal(apps.left_out, IN_BURST - nr_received());
	close(sockets[IN_BURST]);
	end_burst(sockets);
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
		cmocka_unit_test_setup_teardown(
			a_program_has_its_turn_however_long_those_before_it_take,
			open_world_of_a_slow_maker, close_world),
		cmocka_unit_test_setup_teardown(whose_turn_never_comes_is_named_at_the_end,
						open_world_of_a_slow_maker, close_world),
		cmocka_unit_test_setup_teardown(the_loop_frees_no_memory, open_world_made_twice,
						close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
