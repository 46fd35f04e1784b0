/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - redraws a text on a terminal, in place.
 *
 * Each text is written at once, over the previous one, so that nothing flickers. Between two writes
 * the terminal is in its usual state: if the program is stopped or killed, the last text remains,
 * and the terminal works.
 */
#ifndef STRATA_STRATA_SCREEN_H
#define STRATA_STRATA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
	int fd;
	char *text; /* the current text */
	bool is_drawn;
};

/* Whether text can be redrawn there: it is a terminal, and not a dumb one. */
bool screen_is_possible(int fd);

/* Begins; handles the signal of a changed terminal size from then on. */
void screen_open(struct screen *screen, int fd);

/* Draws @text, and takes ownership of it. It must not contain control characters other than
 * newlines. What does not fit is cut off. Returns 0, or -1: it cannot be written. */
int screen_show(struct screen *screen, char *text);

/* Redraws the text if the terminal's size has changed. */
int screen_follow_size(struct screen *screen);

/* Leaves the text on the screen, and moves the cursor below it. */
void screen_close(struct screen *screen);

#endif /* STRATA_STRATA_SCREEN_H */
