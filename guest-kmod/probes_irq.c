// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes_irq.c - the probes that say what took the CPU from a task: interrupt
 * handlers, softirqs and high-resolution timers.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/string.h>

#include "probes.h"
#include "record.h"

void strata_probe_irq_handler_entry(void *unused, int irq, struct irqaction *action)
{
	struct strata_open_record record;
	struct strata_payload_irq_handler_entry *payload =
		strata_record_begin(&record, irq_handler_entry);

	if (!payload)
		return;
	payload->irq = irq;
	strscpy_pad(payload->name, action->name ?: "", sizeof(payload->name));
	strata_record_end(&record);
}

void strata_probe_irq_handler_exit(void *unused, int irq, struct irqaction *action, int ret)
{
	struct strata_open_record record;
	struct strata_payload_irq_handler_exit *payload =
		strata_record_begin(&record, irq_handler_exit);

	if (!payload)
		return;
	payload->irq = irq;
	payload->ret = ret;
	strata_record_end(&record);
}

void strata_probe_softirq_entry(void *unused, unsigned int vec)
{
	struct strata_open_record record;
	struct strata_payload_softirq_entry *payload = strata_record_begin(&record, softirq_entry);

	if (!payload)
		return;
	payload->vec = vec;
	strata_record_end(&record);
}

void strata_probe_softirq_exit(void *unused, unsigned int vec)
{
	struct strata_open_record record;
	struct strata_payload_softirq_exit *payload = strata_record_begin(&record, softirq_exit);

	if (!payload)
		return;
	payload->vec = vec;
	strata_record_end(&record);
}

void strata_probe_hrtimer_expire_entry(void *unused, struct hrtimer *timer, ktime_t *now)
{
	struct strata_open_record record;
	struct strata_payload_hrtimer_expire_entry *payload =
		strata_record_begin(&record, hrtimer_expire_entry);

	if (!payload)
		return;
	payload->hrtimer = (unsigned long)timer;
	payload->now = ktime_to_ns(*now);
	payload->function = (unsigned long)timer->function;
	strata_record_end(&record);
}

void strata_probe_hrtimer_expire_exit(void *unused, struct hrtimer *timer)
{
	struct strata_open_record record;
	struct strata_payload_hrtimer_expire_exit *payload =
		strata_record_begin(&record, hrtimer_expire_exit);

	if (!payload)
		return;
	payload->hrtimer = (unsigned long)timer;
	strata_record_end(&record);
}
