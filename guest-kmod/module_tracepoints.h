/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module_tracepoints.h - follows the modules that have trace points of our events: attaches the
 * probes of selected events when a module is loaded, and detaches them before it goes.
 *
 * An event and its description stay as they are while its module is not loaded: a channel can
 * select it, and then records it as soon as the module is there.  So no table grows.
 */
#ifndef STRATA_KMOD_MODULE_TRACEPOINTS_H
#define STRATA_KMOD_MODULE_TRACEPOINTS_H

/* After strata_tracepoints_find().  Also finds the modules that are loaded already.  0 or a
 * negative error after a message; may sleep. */
int strata_module_tracepoints_open(void);

/* Forgets all modules; no event is attached.  May sleep. */
void strata_module_tracepoints_close(void);

#endif /* STRATA_KMOD_MODULE_TRACEPOINTS_H */
