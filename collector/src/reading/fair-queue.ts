/**
 * @module FairQueue: requests that wait for a place, in turns by principal: many requests of one
 * delay those of another by one place at most.
 */
import { CodedError } from "@turnproof/semconv";

/** Bounds of the line. */
export interface LineBounds {
  /** Longest wait, milliseconds. */
  readonly waitMsMax: number;
  /** Most that wait: of one principal, and of all. */
  readonly ownWaitingMax: number;
  readonly allWaitingMax: number;
}

interface Waiting<T, P> {
  readonly item: T;
  readonly begin: (place: P) => void;
}

/** A line of items of type T that wait for a place of type P. */
export class FairQueue<T, P> {
  readonly #bounds: LineBounds;
  /** By principal, each in the order of arrival; the principals in the order of their turns. */
  readonly #waiting = new Map<string, Waiting<T, P>[]>();
  #all = 0;

  constructor(bounds: LineBounds) {
    this.#bounds = bounds;
  }

  /**
   * Waits for a place.
   * @throws CodedError `overloaded` where too many wait, at the end of the longest wait, or when
   *   the signal aborts
   */
  enter(principal: string, item: T, signal?: AbortSignal): Promise<P> {
    const { waitMsMax, ownWaitingMax, allWaitingMax } = this.#bounds;
    const own = this.#waiting.get(principal) ?? [];
    const isFull = own.length >= ownWaitingMax || this.#all >= allWaitingMax;
    if (isFull || signal?.aborted === true) {
      return Promise.reject(new CodedError("overloaded"));
    }
    const { promise, resolve, reject } = Promise.withResolvers<P>();
    const leave = (): void => {
      if (!this.#remove(principal, own, one)) return;
      clearTimeout(timer);
      reject(new CodedError("overloaded"));
    };
    const timer = setTimeout(leave, waitMsMax);
    signal?.addEventListener("abort", leave, { once: true });
    const begin = (place: P): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      resolve(place);
    };
    const one: Waiting<T, P> = { item, begin };
    own.push(one);
    this.#all += 1;
    this.#waiting.set(principal, own);
    return promise;
  }

  /** Gives places to those who wait until there is none for any of them. */
  admit(placeOf: (item: T) => P | undefined): void {
    while (this.#admitOne(placeOf));
  }

  #admitOne(placeOf: (item: T) => P | undefined): boolean {
    for (const [principal, own] of this.#waiting) {
      for (const one of own) {
        const place = placeOf(one.item);
        if (place === undefined) continue;
        this.#remove(principal, own, one);
        // The next turn is another principal's.
        this.#waiting.delete(principal);
        if (own.length > 0) this.#waiting.set(principal, own);
        one.begin(place);
        return true;
      }
    }
    return false;
  }

  /** False where it does not wait any more. */
  #remove(principal: string, own: Waiting<T, P>[], one: Waiting<T, P>): boolean {
    const at = own.indexOf(one);
    if (at === -1) return false;
    own.splice(at, 1);
    this.#all -= 1;
    if (own.length === 0) this.#waiting.delete(principal);
    return true;
  }
}
