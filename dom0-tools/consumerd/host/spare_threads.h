/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spare_threads.h - threads for the loop that drains rings, made before it needs them.
 *
 * The kernel makes no thread while anybody moves processes between control groups
 * (cgroup_threadgroup_rwsem), which a user with a group of his own can do without end. So a thread
 * of its own makes them.
 */
#ifndef STRATA_CONSUMERD_SPARE_THREADS_H
#define STRATA_CONSUMERD_SPARE_THREADS_H

#include <pthread.h>

/* How many are kept ready. */
#define SPARE_THREADS 8u

/*
 * Runs @run in a spare thread, which the caller joins or detaches; all signals are blocked in it.
 * The first call makes the threads, and waits for that; later ones wait for no thread.
 * 0; EBUSY: none is ready yet; or why none could be made, which is tried again.
 */
int spare_thread_take(pthread_t *thread, void *(*run)(void *data), void *data);

#endif /* STRATA_CONSUMERD_SPARE_THREADS_H */
