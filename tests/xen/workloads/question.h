/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * question.h - the page that ask, in a guest, shares with server, in dom0: one question and one
 * answer at a time, and an event channel that says when either is there.
 */
#ifndef STRATA_TESTS_QUESTION_H
#define STRATA_TESTS_QUESTION_H

#include <stdint.h>

/* Each side writes its own words, the number of the question last, and the answer's number last. */
struct question_page {
	volatile uint64_t asked;    /* number of the newest question; 0: none yet */
	volatile uint64_t answered; /* number of the question that was answered last */
	volatile uint64_t answer;
};

#endif /* STRATA_TESTS_QUESTION_H */
