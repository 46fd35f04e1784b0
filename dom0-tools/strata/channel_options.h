/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel_options.h - options about ring buffers, which record, create and enable-channel share.
 *
 * Each reads one argument.  It returns STRATA_STATUS_OK, or STRATA_STATUS_USAGE after a message.
 */
#ifndef STRATA_CHANNEL_OPTIONS_H
#define STRATA_CHANNEL_OPTIONS_H

#include <stdint.h>

#include <strata/abi/app.h>
#include <strata/packet.h>
#include <strata/ring_state.h>

/* "64K", "64Kx32", "1Mx4".  @geometry: IN: the number of sub-buffers is kept if none is given */
int channel_option_rings(const char *option, const char *argument,
			 struct strata_ring_geometry *geometry);

/* "full", "compact" or "large". */
int channel_option_header(const char *argument, enum strata_header_form *form);

/* "single-store" or "reserve-commit". */
int channel_option_kind(const char *option, const char *argument, enum strata_app_mode *mode);

/* Milliseconds, or 0. */
int channel_option_switch(const char *argument, uint32_t *ms);

#endif /* STRATA_CHANNEL_OPTIONS_H */
