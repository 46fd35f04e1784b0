// SPDX-License-Identifier: GPL-2.0-or-later
/* app_lttng.c - what the events of app.c cost in LTTng-UST; see app_turns.h. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "app_lttng.h"

#include "app_message.h"
#include "app_turns.h"

static void burst_8b(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		lttng_ust_tracepoint(strata_bench, one, i);
}

static void burst_4f(uint64_t events)
{
	uint64_t i;

	for (i = 0; i < events; i++)
		lttng_ust_tracepoint(strata_bench, four, i, (uint32_t)i, (int32_t)i, 0.5);
}

static void one_8b(uint64_t number)
{
	lttng_ust_tracepoint(strata_bench, one, number);
}

int main(int argc, char **argv)
{
	const struct app_events events = { burst_8b, burst_4f, burst_message, one_8b };

	return run_benches(argc, argv, &events);
}
