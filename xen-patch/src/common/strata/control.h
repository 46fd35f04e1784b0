/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - the operations of XEN_SYSCTL_strata_op, called by control.c,
 * which holds the sysctl lock.
 *
 * Each returns 0 or an error of strata/abi/hypervisor.h; -ERESTART: it yielded
 * to other work; call it again with the same operation.
 */

#ifndef __COMMON_STRATA_CONTROL_H__
#define __COMMON_STRATA_CONTROL_H__

#include <strata/abi/hypervisor.h>

/* How often all CPUs are interrupted before an operation yields. */
#define STRATA_GRACE_ATTEMPTS 16

struct strata_channel;

/* rings.c.  The last one fills in QUERY's fields about the rings; other fields
 * are 0. */
int strata_create_rings(struct strata_channel *channel,
                        struct strata_hv_op *op);
int strata_destroy_rings(struct strata_channel *channel);
void strata_describe_rings(const struct strata_channel *channel,
                           struct strata_hv_op *op);

/* Frees what an operation that failed with @error has made.  That error, or
 * -ERESTART: the operation is to be called again, and calls this again. */
int strata_undo_create(struct strata_channel *channel, int error);

/* The channel's rings must be complete for all that follow.  gate.c: */
int strata_start_recording(struct strata_channel *channel,
                           const struct strata_hv_op *op);
int strata_stop_recording(struct strata_channel *channel);
int strata_flush_recording(struct strata_channel *channel);

/* gate.c: 0 when every probe that has begun has ended. */
int strata_await_probes(void);

/* aggregate.c */
int strata_create_aggregate(struct strata_channel *channel,
                            struct strata_hv_op *op);
int strata_read_aggregate(const struct strata_channel *channel,
                          struct strata_hv_op *op);

/* select.c */
int strata_select_events(struct strata_channel *channel,
                         struct strata_hv_op *op);
/* Frees what the last change has taken from probes, after a grace period. */
int strata_retire_selection(struct strata_channel *channel);

/* reader.c */
int strata_list_frames(const struct strata_channel *channel,
                       struct strata_hv_op *op);
int strata_get_subbuf(const struct strata_channel *channel,
                      struct strata_hv_op *op);
int strata_put_subbuf(const struct strata_channel *channel,
                      const struct strata_hv_op *op);

#endif /* __COMMON_STRATA_CONTROL_H__ */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
