/**
 * @module CanonicalJson: one text per value (RFC 8785): keys in the order of their UTF-16 code
 * units, numbers and strings as in ECMAScript, no whitespace. Undefined fields are left out; a
 * number that JSON cannot express is null, as in JSON itself.
 */
import { CodedError, limits } from "@turnproof/semconv";

/** Canonical text of a JSON value. Throws `attribute_nested` beyond the depth limit. */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (value === null || typeof value !== "object") return scalar(value);
  if (depth >= limits.otlpDepthMax) throw new CodedError("attribute_nested");
  if (Array.isArray(value)) {
    let list = "[";
    for (let i = 0; i < value.length; i += 1) {
      list += (i === 0 ? "" : ",") + write(value[i], depth + 1);
    }
    return `${list}]`;
  }
  const record = value as Readonly<Record<string, unknown>>;
  let text = "{";
  // Array sort compares UTF-16 code units, the order that RFC 8785 requires.
  for (const key of Object.keys(record).toSorted()) {
    if (record[key] === undefined) continue;
    text += `${text.length === 1 ? "" : ","}${JSON.stringify(key)}:${write(record[key], depth + 1)}`;
  }
  return `${text}}`;
}

function scalar(value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  return typeof value === "number" && Number.isFinite(value) ? JSON.stringify(value) : "null";
}
