/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_close.h - lets an ending thread close descriptors of an untrusted process.
 *
 * The last close of a file can take as long as its creator likes (a TCP connection with SO_LINGER,
 * also in a message that a socket holds).  The kernel does not linger in a thread that ends.  So a
 * thread takes a copy of all open files, another thread closes its own descriptors, and the first
 * one ends.  Until then it closes none by hand: any thread may close a file meanwhile, and leave
 * the last close to the copy.
 */
#ifndef STRATA_CONSUMERD_LAST_CLOSE_H
#define STRATA_CONSUMERD_LAST_CLOSE_H

#include <semaphore.h>

/* Shared by both threads.  Each semaphore's post pairs with its wait. */
struct last_close {
	sem_t has_copy, may_end;
	int error; /* of taking the copy, before has_copy is posted */
};

void last_close_init(struct last_close *close);
void last_close_destroy(struct last_close *close);

/* In the thread that ends: takes the copy, and waits for last_close_allow(). */
void last_close_hold(struct last_close *close);

/* In the other one: waits for the copy.  0: it is there; or an errno. */
int last_close_await(struct last_close *close);

/* Lets the thread end; its own descriptors are closed. */
void last_close_allow(struct last_close *close);

#endif /* STRATA_CONSUMERD_LAST_CLOSE_H */
