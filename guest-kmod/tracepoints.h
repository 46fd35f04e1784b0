/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoints.h - an event for each of the kernel's trace points.
 *
 * shadow/trace/define_trace.h makes them from the kernel's own headers, as
 * trace_*.c include them; tracepoints.c finds, attaches and detaches them.
 *
 * Headers in include/trace/events and arch/x86/include/asm that are not included, although Debian
 * 12's kernel itself has their trace points:
 *
 *   avc         needs struct selinux_audit_data, SELinux's own
 *   bridge      includes net/bridge/br_private.h, which is not installed
 *   clk         needs struct clk_core, the clock framework's own
 *   fib6        calls ip6_rt_type_to_error(), which is IPv6's own
 *   hyperv      needs struct flush_tlb_info, which modules do not see
 *   iocost      needs struct ioc_gq, the block layer's own
 *   irq_matrix  needs struct irq_matrix, the interrupt core's own
 *   wbt         includes block/blk-wbt.h, which is not installed
 *
 * Of the headers that are in, a few events are left out where they are included,
 * each with its reason.  Headers that the kernel does not install (of drivers, of
 * file systems) cannot be in; tracepoint_probes.h records those by name.
 *
 * The events of trace_modules.c are entered although the kernel has no such trace point yet: it
 * comes with its module (module_tracepoints.h), perhaps during a recording.
 */
#ifndef STRATA_KMOD_TRACEPOINTS_H
#define STRATA_KMOD_TRACEPOINTS_H

#include <linux/tracepoint.h>

#include "events.h"

struct strata_tracepoint {
	struct strata_event event;
	void *probe;      /* gets the strata_event as its data */
	u32 static_bytes; /* of the payload, as the compiler laid it out */
	/* One of trace_modules.c: all of this changes under the lock of module_tracepoints.c. */
	bool of_module;
	bool wanted;                   /* a channel selects it */
	struct tracepoint *tracepoint; /* NULL: its module is not loaded */
	struct module *module;         /* that has it; NULL: the kernel itself */
};

/* Each trace_*.c leaves pointers in this section; they lie between two that are linked first and
 * last (tracepoints_first.c, tracepoints_last.c). */
#define STRATA_TRACEPOINTS_SECTION "strata_tracepoints"
extern struct strata_tracepoint *const strata_tracepoints_first[];
extern struct strata_tracepoint *const strata_tracepoints_last[];

/* Finds the trace point of each event and enters those that this kernel has, or may get with a
 * module.  0, or a negative error after a message.  Once, before the rest. */
int strata_tracepoints_find(void);

/* What all of them have in struct strata_event (module_tracepoints.c). */
int strata_tracepoint_attach(struct strata_event *event);
void strata_tracepoint_detach(struct strata_event *event);

#endif /* STRATA_KMOD_TRACEPOINTS_H */
