/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_name.h - names the directory of a kernel's source. */
#ifndef STRATA_CONSUMERD_SOURCE_NAME_H
#define STRATA_CONSUMERD_SOURCE_NAME_H

#include "recording/recording.h"

/*
 * Makes a directory's name, new to @recording, from a domain's name, which may be any text: "g1";
 * "g1-5" if g1 is taken, and "g1-5-2" if that is taken, too.
 */
void source_name(const struct strata_recording *recording, uint32_t domain, const char *domain_name,
		 char *name, size_t bytes);

#endif /* STRATA_CONSUMERD_SOURCE_NAME_H */
