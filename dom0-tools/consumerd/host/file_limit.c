// SPDX-License-Identifier: GPL-2.0-or-later
/* file_limit.c - see file_limit.h; called by the verbs that open a file for each stream. */
#include "consumerd/host/file_limit.h"

#include <sys/resource.h>

/* Twice the streams of a recording. */
#define FILES_WANTED 131072u

unsigned long file_limit_raise(void)
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
