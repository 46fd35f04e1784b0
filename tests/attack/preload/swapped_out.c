// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * swapped_out.c - LD_PRELOAD for a recorder: pages of rings that cannot be had, on a machine
 * without swap or memory cgroups.
 *
 * test_swapped.sh uses it. The recorder may read a page of anonymous rings only after it has
 * brought it in (consumerd/rings/ring_pages.c); here any other access ends it with SIGSEGV. When
 * the file $PAGES_GONE appears, the pages of all rings that exist by then cannot be brought in any
 * more, as when their control group has no memory: the call fails with ENOMEM.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <strata/abi/app.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#define MEMORIES_MAX 64
#define PARTS_MAX    1024

struct part {
	unsigned char *begin;
	size_t bytes;
};

static struct part memories[MEMORIES_MAX]; /* rings that existed before $PAGES_GONE */
static int nr_memories;
static struct part writable[PARTS_MAX]; /* pages that the recorder writes to, in turn */
static unsigned int nr_writable;

typedef int (*protect_call)(void *, size_t, int);
typedef ssize_t (*splice_call)(int, const struct iovec *, size_t, unsigned int);

static int protect(void *begin, size_t bytes, int rights)
{
	return ((protect_call)dlsym(RTLD_NEXT, "mprotect"))(begin, bytes, rights);
}

static bool is_in(const unsigned char *at, const struct part *part)
{
	return at >= part->begin && at < part->begin + part->bytes;
}

static bool are_gone(void)
{
	const char *path = getenv("PAGES_GONE");

	return path && access(path, F_OK) == 0;
}

static const struct part *memory_at(const void *at)
{
	int i;

	for (i = 0; i < nr_memories; i++)
		if (is_in(at, &memories[i]))
			return &memories[i];
	return NULL;
}

/* Pages that were brought in can be used as before. */
static int give_back(unsigned char *begin, size_t bytes)
{
	unsigned int i;

	if (protect(begin, bytes, PROT_READ))
		return -1;
	for (i = 0; i < nr_writable && i < PARTS_MAX; i++)
		if (is_in(writable[i].begin, &(struct part){ begin, bytes }) &&
		    protect(writable[i].begin, writable[i].bytes, PROT_READ | PROT_WRITE))
			return -1;
	return 0;
}

int mprotect(void *begin, size_t bytes, int rights)
{
	if (rights == (PROT_READ | PROT_WRITE))
		writable[nr_writable++ % PARTS_MAX] = (struct part){ begin, bytes };
	return protect(begin, bytes, rights);
}

/* The recorder locks the memory of rings, and nothing else. */
int mlock2(const void *begin, size_t bytes, unsigned int flags)
{
	(void)flags;
	if (are_gone())
		return 0;
	if (nr_memories == MEMORIES_MAX)
		abort();
	memories[nr_memories++] = (struct part){ (unsigned char *)begin, bytes };
	return protect((void *)begin, bytes, PROT_NONE);
}

int munmap(void *begin, size_t bytes)
{
	int i;

	for (i = 0; i < nr_memories; i++)
		if (memories[i].begin == begin)
			memories[i] = memories[--nr_memories];
	return ((int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap"))(begin, bytes);
}

/* The kernel reads the page, not the recorder. */
ssize_t vmsplice(int pipe, const struct iovec *parts, size_t nr, unsigned int flags)
{
	const bool is_ours = nr == 1 && memory_at(parts->iov_base);
	ssize_t bytes;

	if (is_ours && protect(parts->iov_base, STRATA_PAGE_BYTES, PROT_READ))
		return -1;
	bytes = ((splice_call)dlsym(RTLD_NEXT, "vmsplice"))(pipe, parts, nr, flags);
	return is_ours && protect(parts->iov_base, STRATA_PAGE_BYTES, PROT_NONE) ? -1 : bytes;
}

int madvise(void *begin, size_t bytes, int advice)
{
	if (advice != MADV_POPULATE_READ || !memory_at(begin))
		return ((protect_call)dlsym(RTLD_NEXT, "madvise"))(begin, bytes, advice);
	if (!are_gone())
		return give_back(begin, bytes);
	errno = ENOMEM;
	return -1;
}
