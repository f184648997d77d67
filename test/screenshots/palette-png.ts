/**
 * @module PalettePng: a screenshot with at most 256 colours, which is a third of its size. Pages of
 * plain surfaces lose nothing that an eye would find; the commonest colours are kept exactly.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Bytes per pixel: 3 or 4. */
  readonly depth: number;
  readonly pixels: Buffer;
}

const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

function chunks(png: Buffer): readonly { readonly type: string; readonly data: Buffer }[] {
  const found = [];
  for (let at = signature.length; at < png.length;) {
    const size = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    found.push({ type, data: png.subarray(at + 8, at + 8 + size) });
    at += size + 12;
  }
  return found;
}

/** Predictor of the PNG format's fourth filter. */
function paeth(a: number, b: number, c: number): number {
  const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}

function decode(png: Buffer): Picture {
  const all = chunks(png);
  const head = all.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const depth = head[9] === 6 ? 4 : 3;
  const raw = inflateSync(
    Buffer.concat(all.filter(({ type }) => type === "IDAT").map((c) => c.data)),
  );
  const stride = width * depth;
  const pixels = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = row * stride + x;
      const left = x >= depth ? (pixels[at - depth] ?? 0) : 0;
      const up = row > 0 ? (pixels[at - stride] ?? 0) : 0;
      const corner = x >= depth && row > 0 ? (pixels[at - stride - depth] ?? 0) : 0;
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = ((raw[row * (stride + 1) + 1 + x] ?? 0) + predicted) & 255;
    }
  }
  return { width, height, depth, pixels };
}

/** Squared distance under which two colours look the same. */
const alike = 140;
/** So many of the commonest are kept whatever they look like: surfaces differ by very little. */
const surfaces = 32;

/** The commonest colours, and the nearest of them for every colour. */
function palette({ pixels, depth }: Picture): {
  readonly colours: readonly number[];
  readonly indexOf: ReadonlyMap<number, number>;
} {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += depth) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const distance = (a: number, b: number): number =>
    ((a >> 16) - (b >> 16)) ** 2 +
    (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 +
    ((a & 255) - (b & 255)) ** 2;
  // A colour that looks like one that is there already takes no place from one that does not.
  const colours: number[] = [];
  for (const [colour] of [...counts].toSorted((one, other) => other[1] - one[1])) {
    if (colours.length === 256) break;
    const own = colours.length < surfaces;
    if (own || colours.every((kept) => distance(kept, colour) > alike)) colours.push(colour);
  }
  const indexOf = new Map<number, number>();
  for (const colour of counts.keys()) {
    let best = 0;
    let least = Infinity;
    for (const [index, candidate] of colours.entries()) {
      const far = distance(colour, candidate);
      if (far < least) {
        least = far;
        best = index;
      }
    }
    indexOf.set(colour, best);
  }
  return { colours, indexOf };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** The same picture with a palette. */
export function withPalette(png: Buffer): Buffer {
  const picture = decode(png);
  const { width, height, depth, pixels } = picture;
  const { colours, indexOf } = palette(picture);
  const lines = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = pixels.readUIntBE((row * width + x) * depth, 3);
      lines[row * (width + 1) + 1 + x] = indexOf.get(colour) ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.alloc(colours.length * 3);
  colours.forEach((colour, index) => table.writeUIntBE(colour, index * 3, 3));
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
