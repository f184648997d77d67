/**
 * @module Turn findings: what was wrong with what a host said of a turn, each code once. What is
 * found before the turn's span has begun waits until it can be said.
 */
import type { Code } from "@turnproof/semconv";

/** Codes that were found, once each. */
export class TurnFindings {
  readonly #found = new Set<Code>();
  #say: ((code: Code) => void) | undefined;

  /** Notes a code; the first time it is said. */
  find(code: Code): void {
    // A refused fact is one finding, whichever rule refused it.
    const finding = code.startsWith("attribute_") ? "invalid_metadata" : code;
    if (this.#found.has(finding)) return;
    this.#found.add(finding);
    this.#say?.(finding);
  }

  /** Says what was found, and from now on whatever is. */
  sayTo(say: (code: Code) => void): void {
    this.#say = say;
    for (const code of this.#found) say(code);
  }
}
