/**
 * @module ScanFiles: every text that lies in the files of a directory: names, bytes as they are,
 * and the blocks that ClickHouse compressed.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { zstdDecompressSync } from "node:zlib";

/** The files in which some text matches, by name. */
export async function filesHolding(directory: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path);
    if (pattern.test(name)) found.push(name);
    if (!entry.isFile()) continue;
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const texts = [bytes, ...blocksOf(bytes)];
    // One byte is one character, so a pattern of UTF-8 is one of bytes.
    if (texts.some((text) => pattern.test(text.toString("latin1")))) found.push(name);
  }
  return found;
}

/** A pattern of this text's bytes that is not followed by these. */
export function bytesOf(text: string, notBefore = ""): RegExp {
  const escaped = Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(notBefore === "" ? escaped : `${escaped}(?!${notBefore})`);
}

const headBytes = 9;
const checksumBytes = 16;
const methods = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const;

/** The blocks of a compressed file: checksum, method, both sizes, bytes. */
function blocksOf(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at + checksumBytes + headBytes <= bytes.length;) {
    const head = at + checksumBytes;
    const compressed = bytes.readUInt32LE(head + 1);
    const size = bytes.readUInt32LE(head + 5);
    const end = head + compressed;
    const method = bytes[head];
    if (compressed < headBytes || end > bytes.length || size > 1 << 28) return blocks;
    const body = bytes.subarray(head + headBytes, end);
    if (method === methods.zstd) blocks.push(zstdDecompressSync(body));
    else if (method === methods.lz4) blocks.push(unpackLz4(body, size));
    else if (method === methods.none) blocks.push(body);
    at = end;
  }
  return blocks;
}

function unpackLz4(source: Buffer, size: number): Buffer {
  const target = Buffer.alloc(size);
  let [from, to] = [0, 0];
  const more = (length: number): number => {
    let sum = length;
    if (length !== 15) return sum;
    for (;;) {
      const next = source[from] as number;
      from += 1;
      sum += next;
      if (next !== 255) return sum;
    }
  };
  while (from < source.length) {
    const token = source[from] as number;
    from += 1;
    const literals = more(token >> 4);
    source.copy(target, to, from, from + literals);
    from += literals;
    to += literals;
    if (from >= source.length) break;
    const back = source.readUInt16LE(from);
    from += 2;
    const length = more(token & 15) + 4;
    for (let n = 0; n < length; n += 1) target[to + n] = target[to + n - back] as number;
    to += length;
  }
  return target;
}
