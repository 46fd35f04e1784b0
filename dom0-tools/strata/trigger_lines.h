/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trigger_lines.h - prints the triggers of a session, for `strata status` and `list-triggers`. */
#ifndef STRATA_STRATA_TRIGGER_LINES_H
#define STRATA_STRATA_TRIGGER_LINES_H

#include <strata/control_client.h>

/* Prints some lines for each trigger. */
void trigger_lines_print(const struct strata_session_status *session);

#endif /* STRATA_STRATA_TRIGGER_LINES_H */
