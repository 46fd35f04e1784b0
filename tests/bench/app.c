// SPDX-License-Identifier: GPL-2.0-or-later
/* app.c - what an event costs in Strata, by the public macro; see app_turns.h. */
#include <strata/printf.h>
#include <strata/tracepoint.h>

#include "app_message.h"
#include "app_turns.h"

STRATA_EVENT(strata_bench, one, strata_u64(number));
STRATA_EVENT(strata_bench, four, strata_u64(number), strata_u32(half), strata_i32(other),
	     strata_f64(share));

static void burst_8b(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		STRATA_TRACE(strata_bench, one, i);
}

static void burst_4f(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		STRATA_TRACE(strata_bench, four, i, (uint32_t)i, (int32_t)i, 0.5);
}

void burst_message(uint64_t events)
{
	const char *name = "alice";
	uint64_t i;

	for (i = 0; i < events; i++)
		strata_printf(MESSAGE, (int)i, name, (unsigned long)i);
}

static void one_8b(uint64_t number)
{
	STRATA_TRACE(strata_bench, one, number);
}

int main(int argc, char **argv)
{
	const struct app_events events = { burst_8b, burst_4f, burst_message, one_8b };

	return run_benches(argc, argv, &events);
}
