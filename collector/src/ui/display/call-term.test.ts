/** @module Tests of the value of `call:`: parsed, and written as it is parsed. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { callTerm, readCall } from "./call-term.ts";
import type { RequestedCall } from "./call-term.ts";

test("kind, provider, name and outcome; any is a star, not recorded is empty", () => {
  expect(readCall("tool:search:failed")).toEqual({
    kind: "tool",
    name: "search",
    outcome: "failed",
  });
  expect(readCall("model@aws.bedrock:claude-v1:0:*")).toEqual({
    kind: "model",
    provider: "aws.bedrock",
    name: "claude-v1:0",
  });
  expect(readCall("tool@:*:empty")).toEqual({ kind: "tool", provider: null, outcome: "empty" });
  expect(readCall("tool::unknown")).toEqual({ kind: "tool", name: null, outcome: "unknown" });
  for (const text of ["", "tool", "tool:search", "memory:a:b", "tool:search:"]) {
    expect([text, readCall(text)]).toEqual([text, undefined]);
  }
});

test("what is written is read back", () => {
  const part = fc.option(fc.string({ minLength: 1, maxLength: 9 }));
  const requested = fc.record(
    {
      kind: fc.constantFrom("tool" as const, "model" as const, "agent" as const),
      provider: part,
      name: part,
      outcome: fc.constantFrom("success", "failed", "unknown"),
    },
    { requiredKeys: ["kind"] },
  );
  fc.assert(
    fc.property(requested, (call: RequestedCall) => {
      const text = callTerm(call);
      if (text !== undefined) expect(readCall(text)).toEqual(call);
    }),
  );
});
