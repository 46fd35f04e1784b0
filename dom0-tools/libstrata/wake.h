/* SPDX-License-Identifier: MIT */
/*
 * wake.h - wakes a recorder that sleeps (strata/ring_single.h) when an event has left a sub-buffer.
 *
 * The event's thread only notes it, and wakes the waiting thread (attach.c), which sends the
 * message: a program may have forbidden its threads any other system call, and its signal handlers
 * must not lock.
 */
#ifndef STRATA_LIBSTRATA_WAKE_H
#define STRATA_LIBSTRATA_WAKE_H

#include <stdint.h>

/*
 * Has a channel's recorder woken.  In any thread or signal handler; keeps errno.
 * @sleep: its number; each is asked for once
 */
void wake_ask(uint32_t channel, uint64_t sleep);

/* The channels that have been asked for since the last call: bits. */
uint32_t wake_take(void);

#endif /* STRATA_LIBSTRATA_WAKE_H */
