/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_prototype.h - finds the prototype of a kernel's function, or of a trace point, in the BTF of
 * the kernel or of the module that has it; btf_names.c finds arguments by it.
 */
#ifndef STRATA_KMOD_BTF_PROTOTYPE_H
#define STRATA_KMOD_BTF_PROTOTYPE_H

#include "btf_names.h"

/* Sets names->prototype and names->btf.  0, or -EINVAL with the reason in names->why.  May sleep.
 */
int strata_btf_prototype_find(struct strata_btf_names *names);

/* The parameters of the prototype that was found.  @nr: OUT, how many */
const struct btf_param *strata_btf_parameters(const struct strata_btf_names *names, u32 *nr);

#endif /* STRATA_KMOD_BTF_PROTOTYPE_H */
