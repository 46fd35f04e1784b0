// SPDX-License-Identifier: GPL-2.0-or-later
/* Applications are accepted all at once, and then served in turns by user. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "stratad/domains/apps.h"

#define IN_LINE 200u

static char dir[] = "/tmp/strata-test-apps-XXXXXX";
static struct app_selection all = { .program = "all" };
static struct peer_looks looks;
static struct apps apps;

static int open_world(void **state)
{
	char path[100];
	struct strata_error error;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(peer_looks_open(&looks, 0, &error), 0);
	snprintf(path, sizeof(path), "%s/socket", dir);
	setenv(STRATA_APP_SOCKET_VARIABLE, path, 1);
	snprintf(path, sizeof(path), "%s/recording", dir);
	apps = (struct apps){ .recorder = recorder_open(path, OUTPUT_REPLACE, &error),
			      .looks = &looks,
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

static void nobody_waits_in_line_for_those_before_him(void **state)
{
	const size_t a_turn = PRINCIPAL_TALKING_BYTES / PRINCIPAL_FILE_BYTES;
	int sockets[IN_LINE];
	unsigned int i;

	(void)state;
	for (i = 0; i < IN_LINE; i++)
		sockets[i] = connect_once();
	principals_begin_turn(recorder_principals(apps.recorder));
	apps_tend(&apps);
	assert_true(apps.all_accepted);
	assert_int_equal(apps.nr, IN_LINE);
	/* Finding out what they are is work for their own user, and comes in turns. */
	assert_int_equal(nr_received(), a_turn);
	principals_begin_turn(recorder_principals(apps.recorder));
	apps_tend(&apps);
	assert_int_equal(nr_received(), 2 * a_turn);
	for (i = 0; i < IN_LINE; i++)
		close(sockets[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_waits_in_line_for_those_before_him,
						open_world, close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
