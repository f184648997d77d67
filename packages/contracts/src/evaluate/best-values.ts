/**
 * @module BestValues: the highest value at a place or over a range of places, of another key than
 * a given one. Each change and each answer takes as many steps as the number of places has digits.
 */

/**
 * Values over places from 0. A value is added at a place or over a range, and read the other way.
 */
export class BestValues {
  readonly #size: number;
  /** Of each node of a tree over the places: the best value, and the best of another key. */
  readonly #best: (OwnedValue | undefined)[] = [];
  readonly #next: (OwnedValue | undefined)[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Adds a value at one place, for reading over ranges. */
  addAt(place: number, added: OwnedValue): void {
    for (let at = place + this.#size; at > 0; at >>= 1) this.#add(at, added);
  }

  /** Adds a value at the places from `from` up to `to`, without it, for reading at one place. */
  addOver(from: number, to: number, added: OwnedValue): void {
    for (const node of this.#nodesOver(from, to)) this.#add(node, added);
  }

  /** True where a value of another key at the place is `least` or more. */
  hasAt(place: number, least: number, key: string): boolean {
    for (let at = place + this.#size; at > 0; at >>= 1) if (this.#has(at, least, key)) return true;
    return false;
  }

  /** True where a value of another key from `from` up to `to`, without it, is `least` or more. */
  hasOver(from: number, to: number, least: number, key: string): boolean {
    return this.#nodesOver(from, to).some((node) => this.#has(node, least, key));
  }

  #nodesOver(from: number, to: number): number[] {
    const nodes: number[] = [];
    let [low, high] = [from + this.#size, to + this.#size];
    for (; low < high; low >>= 1, high >>= 1) {
      if (low % 2 === 1) nodes.push(low++);
      if (high % 2 === 1) nodes.push(--high);
    }
    return nodes;
  }

  #add(node: number, added: OwnedValue): void {
    const best = this.#best[node];
    if (best === undefined || (best.key === added.key && best.value < added.value)) {
      this.#best[node] = added;
    } else if (best.key !== added.key) {
      const [higher, lower] = best.value < added.value ? [added, best] : [best, added];
      this.#best[node] = higher;
      const next = this.#next[node];
      if (higher === added || next === undefined || next.value < lower.value) {
        this.#next[node] = lower;
      }
    }
  }

  #has(node: number, least: number, key: string): boolean {
    const best = this.#best[node];
    const found = best?.key === key ? this.#next[node] : best;
    return found !== undefined && found.value >= least;
  }
}

/** A value and whose it is. */
export interface OwnedValue {
  readonly key: string;
  readonly value: number;
}
