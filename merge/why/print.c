// SPDX-License-Identifier: GPL-2.0-or-later
/* print.c - prints an answer (answer.h) for people: sentences first, then trees. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outputs/table.h"
#include "why/answer.h"

/* Smallest share of the time for a blame to get a sentence and a tree node to be printed. */
#define SAID_PERCENT 5u
#define SHOWN_TENTHS 5u /* of a percent */
#define SENTENCES    4u

struct texts {
	char ns[STRATA_NS_TEXT_BYTES], bound[STRATA_NS_TEXT_BYTES];
};

static const char *bound_text(struct texts *texts, uint64_t bound_ns)
{
	return bound_ns == UINT64_MAX ? "?" : strata_ns_text(texts->bound, bound_ns);
}

/* "24.10 ms ± 362 ns" */
static void put_time(FILE *out, uint64_t ns, uint64_t bound_ns)
{
	struct texts texts;

	fprintf(out, "%s ± %s", strata_ns_text(texts.ns, ns), bound_text(&texts, bound_ns));
}

/* Tenths of a percent, rounded. */
static uint64_t tenths(uint64_t ns, uint64_t of_ns)
{
	return of_ns ? (uint64_t)(((__uint128_t)ns * 1000 + of_ns / 2) / of_ns) : 0;
}

static void put_share(FILE *out, uint64_t ns, uint64_t of_ns)
{
	const uint64_t share = tenths(ns, of_ns);

	fprintf(out, "%" PRIu64 ".%" PRIu64 " %%", share / 10, share % 10);
}

/* "request 812 (key 5) of app-server"; of a task "server-239 of dom0" */
static void put_instance(const struct strata_why_answer *answer,
			 const struct strata_why_instance *instance, FILE *out)
{
	const char *source = answer->shown->sources[instance->trace].name;
	const char *task = strata_why_name(answer->names, instance->task);

	switch (instance->of) {
	case STRATA_WHY_OF_REQUEST:
		fprintf(out, "%s %" PRIu64 " of %s", strata_why_name(answer->names, instance->name),
			instance->key, source);
		break;
	case STRATA_WHY_OF_SYSCALL:
		fprintf(out, "system call %s of %s in %s",
			strata_why_name(answer->names, instance->name), task, source);
		break;
	case STRATA_WHY_OF_WAKEUP:
		fprintf(out, "wake-up of %s in %s", task, source);
		break;
	default:
		fprintf(out, "%s in %s wanted to run", task, source);
	}
	fprintf(out, instance->of == STRATA_WHY_OF_TASK ? " for " : " took ");
	put_time(out, instance->to_ns - instance->from_ns, instance->bound_ns);
	if (instance->began_before || instance->goes_on)
		fprintf(out, " (as far as the trace tells: it %s)",
			!instance->goes_on       ? "began before"
			: instance->began_before ? "began before and went on"
						 : "went on");
}

/* Prints the blames with the largest shares, one per line. */
static void put_sentences(const struct strata_why_answer *answer,
			  const struct strata_why_explained *explained, FILE *out)
{
	const struct strata_why_findings *findings = &explained->findings;
	const uint64_t whole = explained->tree.nr ? explained->tree.nodes[0].ns : 0;
	uint64_t others = findings->others_ns;
	char words[STRATA_WHY_WORDS];
	size_t i;

	for (i = 0; i < findings->nr; i++) {
		const struct strata_why_finding *finding = &findings->all[i];

		if (i >= SENTENCES || (i && tenths(finding->ns, whole) < 10 * SAID_PERCENT)) {
			others += finding->ns;
			continue;
		}
		fprintf(out, "    for ");
		put_time(out, finding->ns, finding->bound_ns);
		fprintf(out, " (");
		put_share(out, finding->ns, whole);
		fprintf(out, ") %s\n", strata_why_finding_words(words, answer->names, finding));
	}
	if (others) {
		struct texts texts;

		fprintf(out, "    and %s of other things\n", strata_ns_text(texts.ns, others));
	}
}

/* Each level is indented by two more columns. */
static void put_tree(const struct strata_why_answer *answer, const struct strata_why_tree *tree,
		     size_t at, unsigned int depth, FILE *out)
{
	const uint64_t whole = tree->nodes[0].ns;
	char words[STRATA_WHY_WORDS];
	struct texts texts;
	size_t child;

	for (child = tree->nodes[at].child; child; child = tree->nodes[child].next) {
		const struct strata_why_node *node = &tree->nodes[child];
		const uint64_t share = tenths(node->ns, whole);

		if (share < SHOWN_TENTHS)
			continue;
		fprintf(out, "      %3" PRIu64 ".%" PRIu64 " %%  %9s ± %-8s  %*s%s", share / 10,
			share % 10, strata_ns_text(texts.ns, node->ns),
			bound_text(&texts, node->bound_ns), (int)(2 * depth), "",
			strata_why_words(words, answer->names, &node->step));
		if (node->times > 1)
			fprintf(out, " (%" PRIu64 " times)", node->times);
		fprintf(out, "\n");
		put_tree(answer, tree, child, depth + 1, out);
	}
}

/* Prints where the time of all instances went, without culprits. */
static void put_all(const struct strata_why_answer *answer, FILE *out)
{
	static const char *const words[STRATA_NR_PARTS] = {
		[STRATA_PART_RUNS] = "ran",
		[STRATA_PART_QUEUED] = "waited for a CPU of its kernel",
		[STRATA_PART_XEN] = "in Xen",
		[STRATA_PART_STOLEN] = "vCPU waited for a physical CPU",
		[STRATA_PART_ASLEEP] = "vCPU asleep",
		[STRATA_PART_PAUSED] = "vCPU paused",
		[STRATA_PART_BLOCKED] = "blocked",
		[STRATA_PART_UNKNOWN] = "unknown",
	};
	const struct strata_why_instances *all = answer->instances;
	const char *comma = ":";
	struct texts texts;
	size_t i;

	fprintf(out, "All %" PRIu64 " took %s", all->nr, strata_ns_text(texts.ns, all->sum_ns));
	for (i = 0; i < STRATA_NR_PARTS; i++) {
		if (tenths(all->parts[i], all->sum_ns) < 10)
			continue;
		fprintf(out, "%s ", comma);
		put_share(out, all->parts[i], all->sum_ns);
		fprintf(out, " %s", words[i]);
		comma = ",";
	}
	fprintf(out, ".\n");
}

static void put_together(const struct strata_why_answer *answer, FILE *out)
{
	const struct strata_why_instances *all = answer->instances;

	if (all->nr > answer->nr_worst && answer->nr_worst == 1)
		fprintf(out, "The longest of %" PRIu64 " %s took ", all->nr,
			strata_why_of_name(all->question->of, true));
	else if (all->nr > answer->nr_worst)
		fprintf(out, "The %zu longest of %" PRIu64 " %s together took ", answer->nr_worst,
			all->nr, strata_why_of_name(all->question->of, true));
	else
		fprintf(out, "%" PRIu64 " %s%s took ", all->nr,
			strata_why_of_name(all->question->of, all->nr > 1),
			all->nr > 1 ? " together" : "");
	put_time(out, answer->together.tree.nodes[0].ns, answer->together.tree.nodes[0].bound_ns);
	fprintf(out, ":\n");
	put_sentences(answer, &answer->together, out);
	if (all->nr <= answer->nr_worst)
		return;
	if (answer->typical.instance) {
		fprintf(out, "The typical one (the median%s) took ",
			all->nr > STRATA_WHY_SAMPLE ? " of a random sample" : "");
		put_time(out, answer->typical.instance->to_ns - answer->typical.instance->from_ns,
			 answer->typical.instance->bound_ns);
		fprintf(out, ":\n");
		put_sentences(answer, &answer->typical, out);
	}
	put_all(answer, out);
}

/* Prints why something is unknown, and what to do about it. */
static void put_missing(const struct strata_why_answer *answer, FILE *out)
{
	const char *missing;
	size_t i;

	for (i = 0; (missing = strata_why_missing(answer, i)); i++)
		fprintf(out, "To know what is unknown, record with: strata record %s\n", missing);
	if (answer->not_remembered)
		fprintf(out,
			"%" PRIu64
			" spans were more than are remembered, and count as unknown; ask for fewer\n"
			"or shorter ones (--worst, --from, --to)\n",
			answer->not_remembered);
}

/* @head: printed before the tree; or NULL */
static void put_explained(const struct strata_why_answer *answer,
			  const struct strata_why_explained *explained, const char *head, FILE *out)
{
	const uint64_t since = explained->instance->from_ns - answer->facts->first_ns;

	put_instance(answer, explained->instance, out);
	fprintf(out, ", from +%" PRIu64 ".%09" PRIu64 "\n", since / 1000000000, since % 1000000000);
	put_sentences(answer, explained, out);
	fprintf(out, "\n%s", head ? head : "");
	if (explained->tree.nr)
		put_tree(answer, &explained->tree, 0, 0, out);
}

void strata_why_explained_print(const struct strata_why_answer *answer,
				const struct strata_why_explained *explained, FILE *out)
{
	put_explained(answer, explained, NULL, out);
}

void strata_why_answer_print(const struct strata_why_answer *answer, FILE *out)
{
	size_t i;

	put_together(answer, out);
	for (i = 0; i < answer->nr_worst; i++) {
		fprintf(out, "\n%zu. ", i + 1);
		put_explained(answer, &answer->worst[i],
			      i ? NULL : "      Parts of it, of 0.5 % and more:\n", out);
	}
	if (strata_why_missing(answer, 0) || answer->not_remembered)
		fprintf(out, "\n");
	put_missing(answer, out);
}
