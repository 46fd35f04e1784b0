// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * liar.c - an application that lies to the recorder, for test_app_record.sh: LIAR
 * SOCKET SEED.  It sends what is no message, messages out of turn and hostile event
 * tables; it makes rings as it should, and then writes anything into them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../../raw_app.h"

#define CONNECTIONS  60u
#define SCRIBBLES_MS 60u

static uint64_t random_state;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void say(int fd, uint16_t type, uint32_t value, uint32_t count, const void *more,
		size_t bytes)
{
	raw_app_say(fd, type, value, count, more, bytes, MSG_DONTWAIT);
}

static void say_anything(int fd)
{
	unsigned char bytes[sizeof(struct strata_app_packet) + 64];
	struct strata_app_packet packet;
	unsigned int i, n = 1 + (unsigned int)(random_word() % 40);
	size_t j;

	while (n--) {
		for (j = 0; j < sizeof(bytes); j++)
			bytes[j] = (unsigned char)random_word();
		memcpy(&packet, bytes, sizeof(packet));
		if (random_word() % 4) {
			i = (unsigned int)(random_word() % 9);
			packet.u.event.id = random_word() % 2 ? 0 : packet.u.event.id;
			packet.u.event.nr_fields =
				(uint8_t)(random_word() % (random_word() % 2 ? 41 : 256));
			say(fd, (uint16_t)i, (uint32_t)(random_word() % 4),
			    (uint32_t)(random_word() % (random_word() % 2 ? 3 : UINT32_MAX)),
			    &packet.u, random_word() % (sizeof(packet.u) + 1));
		} else {
			send(fd, bytes, random_word() % sizeof(bytes), MSG_NOSIGNAL | MSG_DONTWAIT);
		}
	}
}

/* The memory that comes with SETUP; NULL: the recorder has had enough. */
static unsigned char *receive_rings(int fd, struct strata_app_packet *packet)
{
	unsigned char *memory;
	int given = raw_app_receive_memory(fd, packet);

	if (given < 0)
		return NULL;
	/* It can be made no smaller under the recorder's feet. */
	if (ftruncate(given, 4096) == 0) {
		fprintf(stderr, "the memory can be shrunk\n");
		exit(1);
	}
	memory = mmap(NULL, 1u << 20, PROT_READ | PROT_WRITE, MAP_SHARED, given, 0);
	close(given);
	return memory == MAP_FAILED ? NULL : memory;
}

static void scribble(unsigned char *memory, const struct strata_app_packet *setup)
{
	const struct strata_ring_geometry geo = { setup->head.subbuf_bits,
						  setup->head.nr_subbufs_bits };
	struct strata_single_area *area = (struct strata_single_area *)memory;
	unsigned char *data = memory + STRATA_SINGLE_HEAD_BYTES;
	struct timespec pause = { .tv_nsec = 200000 };
	unsigned int i, j;

	for (i = 0; i < SCRIBBLES_MS * 5; i++) {
		for (j = 0; j < 200; j++)
			data[random_word() % (1u << 16)] = (unsigned char)random_word();
		/* Often a position that could be, so that what it says is looked at. */
		strata_write_once(&area->position,
				  random_word() % 4
					  ? area->position +
						    random_word() % (2ul << geo.subbuf_bits)
					  : random_word());
		strata_write_once(&area->closed[random_word() % 16].content_bytes,
				  (uint32_t)(random_word() % 3 ? random_word() % (1u << 14) * 4
							       : random_word()));
		strata_write_once(&area->lost[random_word() % 3], random_word());
		strata_write_once(&strata_single_reader_area(area)->read_count, random_word());
		nanosleep(&pause, NULL);
	}
}

static void make_rings_and_scribble(int fd)
{
	struct strata_event_desc event = { .name = "lie", .nr_fields = 1 };
	struct strata_app_packet setup = { 0 };
	unsigned char *memory;

	event.fields[0] = (struct strata_field_desc){ "f", STRATA_FIELD_UNSIGNED, 4, 1 };
	say(fd, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, 1, NULL, 0);
	say(fd, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(1));
	say(fd, STRATA_APP_READY, 0, 0, NULL, 0);
	memory = receive_rings(fd, &setup);
	if (!memory) {
		fprintf(stderr, "no rings were given\n");
		exit(1);
	}
	strata_single_init(
		(struct strata_single_area *)memory,
		(struct strata_ring_geometry){ setup.head.subbuf_bits, setup.head.nr_subbufs_bits },
		random_word() % 8 ? 0 : 77, random_word() % 4 == 0);
	say(fd, STRATA_APP_ATTACHED, 0, 0, NULL, 0);
	recv(fd, &setup.u, sizeof(setup.u), 0);
	scribble(memory, &setup);
	munmap(memory, 1u << 20);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 3)
		return 2;
	random_state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
	for (i = 0; i < CONNECTIONS; i++) {
		int fd = raw_app_connect(argv[1]);

		if (i % 6)
			say_anything(fd);
		else
			make_rings_and_scribble(fd);
		close(fd);
	}
	return 0;
}
