/** @module `expectTurn`: what a unit test sees when a turn satisfies a contract, and when not. */
import type { AssertionError } from "node:assert";
import { readFileSync } from "node:fs";

import { ContractError, defineContract, parseContracts } from "@turnproof/contracts";
import { expectTurn } from "@turnproof/contracts/expect";
import { expect, test } from "vitest";

import { contractSchema, contractSchemaFile } from "../../generate/contract-schema.ts";
import { end, tool, whole } from "./turns.ts";

const once = defineContract({
  name: "once",
  expect: [{ clause: "calls", tool: "refund", exactly: 1 }],
});
const turn = (...events: Parameters<typeof Array.of>) => ({ events, metadata: whole });

test("a turn that satisfies the contract passes, and its opposite does not", () => {
  expectTurn(turn(tool("refund", 1), end())).toSatisfy(once);
  expectTurn(turn(tool("refund", 1), tool("refund", 30), end())).toViolate(once);
  expect(() => expectTurn(turn(tool("refund", 1), end())).toViolate(once)).toThrow(
    /to violate once/,
  );
});

test("a failure says which clause, why, and by what evidence", () => {
  const calls = [tool("refund", 1), tool("refund", 30), end()];
  expect(() => expectTurn(turn(...calls)).toSatisfy(once)).toThrow(
    /to satisfy once[^]*calls\[0\]: 2 calls \(call of refund\)[^]*evidence: \S+:result/,
  );
  try {
    expectTurn(turn(...calls)).toSatisfy(once);
  } catch (error) {
    const { name, code } = error as AssertionError;
    expect({ name, code }).toEqual({ name: "AssertionError", code: "ERR_ASSERTION" });
  }
});

test("what is not established fails, and so does a list without a turn", () => {
  expect(() => expectTurn([tool("refund", 1), end()]).toSatisfy(once)).toThrow(/not_established/);
  expect(() => expectTurn([]).toSatisfy(once)).toThrow(/There is no turn among the events/);
});

test("YAML and TypeScript give one contract; a wrong one names path and rule", () => {
  const yaml =
    "version: 1\ncontracts:\n  - name: once\n    expect:\n      - { clause: calls, tool: refund, exactly: 1 }\n";
  expect(parseContracts(yaml).contracts).toEqual([once]);
  const problems = (text: string): unknown => {
    try {
      return parseContracts(text);
    } catch (error) {
      return error instanceof ContractError ? error.problems : error;
    }
  };
  expect(problems(yaml.replace("exactly: 1", "exactly: -1"))).toMatchObject([
    { path: "contracts[0].expect[0].exactly" },
  ]);
  expect(problems(yaml.replace(", exactly: 1", ""))).toEqual([
    {
      path: "contracts[0].expect[0]",
      rule: "needs at_least, at_most, exactly or never",
      line: 5,
    },
  ]);
  expect(problems(yaml.replace("version: 1", "version: 2"))).toMatchObject([{ path: "version" }]);
});

test("the published JSON Schema is that of the language", () => {
  expect(readFileSync(contractSchemaFile, "utf8")).toBe(contractSchema());
});

test("a contract of plain JavaScript is read by the schema", () => {
  const events = turn(tool("refund", 1), end());
  const wrong: readonly object[] = [
    { name: "none", expect: [] },
    { name: "typo", expect: [{ clause: "calls", tool: "refund", at_mots: 0 }] },
    { name: "unit", expect: [{ clause: "duration", at_most: 1 }] },
    { name: "when", when: { agnet: "x" }, expect: [{ clause: "ended" }] },
    { name: "unknown", expect: [{ clause: "telepathy" }] },
  ];
  for (const contract of wrong) {
    expect(() => expectTurn(events).toSatisfy(contract as never)).toThrow(ContractError);
  }
});

test("a recorded name begins no line of its own", () => {
  const events = [tool("x\n::error::INJ", 1), end()];
  const none = defineContract({ name: "none", expect: [{ clause: "tools", forbidden: ["*"] }] });
  try {
    expectTurn(turn(...events)).toSatisfy(none);
    expect.unreachable();
  } catch (error) {
    expect((error as Error).message).toContain("::error::INJ");
    expect((error as Error).message).not.toMatch(/^::/m);
  }
});

test("a sentence about an order names how near the calls must be", () => {
  const events = [tool("find_order", 1), tool("refund", 900), end()];
  const near = (within: object): (() => void) => {
    const before = { tool: "refund" };
    const clause = { clause: "order", tool: "find_order", before, ...within } as const;
    const contract = defineContract({ name: "near", expect: [clause] });
    return () => expectTurn(turn(...events)).toSatisfy(contract);
  };
  expect(near({ within_ms: 100 })).toThrow(/find_order before call of refund within 100 ms\./);
  expect(near({ within_calls: 1, within_ms: 100 })).toThrow(/within 100 ms and 1 call\./);
});
