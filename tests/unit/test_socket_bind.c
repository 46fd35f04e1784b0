// SPDX-License-Identifier: GPL-2.0-or-later
/* Listening sockets: their file's mode, and descriptors that they refuse (Linux 6.16). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumerd/host/socket_bind.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

static char dir[] = "/tmp/strata-bind-XXXXXX";
static char path[sizeof(dir) + 8];

static int listener(void)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "%s/socket", dir);
	unlink(path);
	assert_int_equal(socket_bind(fd, path, 0622), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static int client(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Sends a byte and a descriptor. 0 or errno. */
static int give(int socket, int fd)
{
	char byte = 'x';
	struct iovec part = { &byte, 1 };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .align = { .cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS,
				 .cmsg_len = CMSG_LEN(sizeof(int)) } };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? errno : 0;
}

static void test_mode(void **state)
{
	struct stat status;
	const int fd = listener();

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0622);
	close(fd);
}

static void test_descriptors_are_refused(void **state)
{
	const int fd = listener();
	const int one = client();
	socklen_t bytes = sizeof(int);
	int passes, accepted, refused;

	(void)state;
	refused = getsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &passes, &bytes) ? 0 : EPERM;
	if (!refused)
		print_message("this kernel is older than Linux 6.16: it takes descriptors\n");
	assert_int_equal(give(one, one), refused);
	accepted = accept(fd, NULL, NULL);
	assert_true(accepted >= 0);
	assert_int_equal(give(one, one), refused);
	/* Other messages arrive, and we may give some. */
	assert_int_equal(send(one, "y", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(give(accepted, accepted), 0);
	close(accepted);
	close(one);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mode),
		cmocka_unit_test(test_descriptors_are_refused),
	};
	int failed;

	if (!mkdtemp(dir))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
