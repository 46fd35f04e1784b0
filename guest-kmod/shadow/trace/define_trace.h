/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * define_trace.h - precedes the kernel's own header of this name, in the include path of trace_*.c,
 * and makes a probe and a description of every event in the header that includes it.
 *
 * As in the kernel, the header of trace events is read again and again, with the
 * words that it is written in meaning something else each time.  Here they make
 * of each class of events
 *
 *   entry    struct strata_entry_CLASS: the fields of fixed length, as strata/event.h lays
 *            them out
 *   offsets  struct strata_offsets_CLASS: where the others go in one record
 *   fields   strata_fields_CLASS: the description
 *   layout   strata_layout_CLASS(): fills in the offsets, returns the payload's length
 *   finish   strata_finish_CLASS(): writes the lengths of sequences and the ends of strings
 *   probe    strata_probe_CLASS(): records one event; and of each event its
 *            struct strata_tracepoint
 *
 * so that the kernel's own assignments write straight into the slot.
 *
 * Macros named STRATA_SKIP_x, defined as 1, leave out the class or event x.
 */
#ifdef CREATE_TRACE_POINTS
#undef CREATE_TRACE_POINTS

#include <linux/stringify.h>

/* It would put spaces into paths: */
/* clang-format off */
#undef TRACE_INCLUDE
#undef __TRACE_INCLUDE
#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE TRACE_SYSTEM
#endif
#ifndef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(system) <trace/events/system.h>
#else
#define __TRACE_INCLUDE(system) __stringify(TRACE_INCLUDE_PATH/system.h)
#endif
#define TRACE_INCLUDE(system) __TRACE_INCLUDE(system)
/* clang-format on */

#define TRACE_HEADER_MULTI_READ

#include <strata_stages/words.h>
#include <strata_stages/entry.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include <strata_stages/offsets.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include <strata_stages/fields.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include <strata_stages/layout.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include <strata_stages/finish.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#include <strata_stages/probe.h>
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

#undef TRACE_EVENT
#undef TRACE_EVENT_FN
#undef TRACE_EVENT_FN_COND
#undef TRACE_EVENT_SYSCALL
#undef TRACE_EVENT_CONDITION
#undef TRACE_EVENT_NOP
#undef DEFINE_EVENT_NOP
#undef DECLARE_EVENT_CLASS
#undef DEFINE_EVENT
#undef DEFINE_EVENT_FN
#undef DEFINE_EVENT_PRINT
#undef DEFINE_EVENT_CONDITION
#undef DECLARE_TRACE
#undef TRACE_HEADER_MULTI_READ

/* Headers leave these as they set them, and the next one may not. */
#undef TRACE_INCLUDE_FILE
#undef TRACE_INCLUDE_PATH

#define CREATE_TRACE_POINTS
#endif /* CREATE_TRACE_POINTS */
