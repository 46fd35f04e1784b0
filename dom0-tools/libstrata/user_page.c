// SPDX-License-Identifier: MIT
/* user_page.c - see user_page.h; called by wait_page.c. */
#include "libstrata/user_page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <strata/abi/app.h>
#include <strata/own_fd.h>

#include "libstrata/recorder_socket.h"

static struct strata_app_user_wait *page;

/* Ours alone, and large enough. */
static bool is_sound(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IRWXG | S_IRWXO)) &&
	       (status.st_size >= (off_t)STRATA_PAGE_BYTES || !ftruncate(fd, STRATA_PAGE_BYTES));
}

/* A descriptor, or -1. */
static int open_page(void)
{
	char path[RECORDER_USER_PATH_BYTES];
	enum recorder_user_dir where =
		recorder_user_dir(path, sizeof(path) - sizeof("/" STRATA_APP_USER_WAIT_NAME));
	size_t length;

	if (where == RECORDER_NO_USER_DIR)
		return -1;
	/* In a home, only a recorder makes it: programs leave nothing there. */
	if (where == RECORDER_RUNTIME_DIR)
		mkdir(path, 0700);
	if (!recorder_user_dir_is_own(path))
		return -1;
	length = strlen(path);
	memcpy(path + length, "/" STRATA_APP_USER_WAIT_NAME, sizeof("/" STRATA_APP_USER_WAIT_NAME));
	return strata_own_fd(
		open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
}

_Static_assert(offsetof(struct strata_app_user_wait, calls) == 0,
	       "it is read from the page's begin");

bool user_page_map(void)
{
	void *memory = MAP_FAILED;
	int fd;

	if (page)
		return true;
	fd = open_page();
	if (fd < 0)
		return false;
	if (is_sound(fd))
		memory = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		return false;
	/* A child maps it again. */
	if (madvise(memory, STRATA_PAGE_BYTES, MADV_DONTFORK)) {
		munmap(memory, STRATA_PAGE_BYTES);
		return false;
	}
	/* Release: other threads read the count. */
	strata_store_release(&page, (struct strata_app_user_wait *)memory);
	return true;
}

uint32_t user_page_calls(void)
{
	struct strata_app_user_wait *there = strata_load_acquire(&page);
	uint32_t calls = 0;
	struct iovec to = { &calls, sizeof(calls) }, from = { there, sizeof(calls) };

	if (!there)
		return 0;
	/* A system call: pairs with app_user_page_call() of the recorder, which adds to it after
	 * listen().  Of a page that was cut off, it fails, and the page is out of use. */
	if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof(calls))
		return calls;
	user_page_forget();
	return 0;
}

void user_page_answer(void)
{
	uint32_t unused = 0;

	/* The kernel adds one, which fails on a page that was cut off, and wakes who waits for it.
	 */
	if (page)
		syscall(SYS_futex, &unused, FUTEX_WAKE_OP, 0, (unsigned long)INT32_MAX,
			&page->answers, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GE, 0));
}

uint32_t *user_page_futex(void)
{
	struct strata_app_user_wait *there = strata_load_acquire(&page);

	return there ? &there->calls : NULL;
}

void user_page_forget(void)
{
	strata_store_release(&page, (struct strata_app_user_wait *)NULL);
}
