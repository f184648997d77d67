/**
 * @module Fresh answers: what was worked out a moment ago, handed out again to the same asker of
 * the same question: a live page makes its readers ask again and again. A failure is nobody's
 * answer but the first asker's.
 */

/** How long an answer serves, in milliseconds, and how many are kept. */
const freshMs = 5_000;
const keptMax = 64;

/** Answers of one kind. */
export class FreshAnswers<T> {
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The answer of this key, which names asker and question, or what `make` makes. */
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
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }
}
