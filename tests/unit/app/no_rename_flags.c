// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_rename_flags.c - preloaded, makes every file system behave as one that knows no flags of
 * renameat2() (9p): it says EINVAL.  Named by tests/unit/test_recover.sh.
 */
#include <errno.h>
#include <stdio.h>

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	if (!flags)
		return renameat(from_dir, from, to_dir, to);
	errno = EINVAL;
	return -1;
}
