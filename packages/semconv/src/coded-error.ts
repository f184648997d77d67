/**
 * @module The one error class. Its message comes from the table of codes, never from a value, so an
 * error can be logged, shown and counted without carrying content.
 */
import { codes } from "./codes.ts";
import type { Code, CodeRow } from "./codes.ts";

const brand: unique symbol = Symbol.for("turnproof.coded-error") as never;

/** An error with a content-free code; `retryable`: whether the same input may pass later. */
export class CodedError extends Error {
  readonly code: Code;
  readonly retryable: boolean;
  /** HTTP status that this code answers with. */
  readonly status: number;
  /** Field or part that the code concerns: a registered name or a position, never a value. */
  readonly field: string | undefined;

  constructor(code: Code, options: { readonly field?: string; readonly cause?: unknown } = {}) {
    const row: CodeRow = codes[code];
    const where = options.field === undefined ? "" : ` (${options.field})`;
    super(`${code}${where}: ${row.sentence}`, { cause: options.cause });
    this.name = "CodedError";
    this.code = code;
    this.retryable = row.retryable === true;
    this.status = row.status ?? 500;
    this.field = options.field;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for a CodedError of any copy of this package. */
  static is(error: unknown): error is CodedError {
    return typeof error === "object" && error !== null && brand in error;
  }
}

/** The code of an error; `internal_error` for one that is no CodedError. */
export function codeOf(error: unknown): Code {
  return CodedError.is(error) ? error.code : "internal_error";
}
