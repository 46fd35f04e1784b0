// SPDX-License-Identifier: GPL-2.0-or-later
//
// Provides the bytes of chunks, and why an instance took its time: from this very file, or from
// `strata timeline --serve`, which the page came from.
import type { Meta } from "./meta";

export interface Provider {
	// The chunk's bytes, inflated.
	chunk(id: number): Promise<Uint8Array>;
	// What `strata why` says of the span; undefined where that is not in reach.
	why(track: number, from: number): Promise<string | undefined>;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
	const native = (Uint8Array as any).fromBase64;
	if (native) return native.call(Uint8Array, text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

function inFile(meta: Meta): Provider {
	return {
		async chunk(id) {
			const element = document.getElementById(`strata-chunk-${id}`);
			if (!element) throw new Error(`chunk ${id} is not in this file`);
			return inflate(fromBase64(element.textContent!.trim()));
		},
		async why(track, from) {
			return meta.why.get(`${track}:${from}`);
		},
	};
}

async function get(address: string): Promise<Response> {
	const response = await fetch(address);
	if (!response.ok) throw new Error(`${address}: the server answers ${response.status}`);
	return response;
}

function onServer(meta: Meta): Provider {
	return {
		async chunk(id) {
			const response = await get(`chunk/${id}`);
			return inflate(new Uint8Array(await response.arrayBuffer()));
		},
		async why(track, from) {
			if (!meta.answers) return undefined;
			const response = await get(`why?track=${track}&at=${from}`);
			return (await response.text()) || undefined;
		},
	};
}

export function providerOf(meta: Meta): Provider {
	return meta.serve ? onServer(meta) : inFile(meta);
}
