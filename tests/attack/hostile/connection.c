// SPDX-License-Identifier: GPL-2.0-or-later
/* connection.c - see connection.h. */
#include "connection.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../raw_app.h"

const char *recorder_socket;
struct connection connections[CONNECTIONS_MAX];

void fail(const char *call)
{
	perror(call);
	exit(1);
}

/* False: the recorder has hung up. */
static bool say(int fd, uint16_t type, uint32_t value, uint32_t count, const void *more,
		size_t bytes)
{
	return raw_app_say(fd, type, value, count, more, bytes, 0);
}

/* Describes events whose names, and whose fields' names, are as long as they can be. */
static bool describe(int fd, uint32_t events, uint32_t fields)
{
	struct strata_event_desc event = { .nr_fields = (uint8_t)fields };
	uint32_t i, j;

	for (i = 0; i < events; i++) {
		event.id = i;
		snprintf(event.name, sizeof(event.name), "hostile_%054u", i);
		for (j = 0; j < fields; j++) {
			event.fields[j] =
				(struct strata_field_desc){ "", STRATA_FIELD_UNSIGNED, 4, 1 };
			snprintf(event.fields[j].name, sizeof(event.fields[j].name), "field_%025u",
				 j);
		}
		if (!say(fd, STRATA_APP_EVENT, 0, 0, &event, strata_event_desc_bytes(fields)))
			return false;
	}
	return true;
}

/* Returns where memory can be mapped so that huge pages fit. */
static void *aligned_place(size_t bytes)
{
	unsigned char *place = mmap(NULL, bytes + HUGE_BYTES, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (place == MAP_FAILED)
		fail("mmap");
	return place + (HUGE_BYTES - (uintptr_t)place % HUGE_BYTES) % HUGE_BYTES;
}

/* Receives SETUP and maps the memory that comes with it.  False: the recorder has hung up. */
static bool receive_rings(struct connection *connection)
{
	struct strata_app_packet packet;
	int memory = raw_app_receive_memory(connection->socket, &packet);

	if (memory < 0)
		return false;
	connection->memory = memory;
	connection->geo = (struct strata_ring_geometry){ packet.head.subbuf_bits,
							 packet.head.nr_subbufs_bits };
	connection->stride = strata_single_bytes(connection->geo);
	connection->bytes = connection->cpus * connection->stride;
	connection->rings = mmap(aligned_place(connection->bytes), connection->bytes,
				 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
				 (off_t)packet.head.first_page * STRATA_PAGE_BYTES);
	if (connection->rings == MAP_FAILED)
		fail("mmap");
	return true;
}

struct strata_single_area *area_of(const struct connection *connection, uint32_t cpu)
{
	return (struct strata_single_area *)(connection->rings + cpu * connection->stride);
}

bool attach(struct connection *connection, const struct application *application)
{
	const uint32_t cpus = application->cpus;
	struct strata_app_packet selected;
	uint32_t i;

	memset(connection, 0, sizeof(*connection));
	connection->memory = -1;
	connection->cpus = cpus;
	connection->socket = raw_app_connect(recorder_socket);
	if (!say(connection->socket, STRATA_APP_HELLO, STRATA_APP_SINGLE_STORE, cpus, NULL, 0) ||
	    !describe(connection->socket, application->events, application->fields) ||
	    !say(connection->socket, STRATA_APP_READY, 0, 0, NULL, 0) || !receive_rings(connection))
		return false;
	if (application->seals && fcntl(connection->memory, F_ADD_SEALS, F_SEAL_SEAL))
		fail("F_SEAL_SEAL");
	for (i = 0; i < cpus; i++) {
		strata_single_init(area_of(connection, i), connection->geo, i, false);
		area_of(connection, i)->lost[0] = application->lost;
	}
	return say(connection->socket, STRATA_APP_ATTACHED, 0, 0, NULL, 0) &&
	       recv(connection->socket, &selected, sizeof(selected), 0) > 0;
}

uint32_t attach_all(uint32_t nr, const struct application *application)
{
	uint32_t i, attached = 0;

	for (i = 0; i < nr; i++) {
		if (attach(&connections[attached], application))
			attached++;
		else
			hang_up(&connections[attached]);
	}
	return attached;
}

uint32_t attach_plain(uint32_t nr, uint32_t cpus)
{
	const struct application application = { .cpus = cpus, .events = 1, .lost = 1 };

	return attach_all(nr, &application);
}

void hang_up(struct connection *connection)
{
	if (connection->rings)
		munmap(connection->rings, connection->bytes);
	if (connection->memory >= 0)
		close(connection->memory);
	close(connection->socket);
	memset(connection, 0, sizeof(*connection));
}

void print_connections(uint32_t nr)
{
	printf("connections %u\n", nr);
	fflush(stdout);
}
