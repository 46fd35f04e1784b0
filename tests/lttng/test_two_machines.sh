#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces recorded by LTTng on two machines with independent clocks merge on one timeline by the TCP between them: the
# stated bound contains the true offset, which the machines measured in another way. Takes minutes: `make soak` runs it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
OUT=out/tests/two-machines

check "two machines are traced by LTTng" tests/lttng/two_machines.sh "$OUT"
check "clock_truth builds" gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -Imerge tests/lttng/clock_truth.c \
	out/build/merge.a -o "$OUT/clock_truth" -ljson-c -lpthread
check "the truth is within the bound" "$OUT/clock_truth" "$OUT/clocks" "$OUT/a" "$OUT/b"

out/bin/strata stat --json "$OUT/a" "$OUT/b" >"$OUT/stat.json"
check "a bound is stated, of less than a tenth of a second, however busy the machines are" jq -e '.machines | length == 2 and (.[1].tied and .[1].greatest_bound_ns < 100000000)' "$OUT/stat.json"

# alike DIR: babeltrace2 and strata print the same of the traces of one machine.
alike() { cmp <(out/bin/strata convert --format babeltrace "$1") <(babeltrace2 "$1"); }
check "of one machine, babeltrace2 prints the same" alike "$OUT/a"

# in_order: no segment is received before it is sent, but for the bound.
in_order() {
	out/bin/strata convert --format json --event net_dev_queue --event net_if_receive_skb "$OUT/a" "$OUT/b" |
		jq -r '[.ns, .source, .event, (.bound_ns | tostring), (.fields.network_header | "\(.id)-\(.transport_header.seq // 0)-\(.transport_header.source_port // 0)")] | join(" ")' |
		awk '$3 == "net_dev_queue" { sent[$5] = $2 }
			$3 == "net_if_receive_skb" && ($5 in sent) && sent[$5] != $2 { n++ }
			END { print n " segments in order"; exit n < 100 }'
}
check "segments are received after they were sent" in_order
finish
