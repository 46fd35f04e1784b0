/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_format.h - constants shared by recording_save.c and recording_load.c. */
#ifndef STRATA_MERGE_RECORDING_FORMAT_H
#define STRATA_MERGE_RECORDING_FORMAT_H

#define STRATA_RECORDING_FORMAT  "strata recording"
#define STRATA_RECORDING_VERSION 2
/* Version 1 contained the event classes besides the CTF metadata; they are ignored. */
#define STRATA_RECORDING_OLDEST 1

#endif /* STRATA_MERGE_RECORDING_FORMAT_H */
