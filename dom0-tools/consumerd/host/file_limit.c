// SPDX-License-Identifier: GPL-2.0-or-later
/* file_limit.c - see file_limit.h; called by the verbs that open a file for each stream. */
#include "consumerd/host/file_limit.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A recording.json in which all shares are used has 20 MiB. */
#define FILE_BYTES_NEEDED (24ul << 20)

/* Twice the streams of a recording. */
#define FILES_WANTED 131072u

/*
 * Makes the kernel's table of our files as large as it can get. While there is one thread, that is
 * done at once; later each doubling waits until all CPUs have left the kernel (RCU), which any
 * user's programs can delay.
 */
static void enlarge_table(unsigned long files)
{
	const int file = open("/", O_PATH | O_CLOEXEC);
	const int last = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, (int)files - 1);

	if (last >= 0)
		close(last);
	if (file >= 0)
		close(file);
}

static unsigned long raise_limit(void)
{
	const struct rlimit wanted = { FILES_WANTED, FILES_WANTED };
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	/* Only root may raise the hard limit. */
	if (limit.rlim_max < FILES_WANTED && !setrlimit(RLIMIT_NOFILE, &wanted))
		return FILES_WANTED;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return getrlimit(RLIMIT_NOFILE, &limit) ? 0 : limit.rlim_cur;
}

unsigned long file_limit_raise(void)
{
	const unsigned long files = raise_limit();

	if (files)
		enlarge_table(files < FILES_WANTED ? files : FILES_WANTED);
	return files;
}

int file_limit_check_size(struct strata_error *error)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= FILE_BYTES_NEEDED)
		return 0;
	return strata_fail(error,
			   "files may have %lu KiB here, but the tables of a recording may need "
			   "%lu; raise the limit: ulimit -f %lu",
			   (unsigned long)limit.rlim_cur >> 10, FILE_BYTES_NEEDED >> 10,
			   FILE_BYTES_NEEDED >> 10);
}
