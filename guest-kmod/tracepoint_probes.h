/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoint_probes.h - events of trace points that domain 0 chose by name, with arguments of its
 * choice: also those of file systems and drivers, whose headers the kernel does not install
 * (tracepoints.h).
 */
#ifndef STRATA_KMOD_TRACEPOINT_PROBES_H
#define STRATA_KMOD_TRACEPOINT_PROBES_H

/*
 * Adds an event of domain 0's choice to the list of events and to their table,
 * or finds that it is there already.
 * @group: "tracepoint"
 * @name:  of the event
 * @place: name of a trace point of the kernel or of a loaded module, and arguments (probe_args.h);
 *         is taken to pieces
 * 0, or a negative error after a message.  The module that has the trace point stays loaded.  One
 * caller at a time; may sleep.
 */
int strata_tracepoint_probes_add(const char *group, const char *name, char *place);

#endif /* STRATA_KMOD_TRACEPOINT_PROBES_H */
