/**
 * @module Hostile: ids that break what is careless: quotes, paths, operators, NUL, look-alikes,
 * near-empty and very long ones. Each is a tenant of its own.
 */
import { limits } from "@turnproof/semconv";

/** Tenants that must stay apart, whatever a store does to text. */
export const hostileIds: readonly string[] = [
  "ann",
  "Ann",
  "ann ",
  " ann",
  "ann\u0000",
  "\u0430nn",
  "ann\u200b",
  "\u00e9ve",
  "e\u0301ve",
  "' OR 1=1 --",
  "'; DROP TABLE events; --",
  "\\",
  "\\'",
  '"`;{}',
  "../../etc/passwd",
  "$ne",
  '{"$ne":null}',
  "%27",
  "{p0:String}",
  "unhex('61')",
  "null",
  "anonymous",
  "user",
  "undefined",
  "0",
  " ",
  "\t\n\r",
  "\u202ecod",
  "👩‍👩‍👧",
  "[1,2]",
  "a,b",
  "scope:anonymous",
  "x".repeat(limits.stringCharsMax),
  `${"x".repeat(limits.stringCharsMax - 1)}y`,
  "\u{1f4a9}".repeat(limits.stringCharsMax / 2),
];
