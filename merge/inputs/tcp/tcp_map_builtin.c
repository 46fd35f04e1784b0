// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp_map_builtin.c - the rules for TCP that every merge has (docs/tcp-map.md).
 *
 * Fields' names are facts about other tracers: LTTng-modules (since 2.8, and the branches with
 * network data before), its add-ons, and Linux's own trace points as perf or LTTng record them.
 */
#include "inputs/tcp/tcp_map.h"

/* The headers of a packet, in events of LTTng-modules. */
#define LTTNG_HEADERS                        \
	"	source_address saddr\n"            \
	"	destination_address daddr\n"       \
	"	source_port source_port source\n"  \
	"	destination_port dest_port dest\n" \
	"	sequence seq\n"                    \
	"	acknowledged ack_seq\n"            \
	"	flags flags\n"                     \
	"	id id optional\n"                  \
	"	fragment frag_off optional\n"

const char strata_tcp_map_builtin[] =
	/* LTTng-modules: the headers of an outgoing packet, and of an incoming one. */
	"event net_dev_queue\n"
	"	role sent\n" LTTNG_HEADERS "event net_if_receive_skb netif_receive_skb\n"
	"	role received\n" LTTNG_HEADERS
	/* Its branches with network data, before 2.8: only the TCP header. */
	"event net_dev_queue\n"
	"	role sent\n"
	"	sequence seq\n"
	"	acknowledged ack_seq\n"
	"	raw_flags flags\n"
	"	dialect lttng\n"
	"event net_if_receive_skb netif_receive_skb\n"
	"	role received\n"
	"	sequence seq\n"
	"	acknowledged ack_seq\n"
	"	raw_flags flags\n"
	"	dialect lttng\n"
	/* Its add-ons: what a socket sends, and receives. */
	"event inet_sock_local_out addons_inet_sock_local_out\n"
	"	role sent\n"
	"	sequence seq\n"
	"	acknowledged ack_seq\n"
	"	raw_flags flags\n"
	"	dialect addons\n"
	"event inet_sock_local_in addons_inet_sock_local_in\n"
	"	role received\n"
	"	sequence seq\n"
	"	acknowledged ack_seq\n"
	"	raw_flags flags\n"
	"	dialect addons\n"
	"event inet_sock_local_out addons_inet_sock_local_out\n"
	"	role sent\n"
	"	sequence seq\n"
	"	acknowledged ack_seq\n"
	"event inet_sock_local_in addons_inet_sock_local_in\n"
	"	role received\n"
	"	sequence seq\n"
	"	acknowledged ack_seq\n"
	/* Linux: segments received by a socket, with the sequence number acknowledged by the
	 * peer. */
	"event tcp_probe tcp:tcp_probe tcp_tcp_probe\n"
	"	role received\n"
	"	source_address saddr\n"
	"	destination_address daddr\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	acknowledged snd_una\n"
	"	swap\n"
	"	state\n"
	/* Linux: a connection is reset. */
	"event tcp_send_reset tcp:tcp_send_reset\n"
	"	role sent\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag reset\n"
	"event tcp_receive_reset tcp:tcp_receive_reset\n"
	"	role received\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag reset\n"
	"	swap\n"
	/*
	 * Linux: states of sockets (net/tcp_states.h).  A client is connected (SYN_SENT 2 to
	 * ESTABLISHED 1) before the server hears of it (SYN_RECV 3 to ESTABLISHED 1).  One side
	 * closes (FIN_WAIT1 4) before the other hears of it (CLOSE_WAIT 8), which the first one
	 * learns afterwards (FIN_WAIT2 5).
	 */
	"event inet_sock_set_state sock:inet_sock_set_state sock_inet_sock_set_state\n"
	"	role sent\n"
	"	where oldstate 2\n"
	"	where newstate 1\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag connected\n"
	"event inet_sock_set_state sock:inet_sock_set_state sock_inet_sock_set_state\n"
	"	role received\n"
	"	where oldstate 3\n"
	"	where newstate 1\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag connected\n"
	"	swap\n"
	"event inet_sock_set_state sock:inet_sock_set_state sock_inet_sock_set_state\n"
	"	role sent\n"
	"	where newstate 4\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag closed\n"
	"event inet_sock_set_state sock:inet_sock_set_state sock_inet_sock_set_state\n"
	"	role received\n"
	"	where newstate 8\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag closed\n"
	"	swap\n"
	"	also\n"
	"event inet_sock_set_state sock:inet_sock_set_state sock_inet_sock_set_state\n"
	"	role sent\n"
	"	where newstate 8\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag close-acknowledged\n"
	"event inet_sock_set_state sock:inet_sock_set_state sock_inet_sock_set_state\n"
	"	role received\n"
	"	where newstate 5\n"
	"	source_address saddr_v6\n"
	"	destination_address daddr_v6\n"
	"	source_port sport\n"
	"	destination_port dport\n"
	"	tag close-acknowledged\n"
	"	swap\n"
	/* Captures of packets: their bytes from the Ethernet header on. */
	"event packet_sent packet_out *:packet_sent *:packet_out\n"
	"	role sent\n"
	"	packet packet data bytes\n"
	"	layer ethernet\n"
	"event packet_received packet_in *:packet_received *:packet_in\n"
	"	role received\n"
	"	packet packet data bytes\n"
	"	layer ethernet\n";
