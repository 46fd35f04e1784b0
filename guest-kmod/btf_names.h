/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_names.h - finds the arguments of a kernel's function, or of a trace point, by their names in
 * C: `file->f_inode->i_ino` is a register, and what lies in memory behind it (probe_args.h).
 *
 * The BTF of the kernel and of its modules says so.  It describes functions as they are called by
 * the x86-64 ABI; where the compiler made another one of them, and where the names are of no use, a
 * refusal says what is.  A trace point is described by the function that calls its probes.
 */
#ifndef STRATA_KMOD_BTF_NAMES_H
#define STRATA_KMOD_BTF_NAMES_H

#include <linux/types.h>

#include "btf_types.h"
#include "kernel_btf.h"
#include "probe_args.h"

#define STRATA_BTF_WHY_BYTES 256u

/* Of one parse of arguments. */
struct strata_btf_names {
	/* SYMBOL, or the name of a trace point; SYMBOL+OFFSET and patterns have no names */
	const char *place;
	enum strata_probe_args_of of;
	struct strata_btf kernel, module; /* the module's, if that has the function */
	struct strata_btf_owner owner;
	const struct strata_btf *btf;     /* that of both which describes the function */
	const struct btf_type *prototype; /* NULL: not found yet */
	char why[STRATA_BTF_WHY_BYTES];   /* the last refusal; "": none */
};

enum strata_btf_text {
	STRATA_BTF_NO_TEXT,
	STRATA_BTF_TEXT,         /* an array of characters */
	STRATA_BTF_TEXT_POINTER, /* a pointer to them */
};

/* One argument. */
struct strata_btf_value {
	u32 number; /* of the parameter, from 0; of a return 0 */
	u32 nr_derefs;
	struct strata_probe_deref deref[STRATA_PROBE_DEREFS_MAX];
	u8 kind;   /* STRATA_FIELD_..., of `bytes` */
	u32 bytes; /* 0: an array, which is no number */
	enum strata_btf_text text;
	bool text_user; /* the pointer is to the task's memory */
};

/* @place: of the probe, which stays until strata_btf_names_close() */
void strata_btf_names_init(struct strata_btf_names *names, const char *place,
			   enum strata_probe_args_of of);
void strata_btf_names_close(struct strata_btf_names *names);

/* Notes the reason of a refusal.  Returns -EINVAL. */
__printf(2, 3) int strata_btf_refuse(struct strata_btf_names *names, const char *format, ...);

/* Whether a text is a name, not a register: "count", "req->len", "$retval->f_inode", "$arg1->len".
 */
bool strata_btf_names_is(const char *text);

/* Finds an argument.  0, or -EINVAL with the reason in names->why.  May sleep. */
int strata_btf_names_find(struct strata_btf_names *names, const char *text,
			  struct strata_btf_value *value);

/* Whether the function has that parameter, from 0; also if it is not described.  False: see
 * names->why.  Has the same contexts. */
bool strata_btf_names_has(struct strata_btf_names *names, u32 number);

/* The name of a parameter, from 0; NULL: none is left, or the function is not described: see
 * names->why.  Has the same contexts. */
const char *strata_btf_names_parameter(struct strata_btf_names *names, u32 number);

/* A field's name for an argument: "file->f_pos" is "file_f_pos".  False: it is too long. */
bool strata_btf_names_label(const char *text, char *label, size_t bytes);

#endif /* STRATA_KMOD_BTF_NAMES_H */
