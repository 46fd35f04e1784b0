// SPDX-License-Identifier: GPL-2.0-or-later
/* scribbler.c - see scribbler.h. */
#include "scribbler.h"

#include <pthread.h>
#include <stdlib.h>

#include "mutate.h"

#define FLICKERS 200u

enum habit {
	HABIT_MUTATE,  /* anything, anywhere */
	HABIT_FLICKER, /* one word of the packet that is read next, true and false in turns */
	HABIT_CHASE,   /* whatever the reader looks at is ready */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static bool wanted, running; /* wanted: also read without the lock */
static struct fake_guest *victims[2];
static struct randomness numbers;
static uint64_t stores;

static void mutate_something(struct fake_guest *guest)
{
	uint32_t kind = random_below(&numbers, NR_MUTATIONS);

	/* Otherwise most stores would go to whole pages. */
	if ((MUTATE_MEMORY & 1u << kind) && (kind != MUTATE_PAGE || random_one_in(&numbers, 32)))
		stores += mutate(guest, kind, &numbers);
}

/* A word of the packet that is read next. */
static volatile uint32_t *any_word(struct fake_guest *guest)
{
	struct fake_ring *ring = &guest->rings[random_below(&numbers, guest->nr_rings)];
	strata_count_t position = *(volatile strata_count_t *)&ring->reader->read_count;
	size_t bytes = strata_subbuf_bytes(guest->geo);
	unsigned char *packet = fake_ring_subbuf(guest, ring, position);

	return (uint32_t *)(packet + mutate_place_in_packet(packet, bytes, &numbers));
}

static void flicker(struct fake_guest *guest)
{
	volatile uint32_t *word = any_word(guest);
	uint32_t true_word = *word, false_word = (uint32_t)random_awkward(&numbers, true_word);
	uint32_t i;

	for (i = 0; i < FLICKERS; i++) {
		*word = false_word;
		*word = true_word;
	}
	stores += (uint64_t)FLICKERS * 2;
}

/* All sub-buffers, so that the reader is never through with them. */
static void chase(struct fake_guest *guest)
{
	strata_count_t nr = strata_nr_subbufs(guest->geo), i;
	uint32_t ring_index;

	for (ring_index = 0; ring_index < guest->nr_rings; ring_index++) {
		struct fake_ring *ring = &guest->rings[ring_index];
		strata_count_t position = *(volatile strata_count_t *)&ring->reader->read_count;

		for (i = 0; i < nr; i++, position += strata_subbuf_bytes(guest->geo))
			strata_write_once(&ring->writer->commit_seq[strata_subbuf_index(guest->geo,
											position)],
					  strata_commit_at_turn(guest->geo, position) +
						  strata_subbuf_bytes(guest->geo));
		stores += nr;
	}
}

static void scribble(enum habit habit)
{
	struct fake_guest *guest = victims[random_below(&numbers, 2)];

	if (habit == HABIT_MUTATE)
		mutate_something(guest);
	else if (habit == HABIT_FLICKER)
		flicker(guest);
	else
		chase(guest);
}

static void *scribbler_main(void *unused)
{
	static const enum habit habits[] = { HABIT_MUTATE, HABIT_FLICKER, HABIT_FLICKER,
					     HABIT_CHASE };

	(void)unused;
	pthread_mutex_lock(&lock);
	while (true) {
		enum habit habit;

		while (!wanted)
			pthread_cond_wait(&change, &lock);
		habit = habits[random_below(&numbers, 4)];
		running = true;
		pthread_cond_broadcast(&change);
		pthread_mutex_unlock(&lock);
		while (__atomic_load_n(&wanted, __ATOMIC_ACQUIRE))
			scribble(habit);
		pthread_mutex_lock(&lock);
		running = false;
		pthread_cond_broadcast(&change);
	}
	return NULL;
}

static void turn(bool on)
{
	__atomic_store_n(&wanted, on, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&change);
	while (running != on)
		pthread_cond_wait(&change, &lock);
}

void scribbler_make(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, scribbler_main, NULL))
		abort();
}

void scribbler_begin(struct fake_guest *first, struct fake_guest *second, uint64_t seed)
{
	pthread_mutex_lock(&lock);
	victims[0] = first;
	victims[1] = second;
	numbers.state = seed;
	turn(true);
	pthread_mutex_unlock(&lock);
}

void scribbler_end(void)
{
	pthread_mutex_lock(&lock);
	turn(false);
	pthread_mutex_unlock(&lock);
}

uint64_t scribbler_stores(void)
{
	return stores;
}
