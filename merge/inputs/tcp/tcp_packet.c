// SPDX-License-Identifier: GPL-2.0-or-later
/* tcp_packet.c - see tcp_packet.h. */
#include "inputs/tcp/tcp_packet.h"

#include <string.h>

#define ETHERNET_BYTES 14u
#define VLAN_BYTES     4u
#define IPV4_BYTES     20u
#define IPV6_BYTES     40u
#define TCP_BYTES      14u /* up to and including its flags */
#define PROTOCOL_TCP   6u

enum { TYPE_IPV4 = 0x0800, TYPE_VLAN = 0x8100, TYPE_VLAN_OF_PROVIDER = 0x88a8, TYPE_IPV6 = 0x86dd };

/* The unread bytes. */
struct rest {
	const uint8_t *bytes;
	size_t nr;
};

static uint16_t u16_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t u32_at(const uint8_t *bytes)
{
	return (uint32_t)u16_at(bytes) << 16 | u16_at(bytes + 2);
}

static void skip(struct rest *rest, size_t nr)
{
	rest->bytes += nr;
	rest->nr -= nr;
}

void strata_tcp_map_ipv4(uint8_t address[16], const uint8_t ipv4[4])
{
	memmove(address + 12, ipv4, 4);
	memset(address, 0, 10);
	memset(address + 10, 0xff, 2);
}

static bool skip_ethernet(struct rest *rest)
{
	uint16_t type;

	if (rest->nr < ETHERNET_BYTES)
		return false;
	type = u16_at(rest->bytes + ETHERNET_BYTES - 2);
	skip(rest, ETHERNET_BYTES);
	while (type == TYPE_VLAN || type == TYPE_VLAN_OF_PROVIDER) {
		if (rest->nr < VLAN_BYTES)
			return false;
		type = u16_at(rest->bytes + VLAN_BYTES - 2);
		skip(rest, VLAN_BYTES);
	}
	return type == TYPE_IPV4 || type == TYPE_IPV6;
}

static bool read_ipv4(struct rest *rest, struct strata_tcp_segment *segment)
{
	const uint8_t *header = rest->bytes;
	const size_t bytes = (header[0] & 0xfu) * 4u;

	if (bytes < IPV4_BYTES || rest->nr < bytes || header[9] != PROTOCOL_TCP ||
	    (u16_at(header + 6) & STRATA_TCP_FRAGMENT_OFFSET))
		return false;
	segment->id = u16_at(header + 4);
	strata_tcp_map_ipv4(segment->source, header + 12);
	strata_tcp_map_ipv4(segment->destination, header + 16);
	skip(rest, bytes);
	return true;
}

static bool read_ipv6(struct rest *rest, struct strata_tcp_segment *segment)
{
	if (rest->nr < IPV6_BYTES || rest->bytes[6] != PROTOCOL_TCP)
		return false;
	memcpy(segment->source, rest->bytes + 8, 16);
	memcpy(segment->destination, rest->bytes + 24, 16);
	skip(rest, IPV6_BYTES);
	return true;
}

bool strata_tcp_packet_read(const uint8_t *bytes, size_t nr, enum strata_tcp_packet_layer layer,
			    struct strata_tcp_segment *segment)
{
	struct rest rest = { bytes, nr };
	unsigned int version;

	if (layer == STRATA_TCP_ETHERNET && !skip_ethernet(&rest))
		return false;
	version = rest.nr ? rest.bytes[0] >> 4 : 0;
	if (version == 4 ? !read_ipv4(&rest, segment) : version != 6 || !read_ipv6(&rest, segment))
		return false;
	if (rest.nr < TCP_BYTES)
		return false;
	segment->source_port = u16_at(rest.bytes);
	segment->destination_port = u16_at(rest.bytes + 2);
	segment->sequence = u32_at(rest.bytes + 4);
	segment->acknowledged = u32_at(rest.bytes + 8);
	segment->flags = u16_at(rest.bytes + 12) & 0x1ff & ~STRATA_TCP_FLAGS_OF_OTHERS;
	return true;
}
