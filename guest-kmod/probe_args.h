/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe_args.h - the arguments that a probe records: registers, and what lies in memory behind
 * them, in the notation of the kernel's own probe events (strata/abi/guest.h).  Names in C, of a
 * kernel's function, are those of btf_names.h.
 *
 * Nothing here faults: memory that cannot be read is recorded as 0, text as "(fault)".
 */
#ifndef STRATA_KMOD_PROBE_ARGS_H
#define STRATA_KMOD_PROBE_ARGS_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include <strata/event.h>

#define STRATA_PROBE_ARGS_MAX 8u
/* Parameters of a trace point; of a function, those in registers. */
#define STRATA_TRACEPOINT_PARAMETERS_MAX 12u
#define STRATA_FUNCTION_PARAMETERS_MAX   6u

#define STRATA_PROBE_DEREFS_MAX 4u

/* Whose arguments they are. */
enum strata_probe_args_of {
	STRATA_ARGS_OF_PLACE,      /* registers; where a function begins, its parameters, too */
	STRATA_ARGS_OF_RETURN,     /* a function's return, for which those are lost */
	STRATA_ARGS_OF_TRACEPOINT, /* its parameters */
};

struct strata_probe_deref {
	long offset;
	bool user; /* of the task's memory, not of the kernel's */
};

struct strata_probe_arg {
	unsigned int at; /* its offset in struct pt_regs, or among parameters */
	unsigned int nr_derefs;
	struct strata_probe_deref deref[STRATA_PROBE_DEREFS_MAX]; /* the innermost first */
	unsigned int place;                                       /* in the payload */
	unsigned int bytes;
	bool text;
};

struct strata_btf_names;

struct strata_probe_args {
	unsigned int nr;
	unsigned int end; /* of the payload */
	struct strata_probe_arg arg[STRATA_PROBE_ARGS_MAX];
};

/*
 * Parses arguments, separated by single spaces.
 * @words:  changed in place; NULL: no arguments
 * @names:  of the parameters; holds the reason of a refusal; NULL: they have no names
 * @begin:  end of the payload's fields before them
 * @args:   OUT
 * @fields: OUT, one for each; room for STRATA_PROBE_ARGS_MAX
 * Returns 0 or -EINVAL.  May sleep.
 */
int strata_probe_args_parse(char *words, enum strata_probe_args_of of,
			    struct strata_btf_names *names, unsigned int begin,
			    struct strata_probe_args *args, struct strata_field_desc *fields);

/* Makes all memory behind registers the task's: a program's probe knows no other. */
void strata_probe_args_of_program(struct strata_probe_args *args);

/*
 * Writes all of them to a payload of args->end bytes, whose first @begin bytes are the caller's. In
 * a probe.
 * @from: what they are read from: struct pt_regs, or the parameters of a trace point, an array of
 *        unsigned long
 */
void strata_probe_args_write(const struct strata_probe_args *args, const void *from, void *payload,
			     unsigned int begin);

#endif /* STRATA_KMOD_PROBE_ARGS_H */
