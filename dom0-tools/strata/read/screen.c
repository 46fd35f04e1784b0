// SPDX-License-Identifier: GPL-2.0-or-later
/* screen.c - see screen.h. */
#include "strata/read/screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "files/out_file.h"

#define LINES_ASSUMED 24u

#define ERASE_ALL  "\x1b[2J"
#define HOME       "\x1b[H"
#define ERASE_LINE "\x1b[K" /* from the cursor on */
#define ERASE_REST "\x1b[J"
/* The terminal truncates long lines. */
#define WRAP_OFF "\x1b[?7l"
#define WRAP_ON  "\x1b[?7h"

static volatile sig_atomic_t has_new_size;

static void on_size(int number)
{
	(void)number;
	has_new_size = 1;
}

bool screen_is_possible(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

void screen_open(struct screen *screen, int fd)
{
	const struct sigaction action = { .sa_handler = on_size };

	*screen = (struct screen){ .fd = fd };
	sigaction(SIGWINCH, &action, NULL);
}

static unsigned int lines_of(int fd)
{
	struct winsize size;

	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : LINES_ASSUMED;
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; (text = strchr(text, '\n')); text++)
		nr++;
	return nr;
}

/* Combines the text with the escape sequences that draw it. The last line of the terminal gets no
 * newline, which would scroll. */
static void put_frame(FILE *out, const char *text, unsigned int most, bool is_new)
{
	const size_t nr = count_lines(text);
	const size_t shown = nr < most ? nr : most - 1;
	size_t i;

	fputs(is_new ? WRAP_OFF ERASE_ALL HOME : WRAP_OFF HOME, out);
	for (i = 0; i < shown; i++) {
		const size_t length = strcspn(text, "\n");

		fprintf(out, "%.*s" ERASE_LINE "\r\n", (int)length, text);
		text += length + 1;
	}
	if (shown < nr)
		fprintf(out, "... %zu more lines" ERASE_LINE, nr - shown);
	fputs(ERASE_REST WRAP_ON, out);
}

static int draw(struct screen *screen, bool is_new)
{
	char *frame = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&frame, &bytes);
	int status = -1;

	if (!out)
		return -1;
	put_frame(out, screen->text, lines_of(screen->fd), is_new);
	if (!fclose(out))
		status = strata_write_all(screen->fd, frame, bytes) ? -1 : 0;
	free(frame);
	return status;
}

int screen_show(struct screen *screen, char *text)
{
	const bool is_new = !screen->is_drawn || has_new_size;

	has_new_size = 0;
	free(screen->text);
	screen->text = text;
	screen->is_drawn = true;
	return draw(screen, is_new);
}

int screen_follow_size(struct screen *screen)
{
	if (!has_new_size || !screen->is_drawn)
		return 0;
	has_new_size = 0;
	return draw(screen, true);
}

void screen_close(struct screen *screen)
{
	/* If the text fills the screen, the cursor is at the end of its last line. */
	if (screen->is_drawn && count_lines(screen->text) >= lines_of(screen->fd))
		strata_write_all(screen->fd, "\r\n", 2);
	free(screen->text);
	*screen = (struct screen){ .fd = -1 };
}
