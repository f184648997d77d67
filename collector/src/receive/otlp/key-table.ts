/**
 * @module Key table: a closed set of names, compiled to bytes. A key on the wire is recognized by
 * its bytes and never becomes a string.
 */

/** Slots of the hash table; a power of two well above the number of names. */
const slotCount = 4_096;
const prime = 0x0100_0193;

/** Names by their UTF-8 bytes. */
export class KeyTable {
  /** The names, by the index that {@link find} returns. */
  readonly names: readonly string[];
  private readonly encoded: readonly Buffer[];
  private readonly slots = new Int32Array(slotCount).fill(-1);
  private readonly next: Int32Array;
  /** Producers repeat themselves: the name that followed this one last time. */
  private readonly follower: Int32Array;
  private last = 0;

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)];
    this.encoded = this.names.map((name) => Buffer.from(name, "utf8"));
    this.next = new Int32Array(this.names.length).fill(-1);
    this.follower = new Int32Array(this.names.length + 1).fill(-1);
    this.encoded.forEach((name, index) => {
      const slot = hash(name, 0, name.length);
      this.next[index] = this.slots[slot] as number;
      this.slots[slot] = index;
    });
  }

  /** Index of the name at `bytes[start, end)`, or -1. */
  find(bytes: Buffer, start: number, end: number): number {
    const last = this.last;
    const guess = this.follower[last] as number;
    if (guess >= 0 && this.matches(guess, bytes, start, end)) {
      this.last = guess + 1;
      return guess;
    }
    let index = this.slots[hash(bytes, start, end)] as number;
    while (index >= 0 && !this.matches(index, bytes, start, end))
      index = this.next[index] as number;
    if (index >= 0) {
      this.follower[last] = index;
      this.last = index + 1;
    }
    return index;
  }

  private matches(index: number, bytes: Buffer, start: number, end: number): boolean {
    const name = this.encoded[index] as Buffer;
    const length = end - start;
    if (name.length !== length) return false;
    for (let at = 0; at < length; at++) {
      if (name[at] !== bytes[start + at]) return false;
    }
    return true;
  }
}

/**
 * Hashes the length and sixteen bytes spread over the key, so that a long foreign key costs no
 * more.
 */
function hash(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  let value = 0x811c_9dc5 ^ length;
  const head = length > 8 ? start + 8 : end;
  for (let at = start; at < head; at++) value = Math.imul(value ^ (bytes[at] as number), prime);
  if (length > 8) {
    const tail = length > 16 ? end - 8 : head;
    for (let at = tail; at < end; at++) value = Math.imul(value ^ (bytes[at] as number), prime);
  }
  return (value ^ (value >>> 15)) & (slotCount - 1);
}
