/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tsdl_build.h - builds the types of each place from the declarations, and from these types struct
 * strata_ctf_metadata.
 *
 * A type used in two places becomes two types, because their integers may get different slots.
 */
#ifndef STRATA_MERGE_CTF_TSDL_BUILD_H
#define STRATA_MERGE_CTF_TSDL_BUILD_H

#include "ctf/types/ctf_scopes.h"
#include "ctf/tsdl/tsdl_parse.h"

/* An integer that a sequence, variant or optional field refers to. */
struct strata_tsdl_target {
	struct strata_tsdl_target *next;
	struct strata_tsdl_target *same; /* shares this target's slot; NULL: has its own */
	struct strata_ctf_type *type;
	size_t at; /* of the first reference */
};

/* The targets in the trace's packet header, in a stream, or in an event. */
struct strata_tsdl_targets {
	struct strata_tsdl_target *first;
	unsigned int nr; /* that have their own slots */
};

/* A sequence or variant, and the integer that it refers to. */
struct strata_tsdl_link {
	struct strata_tsdl_link *next;
	struct strata_ctf_type *from;
	const struct strata_ctf_type *to;
};

struct strata_tsdl_builder {
	struct strata_tsdl_source *source;
	const struct strata_tsdl_file *file;
	struct strata_tsdl_table members; /* of structures and variants: each field by name */
	struct strata_tsdl_table labels;  /* of enumerations: the first label of each name */
	struct strata_tsdl_table clocks;  /* by name */
	struct strata_ctf_type *roots[STRATA_CTF_NR_SCOPES]; /* of the event being built; or NULL */
	struct strata_tsdl_targets *targets[STRATA_CTF_NR_SCOPES]; /* of each root */
	enum strata_ctf_scope root;                                /* the one being built */
	struct strata_tsdl_link *links;
	int32_t clock; /* of timestamps by roles; or NO_CLOCK */
};

/* A structure, variant or array around the type being built, with its members so far. */
struct strata_tsdl_frame {
	const struct strata_tsdl_frame *outer;
	const struct strata_ctf_type *structure;
};

/* A field or option: its type here, and its declaration. */
struct strata_tsdl_member {
	struct strata_ctf_type *type; /* NULL: not built yet */
	const struct strata_tsdl_type *declared;
	bool is_open; /* being built: its content can refer to earlier members */
};

/* All of these return NULL or -1 with an error. */

/* tsdl_members.c */
/*
 * Adds the names of a structure or variant; members can be found once they have types.
 * @members: must outlive the table
 * @fields: OUT, the names to show
 */
int strata_tsdl_add_members(struct strata_tsdl_builder *builder,
			    const struct strata_ctf_type *outer,
			    const struct strata_tsdl_type *declared,
			    struct strata_tsdl_member *members, struct strata_ctf_field *fields);
/*
 * Finds a member by its name as written, or with one underscore more or less; NULL if there is
 * none.
 * @open: includes members that are being built
 */
const struct strata_tsdl_member *strata_tsdl_find_member(struct strata_tsdl_builder *builder,
							 const struct strata_ctf_type *outer,
							 const char *name, bool open);

/* tsdl_refer.c */
/* Notes that @from needs the value of an integer of a scope. */
int strata_tsdl_link(struct strata_tsdl_builder *builder, size_t root, struct strata_ctf_type *from,
		     struct strata_ctf_type *to, size_t at);
/* Notes a further integer, which may be present instead of the first. */
int strata_tsdl_share(struct strata_tsdl_builder *builder, size_t root,
		      const struct strata_ctf_type *first, struct strata_ctf_type *other,
		      size_t at);
/* Finds the integer or enumeration to which a path leads from inside the frames. */
const struct strata_tsdl_member *strata_tsdl_refer(struct strata_tsdl_builder *builder,
						   const struct strata_tsdl_path *path,
						   const struct strata_tsdl_frame *frames,
						   struct strata_ctf_type *from);
/* Numbers a list's targets from @first; returns the next number, or -1 with an error. */
int strata_tsdl_number(struct strata_tsdl_builder *builder,
		       const struct strata_tsdl_targets *targets, int first);
/* Gives each link its target's number. */
void strata_tsdl_link_all(struct strata_tsdl_builder *builder);

/* ctf2_locate.c */
/* Finds the integer to which a path of CTF 2 leads; if several are possible, the first. */
const struct strata_ctf_type *strata_ctf2_locate(struct strata_tsdl_builder *builder,
						 const struct strata_tsdl_path *path,
						 const struct strata_tsdl_frame *frames,
						 struct strata_ctf_type *from);
/* Refuses ranges that end before they begin, or overlap between options. */
int strata_ctf2_check_choices(struct strata_tsdl_builder *builder,
			      const struct strata_tsdl_type *declared,
			      const struct strata_ctf_type *type);

/* tsdl_choices.c */
int strata_tsdl_choose(struct strata_tsdl_builder *builder, struct strata_ctf_type *variant,
		       const struct strata_tsdl_type *declared, const struct strata_tsdl_type *tag);

/* tsdl_build.c */
/* Builds the structure of a root scope; NULL gives NULL. */
int strata_tsdl_build(struct strata_tsdl_builder *builder, enum strata_ctf_scope root,
		      const struct strata_tsdl_type *declared);

/* tsdl_roles.c */
/* Gives a scope's fields roles by their names, also in structures within event headers, where an
 * integer mapped to a clock is not an id. */
void strata_tsdl_name_roles(const struct strata_ctf_type *type, enum strata_ctf_scope scope);

/* tsdl_trace.c */
int strata_tsdl_build_trace(struct strata_tsdl_source *source, const struct strata_tsdl_file *file,
			    struct strata_ctf_metadata *metadata);

#endif /* STRATA_MERGE_CTF_TSDL_BUILD_H */
