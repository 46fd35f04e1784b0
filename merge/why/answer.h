/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - the answer to a question (instances.h): the instances with their trees, the blames of
 * each and of all of them together, and a typical instance for comparison; as text and as JSON.
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
	struct strata_why_explained *worst; /* in the order of instances->worst */
	size_t nr_worst;
	struct strata_why_explained together; /* of all instances together; its instance is NULL */
	struct strata_why_explained typical;  /* instance is NULL where no instance counts */
};

/* Fills the windows of time whose spans must be remembered. @windows: room for one more than the
 * number of worst instances. Returns the number of windows. */
size_t strata_why_windows(const struct strata_why_instances *instances,
			  const struct strata_why_instance *typical,
			  struct strata_why_window *windows);

/*
 * Explains the worst instances and the typical one.
 * @typical: or NULL
 * Returns 0, or -1: out of memory. The caller must clear the answer in either case.
 */
int strata_why_answer_make(struct strata_why_answer *answer,
			   const struct strata_why_instances *instances,
			   const struct strata_why_instance *typical,
			   const struct strata_why_recall *recall);
void strata_why_answer_clear(struct strata_why_answer *answer);

/* Prints the answer as sentences, then as trees. */
void strata_why_answer_print(const struct strata_why_answer *answer, FILE *out);

/* Prints only one of the worst instances: its description, blames and tree. */
void strata_why_explained_print(const struct strata_why_answer *answer,
				const struct strata_why_explained *explained, FILE *out);

/*
 * Returns the options of `strata record` that would record what this answer does not know; NULL if
 * nothing is unknown, or if it is unknown for another reason. @at: index of the instance, from 0
 */
const char *strata_why_missing(const struct strata_why_answer *answer, size_t at);

/* Returns NULL if out of memory. */
struct json_object *strata_why_answer_json(const struct strata_why_answer *answer);

/* Writes a tree node in words: "its vCPU g1/0 was preempted". Returns @text. */
#define STRATA_WHY_WORDS 400u
const char *strata_why_words(char *text, const struct strata_why_names *names,
			     const struct strata_why_step *step);

/* Returns the node's key, for programs: "preempted". */
const char *strata_why_key(enum strata_why_what what);

/* Writes a blame in words: "its vCPU was preempted by g2". */
const char *strata_why_finding_words(char *text, const struct strata_why_names *names,
				     const struct strata_why_finding *finding);

#endif /* STRATA_MERGE_WHY_ANSWER_H */
