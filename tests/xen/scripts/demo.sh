#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records the hypervisor, dom0 and both guests of demo.lab for 12 s. Runs in dom0; the recording is $LAB_OUT/raw.

strata list || exit
strata record --duration 12s --output "$LAB_OUT/raw"
