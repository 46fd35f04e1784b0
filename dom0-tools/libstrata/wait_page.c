// SPDX-License-Identifier: MIT
/* wait_page.c - see wait_page.h. */
#include "libstrata/wait_page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <strata/abi/app.h>
#include <strata/own_fd.h>

#include "libstrata/user_page.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static struct strata_app_wait *page;

/* Without MFD_NOEXEC_SEAL a machine may refuse; an old kernel does not know the flag. */
static int make_memory(void)
{
	const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(STRATA_APP_WAIT_NAME, flags | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(STRATA_APP_WAIT_NAME, flags);
	return strata_own_fd(fd);
}

/* Whether files of this process may have a page.  Otherwise the kernel kills it by SIGXFSZ when it
 * makes one: programs forbid themselves to write files, and users their programs (ulimit -f). */
static bool may_be_filled(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur >= STRATA_PAGE_BYTES;
}

/* Fills and seals the page, so that it cannot shrink under a recorder that has mapped it. */
static struct strata_app_wait *map_page(int fd)
{
	const struct strata_app_wait begin = { .magic = STRATA_APP_WAIT_MAGIC,
					       .version = STRATA_APP_ABI_VERSION };
	void *memory;

	if (ftruncate(fd, STRATA_PAGE_BYTES) ||
	    pwrite(fd, &begin, sizeof(begin), 0) != (ssize_t)sizeof(begin) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return NULL;
	memory = mmap(NULL, STRATA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	/* A child would answer for its parent. */
	if (madvise(memory, STRATA_PAGE_BYTES, MADV_DONTFORK)) {
		munmap(memory, STRATA_PAGE_BYTES);
		return NULL;
	}
	return memory;
}

bool wait_page_make(void)
{
	int fd, error;

	if (page)
		return true;
	if (!may_be_filled()) {
		errno = EFBIG;
		return false;
	}
	/* Without it, the user's recorders do not find this program while it runs. */
	user_page_map();
	fd = make_memory();
	if (fd < 0)
		return false;
	/* Release: other threads read the count. */
	strata_store_release(&page, map_page(fd));
	error = errno;
	/* Recorders find the mapping, and a program may close all files at any time. */
	close(fd);
	errno = error;
	return page != NULL;
}

bool wait_page_is_there(void)
{
	return page != NULL;
}

uint64_t wait_page_calls(void)
{
	const struct strata_app_wait *there = strata_load_acquire(&page);

	/* Acquire: pairs with call_page() of the recorder's app_find.c, which adds to it after
	 * listen().  A program that sees that call can connect. */
	return (there ? strata_load_acquire(&there->calls) : 0) | (uint64_t)user_page_calls() << 32;
}

void wait_page_call(void)
{
	struct strata_app_wait *there = strata_load_acquire(&page);

	if (!there)
		return;
	/* Release: pairs with wait_page_calls(): what is asked for is noted before. */
	__atomic_fetch_add(&there->calls, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &there->calls, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void wait_page_answer(uint64_t calls)
{
	static uint32_t answered_user;

	/* Release: pairs with app_page_answered(): the connections are made before. */
	if (page)
		strata_store_release(&page->answered, (uint32_t)calls);
	if (calls >> 32 != answered_user)
		user_page_answer();
	answered_user = (uint32_t)(calls >> 32);
}

/* Sleeps on both pages.  As futex(), with ENOSYS before Linux 5.16. */
static long wait_for_both(uint64_t calls, uint32_t *user, const struct timespec *limit)
{
	struct futex_waitv pages[] = {
		{ .val = (uint32_t)calls, .uaddr = (uintptr_t)&page->calls, .flags = FUTEX_32 },
		{ .val = calls >> 32, .uaddr = (uintptr_t)user, .flags = FUTEX_32 },
	};
	struct timespec until = { 0 };

	if (limit) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += limit->tv_sec + (until.tv_nsec + limit->tv_nsec) / 1000000000;
		until.tv_nsec = (until.tv_nsec + limit->tv_nsec) % 1000000000;
	}
	return syscall(SYS_futex_waitv, pages, 2, 0, limit ? &until : NULL, CLOCK_MONOTONIC);
}

static long sleep_on_pages(uint64_t calls, const struct timespec *limit)
{
	uint32_t *user = user_page_futex();

	if (user) {
		long result = wait_for_both(calls, user, limit);

		/* A page that was cut off is out of use, as is a kernel without that call. */
		if (result >= 0 || (errno != ENOSYS && errno != EFAULT))
			return result;
		user_page_forget();
	}
	return syscall(SYS_futex, &page->calls, FUTEX_WAIT, (uint32_t)calls, limit, NULL, 0);
}

bool wait_page_await(uint64_t calls, const struct timespec *limit)
{
	/* The kernel compares again under its lock: a call since then wakes us at once. */
	while (wait_page_calls() == calls)
		if (sleep_on_pages(calls, limit) < 0 && errno != EAGAIN && errno != EINTR)
			return errno == ETIMEDOUT;
	return true;
}

void wait_page_forget(void)
{
	page = NULL;
	user_page_forget();
}
