// SPDX-License-Identifier: GPL-2.0-only
/* trace_net.c - events of the network. */
#include "trace_helpers.h"

#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/sock_diag.h>
#include <linux/udp.h>
#include <net/ipv6.h>
#include <net/mptcp.h>

/* struct mptcp_subflow_context is MPTCP's own. */
struct mptcp_subflow_context;
#define STRATA_SKIP_mptcp_subflow_get_send 1

/* The cookie of a socket, 0 if it has none: the kernel does not let a module assign one. */
#define sock_gen_cookie(sk) atomic64_read(&(sk)->sk_cookie)

/* As the kernel's own, which it does not export. */
static inline const char *drivername(const struct net_device *dev)
{
	const struct device *parent = dev->dev.parent;

	return parent && parent->driver && parent->driver->name ? parent->driver->name : "";
}
#define netdev_drivername(dev) drivername(dev)

#define CREATE_TRACE_POINTS
#include <trace/events/bpf_test_run.h>
#include <trace/events/devlink.h>
#include <trace/events/fib.h>
#include <trace/events/icmp.h>
#include <trace/events/mptcp.h>
#include <trace/events/napi.h>
#include <trace/events/neigh.h>
#include <trace/events/net.h>
#include <trace/events/netlink.h>
#include <trace/events/qdisc.h>
#include <trace/events/skb.h>
#include <trace/events/sock.h>
#include <trace/events/tcp.h>
#include <trace/events/udp.h>
#include <trace/events/xdp.h>
