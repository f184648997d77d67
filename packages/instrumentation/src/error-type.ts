/** @module ErrorType: the class of an error, which is recorded in place of its text. */
import { attribute, CodedError, screenValue } from "@turnproof/semconv";

/** OpenTelemetry's value for an error without a class of its own. */
export const otherError = "_OTHER";

/** The class of a thrown error, never its text: a short name, or `_OTHER`. */
export function errorTypeOf(error: unknown): string {
  if (CodedError.is(error)) return error.code;
  const name = error instanceof Error ? classNameOf(error) : typeof error;
  return screenValue(attribute.error_type, name) === undefined ? name : otherError;
}

/** A minifier shortens class names to a letter or two, but not the `name` of their errors. */
function classNameOf(error: Error): string {
  const ofClass = error.constructor.name;
  return ofClass.length > 2 ? ofClass : error.name;
}
