// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * victim.c - an honest program that attacks are to cost nothing: VICTIM NUMBER MICROSECONDS
 * [FILE].  It writes NUMBER events "step", and waits MICROSECONDS after each (0: not at all).  It
 * creates FILE when a tenth of them is written.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <strata/tracepoint.h>

STRATA_EVENT(victim, step, strata_u64(number));

int main(int argc, char **argv)
{
	uint64_t nr, i;
	useconds_t pause;

	if (argc < 3)
		return 2;
	nr = strtoull(argv[1], NULL, 10);
	pause = (useconds_t)strtoul(argv[2], NULL, 10);
	for (i = 0; i < nr; i++) {
		STRATA_TRACE(victim, step, i);
		if (argc > 3 && i == nr / 10)
			close(open(argv[3], O_WRONLY | O_CREAT, 0644));
		if (pause)
			usleep(pause);
	}
	return 0;
}
