/**
 * @module QueryCache: caches results for some seconds per principal and query, because a
 * live page repeats its queries. Errors are not cached.
 */

/** How long a result is cached, in milliseconds, and how many are. */
const freshMs = 5_000;
const keptMax = 64;

/** Answers of one kind. */
export class QueryCache<T> {
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The cached answer of this key, which includes scope and query, or the result of `make`. */
  async of(key: string, make: () => Promise<T>): Promise<T> {
    const now = this.#now();
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    const answer = make();
    this.#kept.delete(key);
    this.#kept.set(key, { until: now + freshMs, answer });
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= keptMax) break;
      this.#kept.delete(old);
    }
    // Errors are not cached; the caller receives this one.
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }
}

/** Answers of one kind, of each collector of the process: a page and its JSON share them. */
export function queryCache<T>(): (of: { readonly now: () => number }) => QueryCache<T> {
  const kept = new WeakMap<object, QueryCache<T>>();
  return (of) => {
    const known = kept.get(of);
    if (known !== undefined) return known;
    const made = new QueryCache<T>(of.now);
    kept.set(of, made);
    return made;
  };
}
