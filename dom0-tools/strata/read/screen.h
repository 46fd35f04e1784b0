/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - text that is drawn on a terminal again and again, in place.
 *
 * Each time all of it is written at once, over what is there, so that nothing flickers.  Between
 * two times the terminal is in its usual state, so that whatever ends or stops the program leaves
 * the last text, and a terminal as it was.
 */
#ifndef STRATA_STRATA_SCREEN_H
#define STRATA_STRATA_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
	int fd;
	char *text; /* that is shown */
	bool is_drawn;
};

/* Whether text can be drawn in place there: it is a terminal, and no dumb one. */
bool screen_is_possible(int fd);

/* Begins; the signal of a changed size is taken from then on. */
void screen_open(struct screen *screen, int fd);

/* Draws @text, which is the screen's from then on; control characters but the ends of lines are
 * not in it.  What does not fit is cut off.  0, or -1: it cannot be written. */
int screen_show(struct screen *screen, char *text);

/* Draws it again if the terminal's size has changed. */
int screen_follow_size(struct screen *screen);

/* Leaves the text there, and the cursor below it. */
void screen_close(struct screen *screen);

#endif /* STRATA_STRATA_SCREEN_H */
