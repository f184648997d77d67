/**
 * @module Turn findings: problems in the options of a turn, each code once. Findings made before
 * the turn's span begins are held until it has begun.
 */
import type { Code } from "@turnproof/semconv";

/** Codes that were found, once each. */
export class FoundCodes {
  readonly #found = new Set<Code>();
  #print: ((code: Code) => void) | undefined;

  /** Adds a code; reports it the first time. */
  find(code: Code): void {
    // A refused fact is one finding, whatever rule refused it.
    const finding = code.startsWith("attribute_") ? "invalid_metadata" : code;
    if (this.#found.has(finding)) return;
    this.#found.add(finding);
    this.#print?.(finding);
  }

  /** Reports all findings so far, and from now on each new one. */
  addText(print: (code: Code) => void): void {
    this.#print = print;
    for (const code of this.#found) print(code);
  }
}
