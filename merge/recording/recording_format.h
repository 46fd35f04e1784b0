/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_format.h - constants shared by recording_save.c and recording_load.c. */
#ifndef STRATA_MERGE_RECORDING_FORMAT_H
#define STRATA_MERGE_RECORDING_FORMAT_H

#define STRATA_RECORDING_FORMAT  "strata recording"
#define STRATA_RECORDING_VERSION 1

/* Names of enum strata_field_kind, by its numbers. */
#define STRATA_FIELD_KIND_NAMES                                              \
	{                                                                    \
		NULL, "unsigned", "signed", "hex", "text", "string", "float" \
	}

#endif /* STRATA_MERGE_RECORDING_FORMAT_H */
