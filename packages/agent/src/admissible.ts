/**
 * @module Admissible: values of others — models, providers, tools — before they become evidence.
 * What the guard would refuse is left unknown, so that a strange label never breaks a turn.
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

/** Class of what was thrown, never its text; `_OTHER` where even the class is no label. */
export function errorTypeOf(error: unknown): string {
  if (CodedError.is(error)) return error.code;
  const name = error instanceof Error ? error.constructor.name : typeof error;
  return admissible(attribute.error_type, name) ?? "_OTHER";
}
