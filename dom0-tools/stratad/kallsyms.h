/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kallsyms.h - stores the addresses of this kernel's functions in a recording of it. */
#ifndef STRATA_STRATAD_KALLSYMS_H
#define STRATA_STRATAD_KALLSYMS_H

#include "files/safe_dir.h"

/*
 * Copies the functions of @from ("kallsyms", as of own_proc_open()) to STRATA_RECORDING_KALLSYMS,
 * which only its owner may read; nothing is written where addresses are hidden. 0, or -1 with the
 * reason; then nothing is left of it.
 */
int kallsyms_save(const struct strata_dir *dir, const char *from, struct strata_error *error);

#endif /* STRATA_STRATAD_KALLSYMS_H */
