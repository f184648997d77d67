/** @module StepName: names of spans, with and without the host's words. */
import { CodedError, ownSpanNames, screenOperation } from "@turnproof/semconv";

/** Span name of a step (GenAI: `{operation} {what}`); a host without types may pass no text. */
export function stepName(operation: unknown, what: unknown): string {
  const words = [operation, what].filter((word) => typeof word === "string");
  return words.join(" ");
}

/** A span name without any host value: `chat`, `turnproof.learning`. */
export function plainName(name: string): string {
  const own = Object.values(ownSpanNames).find((each) => name.startsWith(`${each}.`));
  return own ?? name.split(" ", 1)[0] ?? "";
}

/**
 * The name of a host operation, validated.
 * @throws CodedError operation_name_invalid
 */
export function operationName(name: string): string {
  const code = screenOperation(name);
  if (code !== undefined) throw new CodedError(code);
  return name;
}
