// SPDX-License-Identifier: GPL-2.0-or-later
/* levels.c - LEVELS [FILE]: writes an event of several log levels each; with FILE, again and again
 * until that file exists. */
#include <unistd.h>

#include <strata/tracepoint.h>

STRATA_EVENT_LEVEL(STRATA_LOG_EMERG, levels, on_fire, strata_u32(number));
STRATA_EVENT_LEVEL(STRATA_LOG_WARNING, levels, slow_disk, strata_u32(number));
STRATA_EVENT_LEVEL(STRATA_LOG_INFO, levels, begun, strata_u32(number));
STRATA_EVENT(levels, step, strata_u32(number));
STRATA_EVENT_LEVEL(STRATA_LOG_DEBUG, levels, detail, strata_string(text), strata_u32(number));

int main(int argc, char **argv)
{
	uint32_t number = 0;

	do {
		STRATA_TRACE(levels, on_fire, number);
		STRATA_TRACE(levels, slow_disk, number);
		STRATA_TRACE(levels, begun, number);
		STRATA_TRACE(levels, step, number);
		STRATA_TRACE(levels, detail, "more", number);
		number++;
		if (argc > 1)
			usleep(1000);
	} while (argc > 1 && access(argv[1], F_OK));
	return 0;
}
