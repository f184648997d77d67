/**
 * @module KeptAlerts: when the document and the last values are kept: at each change, and progress
 * alone now and then.
 */
import type { AlertDocument } from "./alert-state.ts";
import type { AlertStorage, RuleValues } from "./alert-storage.ts";
import { keepEveryMs, valuesEveryMs } from "./alert-times.ts";

/** What was kept last, and when. */
export class KeptAlerts {
  readonly #keep: AlertStorage;
  #kept: AlertDocument;
  #keptAt = 0;
  #valuesAt = 0;

  constructor(keep: AlertStorage, kept: AlertDocument) {
    this.#keep = keep;
    this.#kept = kept;
  }

  /** The kept document is another one: that of another collector. */
  replace(kept: AlertDocument): void {
    this.#kept = kept;
  }

  /** The next document is kept with its progress. */
  forceNext(): void {
    this.#keptAt = 0;
  }

  /** Keeps the document where it changed; progress alone now and then. */
  async save(document: AlertDocument, now: number): Promise<void> {
    const { looked_ms: _looked, passed_ms: _passed, ...is } = document;
    const { looked_ms: _kept, passed_ms: _was, ...was } = this.#kept;
    const same = JSON.stringify(is) === JSON.stringify(was);
    if (same && now - this.#keptAt < keepEveryMs) return;
    await this.#keep.save(document);
    [this.#kept, this.#keptAt] = [document, now];
  }

  /** True where the last values were passed on long enough ago. */
  areValuesDue(now: number): boolean {
    return now - this.#valuesAt >= valuesEveryMs;
  }

  /** Passes the values on to the other collectors. */
  async saveValues(values: RuleValues, now: number): Promise<void> {
    await this.#keep.shared?.saveValues(values);
    this.#valuesAt = now;
  }
}
