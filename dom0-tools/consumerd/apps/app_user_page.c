// SPDX-License-Identifier: GPL-2.0-or-later
/* app_user_page.c - see app_user_page.h; app_wake.c calls it. */
#include "consumerd/apps/app_user_page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <strata/abi/app.h>

#include "consumerd/host/run_dir.h"

static int open_page(struct strata_error *error)
{
	int dir = run_dir_open(error), fd;
	struct stat status;

	if (dir < 0)
		return -1;
	fd = openat(dir, STRATA_APP_USER_WAIT_NAME,
		    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		strata_fail(error, "%s/" STRATA_APP_USER_WAIT_NAME ": %s", run_dir_path(),
			    strerror(errno));
	close(dir);
	if (fd < 0 ||
	    (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	     (status.st_size >= (off_t)STRATA_PAGE_BYTES || !ftruncate(fd, STRATA_PAGE_BYTES))))
		return fd;
	close(fd);
	return strata_fail(error,
			   "%s/" STRATA_APP_USER_WAIT_NAME " is not a file of ours; remove it",
			   run_dir_path());
}

uint32_t app_user_page_answers(const struct app_user_page *user)
{
	uint32_t answers = 0;

	if (pread(user->fd, &answers, sizeof(answers),
		  offsetof(struct strata_app_user_wait, answers)) != (ssize_t)sizeof(answers))
		return 0;
	return answers - user->answers;
}

int app_user_page_call(struct app_user_page *user, struct strata_error *error)
{
	uint32_t unused = 0;
	void *memory;

	*user = (struct app_user_page){ .fd = open_page(error) };
	if (user->fd < 0)
		return -1;
	memory = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, user->fd, 0);
	if (memory == MAP_FAILED) {
		close(user->fd);
		return strata_fail(error, "out of memory");
	}
	user->page = memory;
	user->answers = app_user_page_answers(user);
	/* The kernel adds one and wakes who waits for it.  A system call, so listen() comes before:
	 * pairs with user_page_calls() of libstrata.  A program that sees the call connects, and
	 * one that does not sees the socket. */
	syscall(SYS_futex, &unused, FUTEX_WAKE_OP, 0, (unsigned long)INT_MAX, &user->page->calls,
		FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GE, 0));
	return 0;
}

void app_user_page_close(struct app_user_page *user)
{
	munmap(user->page, STRATA_PAGE_BYTES);
	close(user->fd);
}
