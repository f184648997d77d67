/** @module Reports of a check are what outside parsers and schemas accept. */
import schema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import {
  defineContract,
  evaluateTurns,
  junitReport,
  markdownReport,
  sarifReport,
} from "@turnproof/contracts";
import { Ajv } from "ajv";
import { parse } from "junit2json";
import { expect, test } from "vitest";

import { cut, end, tool, whole } from "./turns.ts";

const once = defineContract({
  name: "once",
  expect: [
    { clause: "calls", tool: "refund", at_most: 1 },
    { clause: "duration", at_most_ms: 1, severity: "warning" },
  ],
});
const second = { root_trace_id: "<&\"'>", event_id: "x" };
const results = [
  ...evaluateTurns([tool("refund", 1), end()], [once], { metadata: whole }),
  ...evaluateTurns([tool("refund", 1), tool("refund", 30), end()], [once], { metadata: whole }),
  ...evaluateTurns([{ ...tool("refund", 1), ...second }], [once], { metadata: cut }),
];

test("JUnit: an outside parser reads suites, cases, failures and skipped ones", async () => {
  const read = await parse(junitReport(results));
  expect(read).toMatchObject({ tests: 3, failures: 1, errors: 0 });
  const [suite] = "testsuite" in (read ?? {}) ? (read as { testsuite: object[] }).testsuite : [];
  expect(suite).toMatchObject({ name: "once", tests: 3, failures: 1, skipped: 1 });
  const cases = (suite as { testcase: { failure?: object[]; skipped?: object[]; name: string }[] })
    .testcase;
  expect(cases.map(({ failure, skipped }) => [failure?.length ?? 0, skipped?.length ?? 0])).toEqual(
    [
      [0, 0],
      [1, 0],
      [0, 1],
    ],
  );
  expect(cases[2]?.name).toContain("<&\"'>");
});

test("Markdown: a turn is code without escapes, and its text has no markup of its own", () => {
  const named = { turn_id: "turn_a|b`c", event_id: "y" };
  const [result] = evaluateTurns([{ ...tool("refund", 1), ...named }], [once], { metadata: cut });
  const report = markdownReport(result === undefined ? [] : [result]);
  expect(report).toContain("/turn_a\\|b'c` |");
  expect(report).toContain("calls\\[0\\]");
});

test("SARIF: the schema of OASIS accepts it, and refuses another document", () => {
  const places = new Map([["once", "contracts/once file.yaml"]]);
  const report = sarifReport(results, { version: "1.0.0", places });
  // What this schema says is the same in draft 4 and in the draft that the validator reads.
  const { $schema: _draft, id: _id, ...rules } = schema;
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
    rules,
  );
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  expect(validate(sarifReport([], { version: "1.0.0" }))).toBe(true);
  expect(validate({ ...report, version: "2.2.0" })).toBe(false);
});
