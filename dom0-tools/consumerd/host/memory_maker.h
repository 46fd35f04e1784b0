/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory_maker.h - a process that makes the memory of one user's programs (memory_makers.h). */
#ifndef STRATA_CONSUMERD_MEMORY_MAKER_H
#define STRATA_CONSUMERD_MEMORY_MAKER_H

#include <stdint.h>

#include "consumerd/host/memory_makers.h"

/* From a maker to the helper, a byte each. */
enum memory_maker_word {
	MEMORY_MAKER_ENTERED, /* its group */
	MEMORY_MAKER_DONE,    /* it has answered its oldest order */
};

/*
 * Enters the user's group, and obeys orders until there are no more.
 * @answers: to the recorder's loop
 * @helper:  from where orders come
 */
void memory_maker_run(int answers, int helper, uint32_t recorder, uint32_t user);

/* Obeys one order, in the group in which this process is. */
void memory_maker_make_one(int answers, struct memory_order *order);

/* Answers an order, with the descriptor of its memory, which is closed, if it has one. */
void memory_maker_answer(int socket, struct memory_order *order);

#endif /* STRATA_CONSUMERD_MEMORY_MAKER_H */
