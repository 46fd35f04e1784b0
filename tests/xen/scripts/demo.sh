#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records the hypervisor, dom0, both guests of demo.lab and an application of dom0 for 12 s. Runs in dom0; the recording is
# $LAB_OUT/raw.

strata list || exit
"$LAB_OUT/server" 20 &
server=$!
strata record --duration 12s --app server --output "$LAB_OUT/raw"
status=$?
kill $server
exit $status
