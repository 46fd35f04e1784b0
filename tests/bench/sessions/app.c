// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * app.c - a program that writes one event and ends, or waits until its standard input ends: what a
 * session's daemons take for each program is measured on it.  With -DWITH_LTTNG by LTTng-UST.
 *
 *   app            one event
 *   app wait       one event, a line on standard output, and then it waits
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#ifdef WITH_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "app_lttng.h"
#elif defined(WITH_STRATA)
#include <strata/tracepoint.h>

STRATA_EVENT(strata_bench, one, strata_u64(number));
#endif

int main(int argc, char **argv)
{
	char byte;

	(void)argv;
#ifdef WITH_LTTNG
	lttng_ust_tracepoint(strata_bench, one, 1);
#elif defined(WITH_STRATA)
	STRATA_TRACE(strata_bench, one, 1);
#endif
	if (argc < 2)
		return 0;
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 1;
	return read(STDIN_FILENO, &byte, 1) < 0;
}
