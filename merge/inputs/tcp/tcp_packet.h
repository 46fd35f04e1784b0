/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_packet.h - the TCP segment in the bytes of a captured packet. */
#ifndef STRATA_MERGE_INPUTS_TCP_PACKET_H
#define STRATA_MERGE_INPUTS_TCP_PACKET_H

#include "inputs/tcp/tcp_segment.h"

/* As many bytes hold all headers that matter. */
#define STRATA_TCP_PACKET_BYTES 256u

/* Flags that a segment made of several has from others than its first. */
#define STRATA_TCP_FLAGS_OF_OTHERS 0x89u /* CWR, PSH, FIN */

#define STRATA_TCP_FRAGMENT_OFFSET 0x1fffu

/* Puts an IPv4 address where an IPv6 address is meant. @address may begin where @ipv4 does. */
void strata_tcp_map_ipv4(uint8_t address[16], const uint8_t ipv4[4]);

/*
 * Reads the headers of a packet: Ethernet's (with VLAN tags) if it begins with that, IPv4's or
 * IPv6's without extensions, and TCP's.  The bytes are hostile.
 * False: it is no TCP, a later fragment, or cut off before the end of TCP's flags.
 */
bool strata_tcp_packet_read(const uint8_t *bytes, size_t nr, enum strata_tcp_packet_layer layer,
			    struct strata_tcp_segment *segment);

#endif /* STRATA_MERGE_INPUTS_TCP_PACKET_H */
