/* SPDX-License-Identifier: GPL-2.0-or-later */
/* app_lttng.h - the events of app.c as LTTng-UST wants them. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER strata_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./app_lttng.h"

#if !defined(STRATA_BENCH_APP_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STRATA_BENCH_APP_LTTNG_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(strata_bench, one,
	LTTNG_UST_TP_ARGS(uint64_t, number),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, number, number)))

LTTNG_UST_TRACEPOINT_EVENT(strata_bench, four,
	LTTNG_UST_TP_ARGS(uint64_t, number, uint32_t, half, int32_t, other, double, share),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, number, number)
			    lttng_ust_field_integer(uint32_t, half, half)
			    lttng_ust_field_integer(int32_t, other, other)
			    lttng_ust_field_float(double, share, share)))
/* clang-format on */

#endif /* STRATA_BENCH_APP_LTTNG_H */

#include <lttng/tracepoint-event.h>
