// SPDX-License-Identifier: GPL-2.0-or-later
//
// A picture of rows, each a strip of colours that is repeated over the lane's height: what takes many
// thousands of rectangles on a canvas is a few copies of memory here.

// Pixels of ImageData as 32-bit words, on machines of little-endian order: all that browsers run on.
export type Pixels = Uint32Array<ArrayBuffer>;

export function pixelOf(colour: string): number {
	const n = parseInt(colour.slice(1), 16);
	return ((255 << 24) | ((n & 255) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
}

// A lane across its height: what fills it is in all three, what takes the middle in two, a line in one.
export interface Lane {
	outer: Pixels;
	inner: Pixels;
	centre: Pixels;
}

export class Raster {
	width = 0;
	height = 0;
	readonly lane: Lane = { outer: new Uint32Array(0), inner: new Uint32Array(0), centre: new Uint32Array(0) };
	private image: ImageData | undefined;
	private pixels: Pixels = new Uint32Array(0);

	resize(width: number, height: number): void {
		if (this.image && width === this.width && height === this.height) return;
		this.width = width;
		this.height = height;
		this.image = new ImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer as ArrayBuffer);
		for (const name of ["outer", "inner", "centre"] as const) this.lane[name] = new Uint32Array(width);
	}

	// The same strip over rows [top, bottom).
	fill(strip: Pixels, top: number, bottom: number): void {
		for (let y = Math.max(top, 0); y < Math.min(bottom, this.height); y++) this.pixels.set(strip, y * this.width);
	}

	startLane(ground: Pixels): Lane {
		this.lane.outer.set(ground);
		this.lane.inner.set(ground);
		this.lane.centre.set(ground);
		return this.lane;
	}

	// Repeats the lane over rows [top, bottom).
	endLane(top: number, bottom: number, scale: number): void {
		const height = bottom - top;
		const inset = Math.round(height * 0.14);
		const thin = Math.max(Math.round(Math.min(height * 0.16, 3 * scale)), 1);
		const line = top + Math.round((height - thin) / 2);
		this.fill(this.lane.outer, top, top + inset);
		this.fill(this.lane.inner, top + inset, bottom - inset);
		this.fill(this.lane.outer, bottom - inset, bottom);
		this.fill(this.lane.centre, line, line + thin);
	}

	put(g: CanvasRenderingContext2D): void {
		if (this.image) g.putImageData(this.image, 0, 0);
	}
}
