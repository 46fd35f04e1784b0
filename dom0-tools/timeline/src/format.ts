// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes times, durations, bounds and hostile text for people to read.
import { UNKNOWN } from "./meta";

const THIN = "\u202f"; // a narrow space that does not break

// Control characters and those that turn the direction of text, which a name from a guest may hold.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/gu;

export function visible(text: string): string {
	return text.replace(UNSAFE, (c) => {
		const code = c.charCodeAt(0);
		return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
	});
}

export function integer(n: number): string {
	return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

const UNITS: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

// A time in four digits, rounded up or to the nearest, as the reports write it (merge/outputs/table.h).
function fourDigits(ns: number, up: boolean): string {
	const size = Math.abs(ns);
	const sign = ns < 0 ? "-" : "";
	let step = 1;
	let steps = roundTo(size, 1, up);
	if (steps < 1000) return `${sign}${steps} ns`;
	let exponent = 0;
	// Rounded before the unit is chosen: 999.96 µs are 1.000 ms.
	for (; steps >= 10_000 && exponent < 8; exponent++) {
		step *= 10;
		steps = roundTo(size, step, up);
	}
	const digits = 3 - (exponent % 3);
	return `${sign}${(steps / 10 ** digits).toFixed(digits)} ${["µs", "ms", "s"][Math.floor(exponent / 3)]}`;
}

function roundTo(size: number, step: number, up: boolean): number {
	const whole = Math.floor(size / step);
	const rest = size - whole * step;
	return whole + ((up ? rest > 0 : 2 * rest >= step) ? 1 : 0);
}

// A duration in four digits: "9.553 ms".
export function duration(ns: number): string {
	const size = Math.abs(ns);
	return size > 0 && size < 1 ? `${ns.toFixed(2)} ns` : fourDigits(ns, false);
}

// The same in as few digits as it takes: "10 ms".
export function shortDuration(ns: number): string {
	const [unit, name] = UNITS.find(([unit]) => Math.abs(ns) >= unit * 0.99995) ?? UNITS[3]!;
	return `${parseFloat((ns / unit).toPrecision(3))} ${name}`;
}

export function bound(ns: number | undefined): string {
	if (ns === undefined || ns >= UNKNOWN) return "± unknown";
	return `± ${fourDigits(ns, true)}`;
}

export function withBound(ns: number, bound_ns: number | undefined): string {
	return `${duration(ns)} ${bound(bound_ns)}`;
}

// Seconds since the beginning, to the nanosecond: "1.234 567 890 s".
export function time(ns: number): string {
	const whole = Math.round(Math.abs(ns));
	const seconds = Math.floor(whole / 1e9);
	const rest = (whole % 1e9).toString().padStart(9, "0");
	return `${ns < 0 ? "−" : ""}${seconds}.${rest.slice(0, 3)}${THIN}${rest.slice(3, 6)}${THIN}${rest.slice(6)} s`;
}

// The day and the time of day, UTC, to the nanosecond.
export function utc(begin: bigint, ns: number): string {
	const total = begin + BigInt(Math.round(ns));
	const date = new Date(Number(total / 1_000_000n));
	if (Number.isNaN(date.getTime())) return `${total} ns`;
	const rest = (total % 1_000_000_000n).toString().padStart(9, "0");
	return `${date.toISOString().slice(0, 19).replace("T", " ")}.${rest.slice(0, 3)}${THIN}${rest.slice(3, 6)}${THIN}${rest.slice(6)} UTC`;
}

// Nanoseconds of "10ms", "1.5s", "200us", "7"; undefined: it is no duration. A number alone is of nanoseconds.
export function parseDuration(text: string): number | undefined {
	const parts = /^(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s)?$/i.exec(text);
	if (!parts) return undefined;
	const unit = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 }[(parts[2] ?? "ns").toLowerCase()]!;
	return parseFloat(parts[1]!) * unit;
}
