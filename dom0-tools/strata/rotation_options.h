/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rotation_options.h - options about rotation, which record and enable-rotation share. */
#ifndef STRATA_ROTATION_OPTIONS_H
#define STRATA_ROTATION_OPTIONS_H

#include <strata/control.h>

/*
 * Each reads one argument: "100M"; "10m"; "5".  It returns STRATA_STATUS_OK, or STRATA_STATUS_USAGE
 * after a message.
 */
int rotation_option_size(const char *option, const char *argument, struct strata_rotation *when);
int rotation_option_time(const char *option, const char *argument, struct strata_rotation *when);
int rotation_option_keep(const char *option, const char *argument, struct strata_rotation *when);

#endif /* STRATA_ROTATION_OPTIONS_H */
