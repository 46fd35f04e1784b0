/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - the answer to a question (instances.h): the instances with their trees, what is to
 * blame for each and for all of them together, and the typical one for comparison; as text and as
 * JSON.
 */
#ifndef STRATA_MERGE_WHY_ANSWER_H
#define STRATA_MERGE_WHY_ANSWER_H

#include <json-c/json.h>
#include <stdio.h>

#include "state/host_state.h"
#include "why/finding.h"
#include "why/instances.h"
#include "why/recall.h"
#include "why/tree.h"

struct strata_why_explained {
	const struct strata_why_instance *instance;
	struct strata_why_tree tree;
	struct strata_why_findings findings;
};

struct strata_why_answer {
	const struct strata_why_instances *instances;
	const struct strata_shown *shown;
	struct strata_why_names *names;
	const struct strata_state_facts *facts;
	uint64_t not_remembered;
	struct strata_why_explained *worst; /* as instances->worst */
	size_t nr_worst;
	struct strata_why_explained together; /* all of those; no instance */
	struct strata_why_explained typical;  /* instance NULL: none */
};

/* The windows in which spans are to be remembered. @windows: room for one more than the worst;
 * returns their number. */
size_t strata_why_windows(const struct strata_why_instances *instances,
			  const struct strata_why_instance *typical,
			  struct strata_why_window *windows);

/*
 * Explains the worst instances and the typical one.
 * @typical: NULL: none
 * 0, or -1: out of memory.  To be cleared in any case.
 */
int strata_why_answer_make(struct strata_why_answer *answer,
			   const struct strata_why_instances *instances,
			   const struct strata_why_instance *typical,
			   const struct strata_why_recall *recall);
void strata_why_answer_clear(struct strata_why_answer *answer);

/* In words, then as trees. */
void strata_why_answer_print(const struct strata_why_answer *answer, FILE *out);

/* Only one of the worst: what it is, its blames, its tree. */
void strata_why_explained_print(const struct strata_why_answer *answer,
				const struct strata_why_explained *explained, FILE *out);

/*
 * What would have to be recorded to know what is unknown: options of `strata record`; NULL:
 * nothing, or what is unknown has another cause.  @at: counted from 0
 */
const char *strata_why_missing(const struct strata_why_answer *answer, size_t at);

/* NULL: out of memory. */
struct json_object *strata_why_answer_json(const struct strata_why_answer *answer);

/* What a node of a tree is, in words: "its vCPU g1/0 was preempted".  Returns @text. */
#define STRATA_WHY_WORDS 400u
const char *strata_why_words(char *text, const struct strata_why_names *names,
			     const struct strata_why_step *step);

/* The same for programs: "preempted". */
const char *strata_why_key(enum strata_why_what what);

/* What a blame is, in words: "its vCPU was preempted by g2". */
const char *strata_why_finding_words(char *text, const struct strata_why_names *names,
				     const struct strata_why_finding *finding);

#endif /* STRATA_MERGE_WHY_ANSWER_H */
