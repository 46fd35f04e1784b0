// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_recorder.c - records guests that lie, again and again, beside one that
 * does not.  The recorder is the real one, `strata record` from its options to
 * its exit status, and so are the loader and the merger that read what it
 * wrote; only Xen below them is not (fake_host.h).
 *
 *     fuzz_recorder [--mutations N] [--seed N]   runs until N mutations were made
 *     fuzz_recorder --one SEED                   one run again, as a failure named it
 *
 * Speaks TAP.  What the sanitizers find ends it, with the seed.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include "commands.h"
#include "fake_host.h"
#include "merger.h"
#include "mutate.h"
#include "record_session.h"

/* Of the sanitizers' runtime, whose header for them gcc does not bring. */
size_t __sanitizer_get_allocated_size(const void *block);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *block,
								size_t bytes),
					      void (*on_free)(const volatile void *block));

#define HONEST    1u /* its place among the guests; the others lie */
#define NR_GUESTS 3u

/* A run takes milliseconds; this is for a loaded machine. */
#define SECONDS_MAX 20u
/* Each of three waits for answers lasts ten seconds at most, a look every two milliseconds or more;
 * a liar can cost one of its own before the start. */
#define WAITS_MAX 30000u
/* One copy of the largest sub-buffer, a directory's copy, and all the rest. */
#define HEAP_BYTES_MAX (12u << 20)
#define TEXT_BYTES_MAX (128u << 10)

/* What one guest of a run does. */
struct liar {
	struct fake_guest *guest;
	uint32_t kinds;  /* of mutations, a bit each */
	uint32_t budget; /* of those while it is recorded */
	uint32_t per_wait;
	bool storms;                              /* notifies without end */
	bool floods;                              /* writes its state without end */
	uint32_t dies_in, unloads_in, reloads_in; /* so many waits; 0: it does not */
};

static struct fake_guest guests[NR_GUESTS];
static struct liar liars[NR_GUESTS];
static struct randomness truth; /* what the guests do, lies apart */
static struct randomness lies;
static uint64_t run_seed;
static char dir[64], raw[96], merged_dir[96];
static char last_complaint[1600]; /* of a merge */
static bool scribbling;           /* this run; then the seed alone does not decide it */
static bool verbose;              /* show what the verbs say */

static uint64_t mutations[NR_MUTATIONS];
static struct {
	uint64_t runs, listed, merged, written_out, liars_recorded, bad_packets, waits, scribbled;
	uint64_t heap_peak;
} seen;

/* Memory ------------------------------------------------------------------------------------- */

static size_t heap_now, heap_peak;

static void on_malloc(const volatile void *block, size_t bytes)
{
	(void)block;
	heap_now += bytes;
	if (heap_now > heap_peak)
		heap_peak = heap_now;
}

static void on_free(const volatile void *block)
{
	if (block)
		heap_now -= __sanitizer_get_allocated_size((const void *)block);
}

/* The scribbler ------------------------------------------------------------------------------ */

/* A thread that writes over the liars' memory while the recorder reads it. */
static struct {
	pthread_t thread;
	pthread_mutex_t turn; /* held by whoever may touch the guests' memory alone */
	pthread_cond_t change;
	bool wanted, running;
	uint64_t seed, stores;
} scribbler = { .turn = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

static void scribble(struct randomness *random)
{
	struct fake_guest *guest = &guests[random_below(random, 2) * 2];
	uint32_t kind = random_below(random, NR_MUTATIONS);

	/* Whole pages would be most of what there is. */
	if (!(MUTATE_MEMORY & 1u << kind) || (kind == MUTATE_PAGE && !random_one_in(random, 32)))
		return;
	scribbler.stores += mutate(guest, kind, random);
}

static void *scribbler_main(void *unused)
{
	struct randomness random;

	(void)unused;
	pthread_mutex_lock(&scribbler.turn);
	while (true) {
		while (!__atomic_load_n(&scribbler.wanted, __ATOMIC_ACQUIRE))
			pthread_cond_wait(&scribbler.change, &scribbler.turn);
		random.state = scribbler.seed;
		scribbler.running = true;
		pthread_cond_broadcast(&scribbler.change);
		pthread_mutex_unlock(&scribbler.turn);
		while (__atomic_load_n(&scribbler.wanted, __ATOMIC_ACQUIRE))
			scribble(&random);
		pthread_mutex_lock(&scribbler.turn);
		scribbler.running = false;
		pthread_cond_broadcast(&scribbler.change);
	}
	return NULL;
}

static void scribbler_set(bool wanted)
{
	pthread_mutex_lock(&scribbler.turn);
	scribbler.seed = run_seed;
	__atomic_store_n(&scribbler.wanted, wanted, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&scribbler.change);
	while (scribbler.running != wanted)
		pthread_cond_wait(&scribbler.change, &scribbler.turn);
	pthread_mutex_unlock(&scribbler.turn);
}

/* What guests do ----------------------------------------------------------------------------- */

static void lie(struct liar *liar, uint32_t of_kinds)
{
	uint32_t kinds = liar->kinds & of_kinds, kind;

	if (!kinds || !liar->budget)
		return;
	do
		kind = random_below(&lies, NR_MUTATIONS);
	while (!(kinds & 1u << kind));
	/* A page is thousands of words: let it be rare. */
	if (kind == MUTATE_PAGE && !random_one_in(&lies, 8))
		return;
	liar->budget--;
	mutations[kind] += mutate(liar->guest, kind, &lies);
}

/* In each call of the recorder: what it read before may be different now. */
static void between(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_GUESTS; i++) {
		if (random_one_in(&lies, 12))
			lie(&liars[i], liars[i].guest->recording ? ~0u : MUTATE_WHEN_MAPPED);
		if (liars[i].storms)
			liars[i].guest->pending |= liars[i].guest->bound;
	}
}

static bool falls_due(uint32_t *in)
{
	return *in && --*in == 0;
}

static void work_of(struct liar *liar)
{
	struct fake_guest *guest = liar->guest;
	uint32_t i;

	fake_guest_write(guest, &truth, guest == &guests[HONEST] ? 12 : 30);
	if (guest->recording)
		for (i = random_below(&lies, liar->per_wait + 1); i > 0; i--)
			lie(liar, MUTATE_WHEN_RECORDED);
	if (liar->floods)
		fake_guest_set_node(guest, FAKE_STATE, guest->nodes[FAKE_STATE].value,
				    guest->nodes[FAKE_STATE].length);
	if (falls_due(&liar->dies_in))
		guest->alive = false;
	if (falls_due(&liar->unloads_in))
		for (i = 0; i < FAKE_NR_NODES; i++)
			fake_guest_remove_node(guest, i);
	if (falls_due(&liar->reloads_in))
		fake_guest_load(guest, &truth);
}

/* While the recorder waits. */
static void work(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_GUESTS; i++)
		work_of(&liars[i]);
}

static void choose_liar(struct liar *liar)
{
	static const uint32_t kinds[] = {
		MUTATE_WHEN_RECORDED,
		1u << MUTATE_COMMIT | 1u << MUTATE_HEADER | 1u << MUTATE_RECORD,
		1u << MUTATE_RECORD | 1u << MUTATE_HEADER,
		1u << MUTATE_EVENT,
		1u << MUTATE_ROOT | 1u << MUTATE_REFERENCE | 1u << MUTATE_GRANT,
		1u << MUTATE_NODE | 1u << MUTATE_STATE,
		1u << MUTATE_RING | 1u << MUTATE_REFERENCE,
		(1u << NR_MUTATIONS) - 1u,
	};
	uint32_t i, first = random_below(&lies, 4);

	liar->kinds = kinds[random_below(&lies, sizeof(kinds) / sizeof(kinds[0]))];
	liar->budget = 20 + random_below(&lies, 300);
	liar->per_wait = 1 + random_below(&lies, 24);
	liar->storms = random_one_in(&lies, 6);
	liar->floods = random_one_in(&lies, 24);
	liar->guest->deaf = random_one_in(&lies, 40);
	liar->dies_in = random_one_in(&lies, 12) ? 1 + random_below(&lies, 20) : 0;
	liar->unloads_in = random_one_in(&lies, 20) ? 1 + random_below(&lies, 20) : 0;
	/* Not while another thread writes there. */
	if (!scribbling && random_one_in(&lies, 20))
		liar->reloads_in = 1 + random_below(&lies, 20);
	for (i = 0; i < first; i++)
		lie(liar, MUTATE_WHEN_MAPPED);
}

/* One run ------------------------------------------------------------------------------------ */

static void begin(uint64_t seed, bool lying)
{
	uint32_t i;

	run_seed = seed;
	truth.state = seed;
	lies.state = ~seed;
	scribbling = lying && random_one_in(&lies, 3);
	fake_host_reset(guests, NR_GUESTS);
	fake_host.between = between;
	fake_host.work = work;
	for (i = 0; i < NR_GUESTS; i++) {
		memset(&liars[i], 0, sizeof(liars[i]));
		liars[i].guest = &guests[i];
		fake_guest_load(&guests[i], &truth);
		if (lying && i != HONEST)
			choose_liar(&liars[i]);
	}
}

/* Runs one verb with its words kept apart; @text is the caller's to free. */
static int with_words(int (*verb)(void), char **text, size_t *length)
{
	FILE *words = open_memstream(text, length);
	FILE *out = stdout, *err = stderr;
	int status;

	if (!words)
		abort();
	stdout = words;
	stderr = words;
	status = verb();
	stdout = out;
	stderr = err;
	fclose(words);
	if (verbose)
		fwrite(*text, 1, *length, stderr);
	return status;
}

static int verb_record(void)
{
	const struct record_options options = { .output = raw, .duration_ms = 80 };

	return record_session(&options);
}

static int verb_list(void)
{
	char *argv[] = { "list", "--events", NULL };

	optind = 0;
	return strata_cmd_list(2, argv);
}

static int verb_merge(void)
{
	char *argv[] = { "merge", raw, "-o", merged_dir, NULL };

	optind = 0;
	return strata_cmd_merge(4, argv);
}

/* What goes to a terminal is the recorder's own, and not much. */
static const char *check_words(const char *text, size_t length)
{
	size_t i;

	if (length > TEXT_BYTES_MAX)
		return "it says too much";
	for (i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			return "it prints control characters";
	return NULL;
}

/* A sink that counts, and sees that time does not run backwards. */
struct counting_sink {
	struct strata_sink sink;
	uint64_t events, last_ns;
	bool disordered;
};

static void count_event(struct strata_sink *sink, const struct strata_timeline_event *event)
{
	struct counting_sink *counting = (struct counting_sink *)sink;

	counting->disordered |= event->ns < counting->last_ns;
	counting->last_ns = event->ns;
	counting->events += !strcmp(event->stream->source->name, guests[HONEST].name);
}

static int count_finish(struct strata_sink *sink, const struct strata_merge *merge,
			struct strata_error *error)
{
	(void)sink;
	(void)merge;
	(void)error;
	return 0;
}

static uint64_t honest_records(void)
{
	uint64_t records = 0;
	uint32_t i;

	for (i = 0; i < guests[HONEST].nr_rings; i++)
		records += guests[HONEST].rings[i].nr_records;
	return records;
}

static void merge_complains(void *data, const char *message)
{
	(void)data;
	snprintf(last_complaint, sizeof(last_complaint), "%s", message);
}

/* @refused: packets that the recorder did not let through; the merger finds no other. */
static const char *check_merge(uint64_t refused)
{
	const struct strata_merge_options options = { .complain = merge_complains };
	struct counting_sink counting = { .sink = { .event = count_event,
						    .finish = count_finish } };
	struct strata_sink *sinks[] = { &counting.sink };
	struct strata_error error = { "" };
	struct strata_merge *merge = strata_merge_open(raw, &options, &error);
	const char *wrong = NULL;

	if (!merge)
		return "what it recorded does not open";
	if (strata_merge_run(merge, sinks, 1, &error))
		wrong = "what it recorded does not merge";
	else if (counting.events != honest_records())
		wrong = "the merge lacks events of the honest guest";
	else if (counting.disordered)
		wrong = "the merge is not in order";
	else if (strata_merge_result(merge)->bad_packets != refused)
		wrong = "it let a packet through that the merger refuses";
	strata_merge_close(merge);
	seen.merged++;
	return wrong;
}

/* What recording.json says of the honest guest, and that it can be loaded at all. */
static const char *check_recording(uint64_t *refused)
{
	struct strata_recording recording;
	struct strata_error error = { "" };
	const char *wrong = "the honest guest is not in recording.json";
	uint64_t events = 0;
	size_t i, j;

	*refused = 0;
	if (strata_recording_load(&recording, raw, &error))
		return "recording.json does not load";
	for (i = 0; i < recording.nr_sources; i++) {
		const struct strata_source *source = &recording.sources[i];
		bool honest = !strcmp(source->name, guests[HONEST].name);

		if (honest)
			wrong = NULL;
		else
			seen.liars_recorded++;
		for (j = 0; j < source->nr_streams; j++) {
			*refused += source->streams[j].bad_packets;
			if (!honest)
				continue;
			events += source->streams[j].events;
			if (source->streams[j].lost || source->streams[j].bad_packets)
				wrong = "losses or bad packets are told of the honest guest";
		}
	}
	seen.bad_packets += *refused;
	strata_recording_clear(&recording);
	if (!wrong && events != honest_records())
		wrong = "recording.json counts other events of the honest guest";
	return wrong;
}

static const char *check_honest_streams(void)
{
	char path[128];
	const char *wrong = NULL;
	uint32_t i;

	snprintf(path, sizeof(path), "%s/%s", raw, guests[HONEST].name);
	for (i = 0; i < guests[HONEST].nr_rings && !wrong; i++)
		wrong = fake_guest_compare(&guests[HONEST], i, path);
	return wrong;
}

static const char *check_host(void)
{
	if (fake_host.misuse)
		return fake_host.misuse;
	if (fake_host.mappings || fake_host.mapped_pages)
		return "pages of guests stay mapped";
	if (fake_host.open_handles)
		return "handles stay open";
	if (fake_host.waits > WAITS_MAX)
		return "it waits too often";
	seen.waits += fake_host.waits;
	return NULL;
}

static const char *record_once(bool lying, int *status)
{
	char *text = NULL;
	size_t length = 0;
	const char *wrong;

	*status = with_words(verb_record, &text, &length);
	wrong = check_words(text, length);
	free(text);
	if (*status != STRATA_STATUS_OK && !(lying && *status == STRATA_STATUS_PARTIAL))
		return "the recording fails";
	return wrong;
}

static const char *list_once(void)
{
	char *text = NULL;
	size_t length = 0;
	const char *wrong;

	if (with_words(verb_list, &text, &length) != STRATA_STATUS_OK)
		wrong = "strata list fails";
	else
		wrong = check_words(text, length);
	free(text);
	seen.listed++;
	return wrong ? wrong : check_host();
}

static const char *merge_out_once(void)
{
	char *text = NULL;
	size_t length = 0;
	int status = with_words(verb_merge, &text, &length);

	free(text);
	seen.written_out++;
	return status == STRATA_STATUS_OK || status == STRATA_STATUS_PARTIAL ? NULL
									     : "strata merge fails";
}

/* Everything that one seed decides.  NULL: as it should be. */
static const char *run_checked(uint64_t seed, bool lying)
{
	const char *wrong;
	uint64_t refused;
	int status;

	begin(seed, lying);
	if (lying && random_one_in(&lies, 4)) {
		wrong = list_once();
		if (wrong)
			return wrong;
		begin(seed + 1, lying);
		run_seed = seed;
	}
	if (scribbling)
		scribbler_set(true);
	wrong = record_once(lying, &status);
	if (scribbling)
		scribbler_set(false);
	if (!wrong)
		wrong = check_host();
	if (!wrong)
		wrong = check_honest_streams();
	if (!wrong)
		wrong = check_recording(&refused);
	if (!wrong && random_one_in(&truth, 8))
		wrong = check_merge(refused);
	if (!wrong && random_one_in(&truth, 64))
		wrong = merge_out_once();
	return wrong;
}

static const char *run(uint64_t seed, bool lying)
{
	size_t before = heap_now;
	const char *wrong;

	heap_peak = heap_now;
	alarm(SECONDS_MAX);
	wrong = run_checked(seed, lying);
	alarm(0);
	if (!wrong && heap_now != before)
		wrong = "memory is not given back";
	if (!wrong && heap_peak - before > HEAP_BYTES_MAX)
		wrong = "it takes too much memory";
	if (heap_peak - before > seen.heap_peak)
		seen.heap_peak = heap_peak - before;
	seen.runs++;
	return wrong;
}

/* The program -------------------------------------------------------------------------------- */

static void name_seed(void)
{
	char text[80];
	int length =
		snprintf(text, sizeof(text), "\n# seed %" PRIu64 "; again with --one\n", run_seed);

	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		_exit(1);
}

/* The undefined-behaviour sanitizer knows no callback, but can abort(). */
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void on_abort(int number)
{
	(void)number;
	name_seed();
	_exit(1);
}

static void on_alarm(int number)
{
	static const char text[] = "\n# a run hangs\n";

	(void)number;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	__sanitizer_print_stack_trace();
	name_seed();
	_exit(1);
}

static unsigned int results;
static bool failed;

static bool result(const char *name, const char *wrong)
{
	printf("%s %u - %s\n", wrong ? "not ok" : "ok", ++results, name);
	if (wrong)
		printf("# %s; seed %" PRIu64 ", again with --one%s\n# %s\n", wrong, run_seed,
		       scribbling ? " (a few times: a thread took part)" : "", last_complaint);
	fflush(stdout);
	failed |= wrong != NULL;
	return !wrong;
}

static uint64_t nr_mutations(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < NR_MUTATIONS; i++)
		sum += mutations[i];
	return sum;
}

static void control(void)
{
	const char *wrong = NULL;
	uint64_t seed;
	unsigned int i;

	/* The first run makes what libraries keep. */
	run(0, false);
	for (seed = 1; seed <= 40 && !wrong; seed++)
		wrong = run(seed, false);
	for (i = 0; i < NR_GUESTS && !wrong; i++) {
		char path[128];
		uint32_t ring;

		snprintf(path, sizeof(path), "%s/%s", raw, guests[i].name);
		for (ring = 0; ring < guests[i].nr_rings && !wrong; ring++)
			wrong = fake_guest_compare(&guests[i], ring, path);
		if (!wrong && !guests[i].rings[0].nr_records)
			wrong = "a guest wrote nothing";
	}
	if (!wrong && seen.bad_packets)
		wrong = "packets of guests that do not lie are refused";
	result("guests that do not lie are recorded whole", wrong);
	memset(&seen, 0, sizeof(seen));
}

static void tell(uint64_t first_seed)
{
	unsigned int i;

	printf("# seed %" PRIu64 ": %" PRIu64 " runs, %" PRIu64 " mutations, and %" PRIu64
	       " by another thread meanwhile\n#",
	       first_seed, seen.runs, nr_mutations(), scribbler.stores);
	for (i = 0; i < NR_MUTATIONS; i++)
		printf(" %s %" PRIu64, mutation_names[i], mutations[i]);
	printf("\n# %" PRIu64 " times a liar was recorded, %" PRIu64
	       " of its packets refused; %" PRIu64 " merges, %" PRIu64
	       " of them written out; %" PRIu64 " times listed\n",
	       seen.liars_recorded, seen.bad_packets, seen.merged + seen.written_out,
	       seen.written_out, seen.listed);
	printf("# at most %" PRIu64 " KiB of heap in a run\n", seen.heap_peak >> 10);
}

static void fuzz(uint64_t first_seed, uint64_t wanted)
{
	struct randomness seeds = { first_seed };
	const char *wrong = NULL;
	unsigned int i;

	printf("# seed %" PRIu64 "\n", first_seed);
	fflush(stdout);
	while (!wrong && nr_mutations() < wanted)
		wrong = run(random_next(&seeds), true);
	tell(first_seed);
	if (!result("no lie of a guest harms the recorder, nor the honest guest's streams", wrong))
		return;
	for (i = 0; i < NR_MUTATIONS && !wrong; i++)
		wrong = mutations[i] ? NULL : mutation_names[i];
	result("lies of every kind were told", wrong);
}

static void set_up(void)
{
	static const char *const names[NR_GUESTS] = { "liar-a", "honest", "liar-b" };
	uint32_t i;

	snprintf(dir, sizeof(dir), "%s/strata-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(dir)) {
		fprintf(stderr, "%s: %s\n", dir, strerror(errno));
		exit(1);
	}
	snprintf(raw, sizeof(raw), "%s/raw", dir);
	snprintf(merged_dir, sizeof(merged_dir), "%s/merged", dir);
	for (i = 0; i < NR_GUESTS; i++)
		fake_guest_make(&guests[i], i + 1, names[i]);
	__sanitizer_set_death_callback(name_seed);
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
	signal(SIGABRT, on_abort);
	signal(SIGALRM, on_alarm);
	if (pthread_create(&scribbler.thread, NULL, scribbler_main, NULL))
		exit(1);
}

static void clean_up(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		fprintf(stderr, "%s stays\n", dir);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mutations", required_argument, NULL, 'm' },
		{ "seed", required_argument, NULL, 's' },
		{ "one", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t wanted = 250000, seed = 20260101, one = 0;
	bool again = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'm')
			wanted = strtoull(optarg, NULL, 10);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 10);
		else if (option == 'o')
			one = strtoull(optarg, NULL, 10), again = true;
		else
			return 2;
	}
	set_up();
	control();
	verbose = again;
	if (again)
		result("this seed", run(one, true));
	else
		fuzz(seed, wanted);
	printf("1..%u\n", results);
	fflush(stdout);
	clean_up();
	return failed;
}
