/* SPDX-License-Identifier: GPL-2.0-or-later */
/* standard_files.h - standard descriptors for a program whose caller closed them. */
#ifndef STRATA_CONSUMERD_STANDARD_FILES_H
#define STRATA_CONSUMERD_STANDARD_FILES_H

/* Opens descriptors 0 to 2 if the caller closed them: otherwise a file of ours could get one of
 * these numbers, and messages would be written into it.  Before anything else is opened. */
void standard_files_hold(void);

#endif /* STRATA_CONSUMERD_STANDARD_FILES_H */
