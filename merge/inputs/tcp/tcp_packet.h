/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_packet.h - the TCP segment in the bytes of a captured packet. */
#ifndef STRATA_MERGE_INPUTS_TCP_PACKET_H
#define STRATA_MERGE_INPUTS_TCP_PACKET_H

#include "inputs/tcp/tcp_segment.h"

/* Bytes that contain all relevant headers. */
#define STRATA_TCP_PACKET_BYTES 256u

/* Flags that a joined segment may have from later parts. */
#define STRATA_TCP_FLAGS_OF_OTHERS 0x89u /* CWR, PSH, FIN */

#define STRATA_TCP_FRAGMENT_OFFSET 0x1fffu

/* Writes an IPv4 address as an IPv6 address. @address may begin where @ipv4 does. */
void strata_tcp_map_ipv4(uint8_t address[16], const uint8_t ipv4[4]);

/*
 * Reads the headers of a packet: Ethernet's (with VLAN tags) if the packet begins with it, IPv4's
 * or IPv6's without extensions, and TCP's. The bytes are hostile.
 * False: not TCP, a later fragment, or truncated before the end of TCP's flags.
 */
bool strata_tcp_packet_read(const uint8_t *bytes, size_t nr, enum strata_tcp_packet_layer layer,
			    struct strata_tcp_segment *segment);

#endif /* STRATA_MERGE_INPUTS_TCP_PACKET_H */
