/**
 * @module Admissible: checks values of models, providers and tools before they become evidence. A
 * value that the guard would refuse becomes unknown, so that an unexpected label never breaks a
 * turn.
 */
import { attribute, CodedError, screenValue } from "@turnproof/semconv";
import type { AttributeRow, AttributeValue } from "@turnproof/semconv";

/** The value if its row admits it. */
export function admissible<T extends AttributeValue>(
  row: AttributeRow,
  value: T | undefined | null,
): T | undefined {
  if (value === undefined || value === null) return undefined;
  return screenValue(row, value) === undefined ? value : undefined;
}

/** Class of a thrown error, never its text; `_OTHER` where the class is no label. */
export function errorTypeOf(error: unknown): string {
  if (CodedError.is(error)) return error.code;
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return admissible(attribute.error_type, name) ?? "_OTHER";
}
