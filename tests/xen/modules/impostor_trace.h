/* SPDX-License-Identifier: GPL-2.0-only */
/* impostor_trace.h - the trace event of impostor.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nbd

#if !defined(IMPOSTOR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define IMPOSTOR_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(nbd_header_sent, TP_PROTO(int number), TP_ARGS(number),
	    TP_STRUCT__entry(__field(int, number)), TP_fast_assign(__entry->number = number;),
	    TP_printk("number=%d", __entry->number));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE impostor_trace
#include <trace/define_trace.h>
