/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_types.h - reads BTF, the kernel's description of its own types and functions.
 *
 * Every access is bounded by the size of the description: a damaged one yields fewer types, or is
 * refused.  Setup only, never in a probe.  May sleep.
 */
#ifndef STRATA_KMOD_BTF_TYPES_H
#define STRATA_KMOD_BTF_TYPES_H

#include <linux/btf.h>
#include <linux/types.h>

/* Names of types that may lead to each other: `const`, typedefs. */
#define STRATA_BTF_QUALIFIERS_MAX 16u

struct strata_btf {
	const char *types;
	const char *strings; /* ends with a zero byte */
	u32 types_bytes, strings_bytes;
	u32 first, nr; /* its types have ids from the first to below; id 0 is void */
	u32 *place;    /* of each, in bytes from `types` */
	/* A module's BTF continues the kernel's: these are the ids and strings before its own. */
	const struct strata_btf *base; /* NULL: the kernel's itself */
	u32 base_strings_bytes;
};

/*
 * Reads @bytes of BTF, which must stay until strata_btf_close().
 * @base: of a module's BTF the kernel's, which stays open; or NULL
 * 0, -ENOMEM, or -EINVAL: they are no BTF of a form that is known here.
 */
int strata_btf_open(struct strata_btf *btf, const struct strata_btf *base, const void *data,
		    size_t bytes);
void strata_btf_close(struct strata_btf *btf);

/* The type of an id; NULL: void, or no such type. */
const struct btf_type *strata_btf_type(const struct strata_btf *btf, u32 id);

/* Likewise without its typedefs and qualifiers.
 * @user: OUT, whether one of them marks it as __user; may be NULL */
const struct btf_type *strata_btf_plain(const struct strata_btf *btf, u32 id, bool *user);

static inline u32 strata_btf_kind(const struct btf_type *type)
{
	return type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;
}

/* Whether it has members. */
static inline bool strata_btf_is_compound(const struct btf_type *type)
{
	return strata_btf_kind(type) == BTF_KIND_STRUCT || strata_btf_kind(type) == BTF_KIND_UNION;
}

/* What follows a type that has members or parameters, BTF_INFO_VLEN() of them. */
static inline const void *strata_btf_parts(const struct btf_type *type)
{
	return type + 1;
}

/* A name; "": none. */
const char *strata_btf_name(const struct strata_btf *btf, u32 offset);

/*
 * Finds the prototype of a function; of a module's BTF, of the module's own.
 * @nr: OUT, number of different prototypes of that name
 * NULL unless there is one.
 */
const struct btf_type *strata_btf_function(const struct strata_btf *btf, const char *name, u32 *nr);

/*
 * Finds a member of a struct or union, also in those without a name within it.
 * @bits: IN/OUT, the offset of the struct becomes that of the member
 * NULL: the struct has no member of that name.
 */
const struct btf_member *strata_btf_member(const struct strata_btf *btf,
					   const struct btf_type *type, const char *name, u32 *bits,
					   bool *bit_field);

/* Lists the members of a struct or union, as "a, b, c"; "..." ends a list that is cut. */
void strata_btf_list_members(const struct strata_btf *btf, const struct btf_type *type, char *list,
			     size_t bytes);

/* Adds a name to such a list.  False: it does not fit. */
bool strata_btf_list_add(char *list, size_t bytes, const char *name);

#endif /* STRATA_KMOD_BTF_TYPES_H */
