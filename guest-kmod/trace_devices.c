// SPDX-License-Identifier: GPL-2.0-only
/* trace_devices.c - events of devices, clocks and power. */
#include "trace_helpers.h"

#include <linux/spi/spi.h>
#include <linux/swiotlb.h>

/* It asks cper_mem_err_pack(), which the kernel does not export. */
#define STRATA_SKIP_extlog_mem_event 1

#define CREATE_TRACE_POINTS
#include <trace/events/devfreq.h>
#include <trace/events/gpio.h>
#include <trace/events/hwmon.h>
#include <trace/events/i2c.h>
#include <trace/events/iommu.h>
#include <trace/events/mce.h>
#include <trace/events/power.h>
#include <trace/events/pwm.h>
#include <trace/events/regulator.h>
#include <trace/events/rpm.h>
#include <trace/events/rtc.h>
#include <trace/events/smbus.h>
#include <trace/events/spi.h>
#include <trace/events/swiotlb.h>
#include <trace/events/thermal.h>
#include <trace/events/thermal_power_allocator.h>

/* The file that includes this header must define its path. */
#define TRACE_INCLUDE_PATH ras
#include <ras/ras_event.h>
