// SPDX-License-Identifier: GPL-2.0-or-later
/* mapped_file.c - see mapped_file.h. */
#include "files/mapped_file.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

/* One for each application that can be recorded, and one for the live table. */
#define FILES_MAX 1025u

/* State of the SIGBUS handler. */
static struct {
	unsigned char *begin;
	size_t bytes;
} mapped[FILES_MAX];

/* A mapped file was truncated while we accessed it. */
static void on_sigbus(int number, siginfo_t *info, void *context)
{
	unsigned char *at = info->si_addr;
	int saved = errno;
	size_t i;

	(void)context;
	for (i = 0; i < FILES_MAX; i++)
		if (mapped[i].begin && at >= mapped[i].begin &&
		    at < mapped[i].begin + mapped[i].bytes)
			break;
	if (i == FILES_MAX ||
	    mmap(mapped[i].begin, mapped[i].bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
		signal(number, SIG_DFL);
	errno = saved;
}

int strata_mapping_guard(void *begin, size_t bytes, struct strata_error *error)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	size_t i;

	for (i = 0; i < FILES_MAX && mapped[i].begin; i++)
		;
	if (i == FILES_MAX || sigaction(SIGBUS, &action, NULL))
		return strata_fail(error, "too many files are mapped");
	mapped[i].bytes = bytes;
	mapped[i].begin = begin;
	return 0;
}

void strata_mapping_forget(const void *begin)
{
	size_t i;

	for (i = 0; i < FILES_MAX; i++)
		if (mapped[i].begin == begin)
			mapped[i].begin = NULL;
}
