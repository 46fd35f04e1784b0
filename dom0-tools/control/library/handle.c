// SPDX-License-Identifier: GPL-2.0-or-later
/* handle.c - see handle.h and <strata/control_client.h>. */
#include "control/library/handle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "control/library/listing.h"
#include "control/library/session_status.h"

struct strata_control *strata_control_new(void)
{
	struct strata_control *control = calloc(1, sizeof(*control));

	if (control)
		control->timeout_ms = -1;
	return control;
}

void strata_control_free(struct strata_control *control)
{
	if (!control)
		return;
	handle_begin(control);
	free(control->stratad);
	free(control);
}

void strata_control_set_timeout(struct strata_control *control, int ms)
{
	control->timeout_ms = ms < 0 ? -1 : ms;
}

void strata_control_set_system(struct strata_control *control, bool system)
{
	control->system = system && geteuid();
}

enum strata_control_result strata_control_set_stratad(struct strata_control *control,
						      const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return handle_out_of_memory(control);
	free(control->stratad);
	control->stratad = copy;
	return handle_ok(control);
}

const char *strata_control_message(const struct strata_control *control)
{
	return control->message ? control->message : "";
}

size_t strata_control_nr_notes(const struct strata_control *control)
{
	return control->nr_notes;
}

const char *strata_control_note(const struct strata_control *control, size_t index)
{
	return index < control->nr_notes ? control->notes[index] : NULL;
}

const char *strata_control_reply(struct strata_control *control)
{
	return control->reply ? json_object_to_json_string_ext(
					control->reply,
					JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)
			      : NULL;
}

void handle_begin(struct strata_control *control)
{
	size_t i;

	session_status_free(control);
	listing_free(control);
	for (i = 0; i < control->nr_notes; i++)
		free(control->notes[i]);
	free(control->notes);
	free(control->message);
	free(control->text);
	json_object_put(control->reply);
	control->hung_up = false;
	control->notes = NULL;
	control->nr_notes = 0;
	control->message = NULL;
	control->text = NULL;
	control->reply = NULL;
}

/* A copy that a terminal shows as it is; names in it may be a guest's.  NULL: out of memory. */
static char *copy_shown(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *shown = malloc(bytes), *byte;

	if (!shown)
		return NULL;
	strata_valid_utf8_copy(shown, bytes, text);
	for (byte = shown; *byte; byte++)
		if ((unsigned char)*byte < ' ' || *byte == 0x7f)
			*byte = '?';
	return shown;
}

enum strata_control_result handle_end(struct strata_control *control,
				      enum strata_control_result result, const char *message)
{
	free(control->message);
	control->message = copy_shown(message);
	return result;
}

enum strata_control_result handle_wrong(struct strata_control *control,
					const struct strata_error *error)
{
	handle_begin(control);
	return handle_end(control, STRATA_CONTROL_WRONG, error->text);
}

enum strata_control_result handle_out_of_memory(struct strata_control *control)
{
	handle_begin(control);
	return handle_end(control, STRATA_CONTROL_WRONG, "out of memory");
}

enum strata_control_result handle_ok(struct strata_control *control)
{
	handle_begin(control);
	return STRATA_CONTROL_OK;
}

/* Makes room for another note.  It grows at each power of two, so that many notes cost few copies.
 */
static bool has_room(struct strata_control *control)
{
	const size_t nr = control->nr_notes;
	char **more;

	if (nr & (nr - 1))
		return true;
	more = reallocarray(control->notes, nr ? 2 * nr : 1, sizeof(*more));
	if (more)
		control->notes = more;
	return more != NULL;
}

void handle_note(struct strata_control *control, const char *text)
{
	char *shown = copy_shown(text);

	if (shown && has_room(control))
		control->notes[control->nr_notes++] = shown;
	else
		free(shown);
}
