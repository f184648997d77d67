/**
 * Masks of the mode `redacted`: what is removed, what remains, and the time for a hostile text.
 */
import { describe, expect, test } from "vitest";

import { masks, redact } from "./redaction.ts";

const pem = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQ".repeat(20)}\n-----END PRIVATE KEY-----`;

describe("is masked", () => {
  test.each([
    ["write to ann.o-neil+x@mail.example.co.uk now", `write to ${masks.email} now`],
    ["user: søren@exämple.test", `user: ${masks.email}`],
    ["password=hunter2", `password=${masks.credential}`],
    ["my password is hunter2!", `my password is ${masks.credential}`],
    ['{"api_key": "abcd1234"}', `{"api_key": "${masks.credential}"}`],
    ["Authorization: Bearer abc.def.ghi", `Authorization: Bearer ${masks.credential}`],
    ["send bearer abcdefghijkl", `send bearer ${masks.credential}`],
    [`key ghp_${"a1B2".repeat(9)} end`, `key ${masks.credential} end`],
    [`AKIA${"ABCD1234".repeat(2)}`, masks.credential],
    ["postgres://root:s3cret@db/x", `postgres://${masks.credential}@db/x`],
    ["user_id: u-123 asks", `user_id: ${masks.user} asks`],
    ["customer #4711", `customer #${masks.user}`],
    ["it is u-9999, not u-99", `it is ${masks.user}, not u-99`],
    [`before ${pem} after`, `before ${masks.credential} after`],
    ["card 4111111111111111 please", `card ${masks.number} please`],
  ])("%s", (text, expected) => {
    expect(redact(text, ["u-9999"])).toBe(expected);
  });
});

test.each([
  "The order A-1001 was shipped on 2026-11-21.",
  "Version 1.2.3 of claude-sonnet-4 answered in 1200 ms.",
  "Trace 4bf92f3577b34da6a3ce929d0e0e4736 has 12 spans.",
  "We keep a token of our thanks in the user interface.",
])("stays: %s", (text) => {
  expect(redact(text)).toBe(text);
});

test.each([
  ["at signs", "a@".repeat(50_000)],
  ["dots", "a.".repeat(50_000)],
  ["a key without a value", "password".repeat(12_000)],
  ["armor that never ends", "-----BEGIN A-----".repeat(6_000)],
  ["colons", "://a:".repeat(20_000)],
])("%s take no time", (_what, text) => {
  const started = performance.now();
  redact(text, ["someone"]);
  expect(performance.now() - started).toBeLessThan(2_000);
});
