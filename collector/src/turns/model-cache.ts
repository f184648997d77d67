/**
 * @module ModelCache: caches what was computed from events for some seconds. A page and the rows
 * that its script requests use the same events. An entry is used only for the same request of the
 * same principal over events that are equal in every field; otherwise it is computed again.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** Input of a model. */
export interface CachedRequest {
  /** The principal's scope and the complete query; entries are never shared between two. */
  readonly request: string;
  readonly events: readonly TurnEvent[];
  /** Other input, such as how the events were read. */
  readonly metadata: unknown;
}

interface Kept<A> extends CachedRequest {
  readonly model: A;
}

/** How long a model is cached, in milliseconds, and how many models and events. */
const defaults = { keptMs: 10_000, models: 4, events: 60_000 };

/** Models of one kind: the last few are cached. */
export class ModelCache<A> {
  readonly #bounds: typeof defaults;
  #kept: Kept<A>[] = [];

  constructor(bounds: Partial<typeof defaults> = {}) {
    this.#bounds = { ...defaults, ...bounds };
  }

  /** The cached model for equal input, or the result of `make`. */
  of(reported: CachedRequest, make: () => A): A {
    const kept = this.#kept.find((one) => one.request === reported.request);
    if (kept !== undefined && isEqual(kept.metadata, reported.metadata)) {
      if (isEqual(kept.events, reported.events)) return kept.model;
    }
    const model = make();
    this.#keep({ ...reported, model });
    return model;
  }

  #keep(kept: Kept<A>): void {
    const { keptMs, models, events: eventsMax } = this.#bounds;
    const others = this.#kept.filter((one) => one.request !== kept.request);
    let events = kept.events.length;
    this.#kept = [
      ...(events > eventsMax ? [] : [kept]),
      ...others.slice(0, models - 1).filter((one) => {
        events += one.events.length;
        return events <= eventsMax;
      }),
    ];
    const drop = (): void => {
      this.#kept = this.#kept.filter((one) => one !== kept);
    };
    setTimeout(drop, keptMs).unref();
  }
}

/** True for values with equal JSON, whatever the order of their fields. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at += 1) if (!isEqual(a[at], b[at])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  for (const field in left) if (!isEqual(left[field], right[field])) return false;
  for (const field in right) if (right[field] !== undefined && !(field in left)) return false;
  return true;
}
