/** @module Reports of a check are what outside parsers and schemas accept. */
import schema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" };
import {
  defineContract,
  evaluateTurns,
  githubReport,
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
  expect(report).toContain("| calls (clause 1) |");
});

test("Markdown: the answer first, each contract, and the same finding once with its turns", () => {
  const report = markdownReport(results);
  expect(report.split("\n", 1)).toEqual(["## Contracts: the contract is violated"]);
  expect(report).toContain("| ✗ | once | 3 | 1 | 1 | 1 |");
  const several = Array.from({ length: 5 }, (_, at) =>
    evaluateTurns([{ ...tool("refund", 1), root_trace_id: `r${at}`, event_id: `e${at}` }], [once], {
      metadata: cut,
    }),
  ).flat();
  const open = markdownReport(several);
  expect(open).toContain("## Contracts: the contract is not established");
  expect(open).toContain(
    "| once | calls (clause 1) | 0 calls or more (call of refund; 1 more is recorded that may not count); the contract allows at most 1. | 5 | " +
      "`r0/a000000000000001`<br>`r1/a000000000000001`<br>`r2/a000000000000001`<br>and 2 more |",
  );
  expect(open).toContain("| duration (clause 2), warning |");
  expect(open).toContain("the window was truncated (`truncated`, 5 of 5 turns)");
  const [good] = results;
  expect(markdownReport(good === undefined ? [] : [good])).toContain("it holds on every turn");
  // Where nothing was judged, nothing holds.
  expect(markdownReport([])).toBe("## Contracts: no turn was judged\n");
});

test("Markdown: what was measured is a range of one row, not a row for each turn", () => {
  const budget = defineContract({
    name: "budget-2",
    expect: [
      { clause: "duration", at_most_ms: 2_000 },
      { clause: "statistic", tool: "refund-2", of: "duration_ms", average: true, at_most: 5 },
    ],
  });
  const slow = [3_000, 2_500, 9_000.5].flatMap((ms, at) => {
    const own = { root_trace_id: `r${at}` };
    const call = tool("refund-2", 1, {}, { ...own, ms: 10 + at });
    return evaluateTurns([call, end({ ...own, ms })], [budget], { metadata: whole });
  });
  const rows = markdownReport(slow)
    .split("\n")
    .filter((line) => line.startsWith("| budget-2 |"));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(
    "| duration (clause 1) | The turn took 2500 to 9000.5 ms; the contract allows at most 2000. | 3 |",
  );
  expect(rows[1]).toContain(
    "The average over calls of refund-2 is 10 to 12 ms; the contract allows at most 5. | 3 |",
  );
  // A job shows ten annotations of a kind: each is a clause, not a turn.
  const commands = githubReport(slow).split("\n");
  expect(commands).toHaveLength(3);
  expect(commands[0]).toMatch(
    /^::error title=budget-2 duration\[0\] violated::3 turns \(r0\/\S+, r1\/\S+, r2\/\S+\): The turn took 2500 to 9000\.5 ms;/,
  );
  // A turn that has not ended has another sentence.
  const begun = end({ phase: "start", status: "started", root_trace_id: "open", event_id: "s" });
  const open = evaluateTurns([begun], [budget], { metadata: whole });
  expect(markdownReport([...slow, ...open])).toContain(
    "The turn has taken an unknown number of ms",
  );
});

test("SARIF: the schema of OASIS accepts it, and refuses another document", () => {
  const places = new Map([
    ["once", { file: "contracts/once file.yaml", lines: { contract: 3, clauses: [5, 6] } }],
  ]);
  const report = sarifReport(results, { version: "1.0.0", places });
  // What this schema means is the same in draft 4 and in the draft that the validator reads.
  const { $schema: _draft, id: _id, ...rules } = schema;
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
    rules,
  );
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  expect(validate(sarifReport([], { version: "1.0.0" }))).toBe(true);
  expect(validate({ ...report, version: "2.2.0" })).toBe(false);
  // A contract of a module has a file and no line; one without a file has neither.
  const [run] = (report as { runs: { results: { locations: object[] }[] }[] }).runs;
  expect(run?.results[0]?.locations[0]).toMatchObject({
    physicalLocation: {
      artifactLocation: { uri: "contracts/once%20file.yaml" },
      region: { startLine: 6 },
    },
  });
  const without = sarifReport(results, {
    version: "1.0.0",
    places: new Map([["once", { file: "contracts/once.ts" }]]),
  });
  expect(validate(without), JSON.stringify(validate.errors)).toBe(true);
  expect(JSON.stringify(without)).not.toContain("region");
});

/** A workflow command as the runner of GitHub reads it: escapes of the data and of properties. */
const command = /^::(error|warning|notice) ((?:[a-z]+=[^,:]*)(?:,[a-z]+=[^,:]*)*)::(.*)$/;

function annotations(text: string): { level: string; fields: object; message: string }[] {
  const plain = (value: string): string =>
    value
      .replaceAll("%2C", ",")
      .replaceAll("%3A", ":")
      .replaceAll("%0A", "\n")
      .replaceAll("%0D", "\r")
      .replaceAll("%25", "%");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [, level = "", fields = "", message = ""] = command.exec(line) ?? [];
      const pairs = fields.split(",").map((pair) => pair.split("="));
      return {
        level,
        fields: Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, plain(value)])),
        message: plain(message),
      };
    });
}

test("GitHub: each annotation is one command, at the line of its clause where it is known", () => {
  const hostile = "100%\n::error::x, y: z";
  const [turn] = evaluateTurns(
    [{ ...tool("refund", 1), turn_id: hostile, event_id: "y" }],
    [once],
    {
      metadata: cut,
    },
  );
  const all = turn === undefined ? results : [...results, turn];
  const place = { file: "contracts/a, b:c.yaml", lines: { contract: 3, clauses: [5, 6] } };
  const read = annotations(githubReport(all, { places: new Map([["once", place]]) }));
  const found = all.flatMap(({ contracts }) => contracts).flatMap(unmetOf);
  const titles = read.map(({ fields }) => (fields as { title?: string }).title ?? "");
  expect(titles.toSorted()).toEqual([...new Set(found)].toSorted());
  expect(read[0]).toMatchObject({ fields: { file: place.file, line: "6" }, level: "warning" });
  const levels = new Set(read.map(({ level }) => level));
  expect(levels).toEqual(new Set(["warning", "error", "notice"]));
  expect(read.some(({ message }) => message.includes(`root/${hostile}`))).toBe(true);
  const ofModule = new Map([["once", { file: "contracts/once.ts" }]]);
  for (const { fields } of annotations(githubReport(all, { places: ofModule }))) {
    expect(fields).toEqual({ file: "contracts/once.ts", title: expect.any(String) });
  }
  for (const { fields } of annotations(githubReport(all))) {
    expect(Object.keys(fields)).toEqual(["title"]);
  }
});

function unmetOf({ contract, clauses }: (typeof results)[number]["contracts"][number]): string[] {
  return clauses
    .filter(({ result }) => result !== "holds")
    .map(({ clause, index, result }) => `${contract} ${clause}[${index}] ${result}`);
}

const slow = defineContract({
  name: "slow",
  expect: [
    { clause: "duration", at_most_ms: 1 },
    { clause: "tools", allowed: ["search"] },
  ],
});

/** Turns of which a part may be missing, each with another duration. */
const lossy = Array.from({ length: 40 }, (_, at) =>
  evaluateTurns(
    [end({ turn_id: `host_${at}`, event_id: `end-${at}`, ms: 1_000 + at * 3.5 })],
    [slow],
    { metadata: cut },
  ),
).flat();

test("Markdown: findings that differ in their numbers only are one, with the range of each", () => {
  const report = markdownReport(lossy);
  expect(report).toContain("after 1000 to 1136.5 ms");
  expect(report).toContain("the contract allows at most 1");
  expect(report.match(/recorded with status success/g)).toHaveLength(1);
});

test("GitHub: one annotation of each clause, with the number of its other findings", () => {
  const report = githubReport(results.concat(lossy));
  const titles = report.match(/title=slow [^:]*not_established/g) ?? [];
  expect(titles).toHaveLength(new Set(titles).size);
  const failing = [
    ...evaluateTurns([tool("mail", 1), end()], [slow], { metadata: whole }),
    ...evaluateTurns([tool("refund", 1), end()], [slow], { metadata: whole }),
  ];
  const annotations = githubReport(failing)
    .split("\n")
    .filter((line) => line.includes("title=slow tools"));
  expect(annotations).toHaveLength(1);
  expect(annotations[0]).toMatch(/Also another finding of this clause, on 1 turn\.$/);
});
