/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traffic_events.h - what traffic.c records in LTTng-UST: each message, as it is sent and as it has
 * come. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER traffic
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./traffic_events.h"

#if !defined(STRATA_TRAFFIC_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define STRATA_TRAFFIC_EVENTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(traffic, sent,
	LTTNG_UST_TP_ARGS(uint32_t, number, const char *, what, uint32_t, bytes),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)
			    lttng_ust_field_string(what, what)
			    lttng_ust_field_integer(uint32_t, bytes, bytes)))

LTTNG_UST_TRACEPOINT_EVENT(traffic, received,
	LTTNG_UST_TP_ARGS(uint32_t, number, const char *, what, uint32_t, bytes),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, number, number)
			    lttng_ust_field_string(what, what)
			    lttng_ust_field_integer(uint32_t, bytes, bytes)))
/* clang-format on */

#endif /* STRATA_TRAFFIC_EVENTS_H */

#include <lttng/tracepoint-event.h>
