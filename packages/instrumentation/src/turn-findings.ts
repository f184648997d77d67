/**
 * @module Turn findings: problems in the options of a turn, each code once. Findings made before
 * the turn's span begins are held until it has begun.
 */
import type { Code } from "@turnproof/semconv";

/** Codes that were found, once each. */
export class FoundCodes {
  readonly #found = new Set<Code>();
  #say: ((code: Code) => void) | undefined;

  /** Adds a code; reports it the first time. */
  find(code: Code): void {
    // A refused fact is one finding, whatever rule refused it.
    const finding = code.startsWith("attribute_") ? "invalid_metadata" : code;
    if (this.#found.has(finding)) return;
    this.#found.add(finding);
    this.#say?.(finding);
  }

  /** Reports all findings so far, and from now on each new one. */
  sayTo(say: (code: Code) => void): void {
    this.#say = say;
    for (const code of this.#found) say(code);
  }
}
