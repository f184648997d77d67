/** @module Wrong contracts: each is refused with a code, its file, line and path, and the rule. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ContractError, defineContract, parseContracts } from "@turnproof/contracts";
import type { ContractProblem, TurnContract } from "@turnproof/contracts";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { turnproof } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-wrong-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const events = file("none.json", "[]");

/** The problems of a contract that is refused. */
function refusal(read: () => unknown): readonly ContractProblem[] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    expect(error.code).toBe("contract_invalid");
    return error.problems;
  }
  throw new Error("nothing was refused");
}

const clauses =
  "ended, status, verdict, no_errors, tools_clean, duration, tokens, cost, retries, fallbacks, " +
  "depth, calls, tools, tools_f1, arguments, each_call, statistic, order, trajectory, model, " +
  "release, services, memory, cache, ownership, provenance, context, stages, artifact, delivery, output, " +
  "outcome, score, some_of";

/** One clause, by what is wrong with it: the path below the clause, and the rule. */
const wrongClauses: readonly (readonly [string, string, string, string])[] = [
  ["wrong key", "{ clause: calls, tol: x, at_most: 1 }", ".tol", "is no known field"],
  [
    "unknown operator",
    "{ clause: calls, tool: x, more_than: 1 }",
    ".more_than",
    "is no known field",
  ],
  ["wrong type", "{ clause: duration, at_most_ms: fast }", ".at_most_ms", "needs a number"],
  ["no whole number", "{ clause: retries, at_most: 1.5 }", ".at_most", "needs a whole number"],
  ["missing field", "{ clause: retries }", ".at_most", "is missing; it needs a number"],
  ["negative", "{ clause: retries, at_most: -1 }", ".at_most", "needs at least 0"],
  ["unknown clause", "{ clause: call, tool: x }", ".clause", `needs one of ${clauses}`],
  ["no clause", "{ tool: x }", ".clause", `needs one of ${clauses}`],
  [
    "unknown match",
    "{ clause: trajectory, match: exact, steps: [] }",
    ".match",
    "needs one of strict, unordered, subset, superset, ordered",
  ],
  [
    "wrong fingerprint",
    "{ clause: arguments, tool: x, any_of: [plain] }",
    ".any_of[0]",
    "needs a keyed fingerprint, for example k1_ and 26 letters",
  ],
  ["empty name", "{ clause: calls, tool: '', at_most: 1 }", ".tool", "needs at least 1 character"],
  [
    "deep",
    "{ clause: calls, tool: x, inside: { too: y }, never: true }",
    ".inside.too",
    "is no known field",
  ],
  ["no limit", "{ clause: calls, tool: x }", "", "needs at_least, at_most, exactly or never"],
  [
    "a pattern where a name is needed",
    '{ clause: stages, profile: "chat_*" }',
    ".profile",
    "needs one of chat_response, content_ingestion, content_derived_artifact, interactive_response",
  ],
  [
    "a coverage profile that is not registered",
    "{ clause: stages, profile: nosuch }",
    ".profile",
    "needs one of chat_response, content_ingestion, content_derived_artifact, interactive_response",
  ],
  [
    "a share that none fails",
    "{ clause: some_of, at_least_share: 0, expect: [{ clause: ended }] }",
    ".at_least_share",
    "needs more than 0",
  ],
  [
    "a share that all errors meet",
    "{ clause: no_errors, at_most_share: 1 }",
    ".at_most_share",
    "needs less than 1",
  ],
  ["no service", "{ clause: services }", "", "needs pinned, at_least or at_most"],
  ...["calls", "each_call", "statistic", "order"].flatMap(
    (name): (readonly [string, string, string, string])[] => {
      const rest = {
        calls: "at_least: 1",
        each_call: "duration_at_most_ms: 1",
        statistic: "of: tokens, sum: true, at_most: 1",
        order: "before: { tool: y }",
      }[name];
      return [
        [
          `${name} of a tool and another kind`,
          `{ clause: ${name}, tool: x, kind: delivery, ${rest ?? ""} }`,
          ".kind",
          "needs tool_call beside tool",
        ],
        [
          `${name} of a model and another kind`,
          `{ clause: ${name}, model: x, kind: tool_call, ${rest ?? ""} }`,
          ".kind",
          "needs model_call beside model",
        ],
      ];
    },
  ),
  [
    "another kind in a second selector",
    "{ clause: order, tool: x, before: { tool: y, kind: model_call } }",
    ".before.kind",
    "needs tool_call beside tool",
  ],
  [
    "another kind around",
    "{ clause: calls, tool: x, inside: { model: y, kind: turn }, never: true }",
    ".inside.kind",
    "needs model_call beside model",
  ],
  [
    "another kind in a condition",
    "{ clause: ended, when: { calls: { tool: y, kind: delivery } } }",
    ".when.calls.kind",
    "needs tool_call beside tool",
  ],
  ["no limit", "{ clause: tools_f1, expected: [a] }", "", "needs at_least or at_most"],
  [
    "an unknown attribute",
    "{ clause: calls, tool: x, attributes: { prompt: x }, at_most: 1 }",
    ".attributes.prompt",
    "is no known field",
  ],
  [
    "an attribute of another type",
    "{ clause: calls, tool: x, attributes: { skill_name: 1 }, at_most: 1 }",
    ".attributes.skill_name",
    "needs a text",
  ],
  [
    "reversed limits of an attribute",
    "{ clause: calls, tool: x, attributes: { result_count: { at_least: 2, at_most: 1 } }, never: true }",
    "",
    "result_count: at_least is above at_most",
  ],
  [
    "a severity within",
    "{ clause: some_of, at_least: 1, expect: [{ clause: ended, severity: note }] }",
    "",
    "has one severity for all of its clauses",
  ],
  [
    "more than there are",
    "{ clause: some_of, at_least: 2, expect: [{ clause: ended }] }",
    "",
    "at_least is above the number of its clauses",
  ],
  [
    "a wrong clause within",
    "{ clause: some_of, at_least: 1, expect: [{ clause: tokens }] }",
    ".expect[0]",
    "needs at_least or at_most",
  ],
  ["reversed", "{ clause: tokens, at_least: 2, at_most: 1 }", "", "at_least is above at_most"],
  [
    "reversed within",
    "{ clause: memory, supplied: { at_least: 2, at_most: 1 } }",
    "",
    "supplied: at_least is above at_most",
  ],
  [
    "two limits",
    "{ clause: calls, tool: x, exactly: 1, never: true }",
    "",
    "has exactly or never beside another limit",
  ],
  [
    "no predicate",
    "{ clause: each_call, tool: x }",
    "",
    "needs one of duration_at_most_ms, first_token_at_most_ms, tokens_at_most, results_at_least, " +
      "results_at_most, outcome_in, provider_in, finish_reason_in",
  ],
];

describe.each(wrongClauses)("%s", (_, clause, below, rule) => {
  test("in YAML, with its line", () => {
    const text = `version: 1\ncontracts:\n  - name: a\n    expect:\n      - clause: ended\n      - ${clause}\n`;
    expect(refusal(() => parseContracts(text))).toEqual([
      { path: `contracts[0].expect[1]${below}`, rule, line: 6 },
    ]);
  });

  test("in TypeScript", () => {
    // The types refuse most of these as well; what reads them does not rely on that.
    const value = parse(clause) as TurnContract["expect"][number];
    expect(refusal(() => defineContract({ name: "a", expect: [value] }))).toEqual([
      { path: `expect[0]${below}`, rule },
    ]);
  });
});

describe("a file", () => {
  const contract = "  - name: a\n    expect: [{ clause: ended }]\n";
  test.each([
    [
      "syntax",
      "version: 1\ncontracts:\n  - name: a\n   expect:\n      - {\n",
      4,
      "(file)",
      /^is no valid YAML or JSON: /,
    ],
    ["twice a key", `version: 1\nversion: 1\n`, 2, "(file)", /: duplicate key$/],
    ["JSON", '{\n"version": 1,', 2, "(file)", /^is no valid YAML or JSON: /],
    ["no fields", "hello", undefined, "(file)", /^needs fields with values$/],
    ["empty", "", undefined, "(file)", /^needs fields with values$/],
    ["no version", `contracts:\n${contract}`, undefined, "version", /^needs 1$/],
    ["another version", `version: 2\n`, 1, "version", /^needs 1$/],
    [
      "a name twice",
      `version: 1\ncontracts:\n${contract}${contract}`,
      5,
      "contracts[1].name",
      /^occurs twice$/,
    ],
    [
      "an id twice",
      "version: 1\ncontracts:\n  - name: a\n    expect:\n      - { clause: ended, id: x }\n      - { clause: no_errors, id: x }\n",
      6,
      "contracts[0].expect[1].id",
      /^occurs twice$/,
    ],
    [
      "a wrong name",
      "version: 1\ncontracts:\n  - name: a b\n    expect: [{ clause: ended }]\n",
      3,
      "contracts[0].name",
      /^needs a name of letters, digits/,
    ],
    [
      "a wrong severity",
      `version: 1\ncontracts:\n${contract}    severity: fatal\n`,
      5,
      "contracts[0].severity",
      /^needs one of error, warning, note$/,
    ],
    [
      "nothing expected",
      "version: 1\ncontracts:\n  - name: a\n    expect: []\n",
      4,
      "contracts[0].expect",
      /^needs at least 1 entry$/,
    ],
  ] as const)("%s", (_, text, line, path, rule) => {
    const [problem, ...others] = refusal(() => parseContracts(text));
    expect(others).toEqual([]);
    expect(problem).toEqual({
      path,
      rule: expect.stringMatching(rule),
      ...(line === undefined ? {} : { line }),
    });
  });
});

describe("the command names file, line, path and code, and exits with 2", () => {
  const run = (...paths: readonly string[]) =>
    turnproof("check", "--contract", ...paths, "--events", events);

  test("a wrong key", async () => {
    const path = file(
      "key.yaml",
      "version: 1\ncontracts:\n  - name: a\n    expect:\n      - clause: calls\n        tol: x\n",
    );
    const { code, out, err } = await run(path);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`${path}:6 contracts[0].expect[0].tol: is no known field\n`);
    expect(err).toContain("contract_invalid: the contracts have 1 problem.");
  });

  test("a golden that is in no file; one in another file is found", async () => {
    const clause = "{ clause: trajectory, match: strict, golden: usual }";
    const path = file(
      "golden.yaml",
      `version: 1\ncontracts:\n  - name: a\n    expect: [${clause}]\n`,
    );
    const { code, err } = await run(path);
    expect(code).toBe(2);
    expect(err).toContain(`${path}:4 contracts[0].expect[0].golden: is in none of the files`);
    const goldens = file("usual.yaml", "version: 1\ngoldens: [{ golden: usual, steps: [] }]\n");
    expect((await run(path, goldens)).code).toBe(4);
  });

  test("a name in two files", async () => {
    const text = "version: 1\ncontracts: [{ name: a, expect: [{ clause: ended }] }]\n";
    const { err } = await run(file("one.yaml", text), file("two.yaml", text));
    expect(err).toContain("two.yaml: a contract's name occurs twice");
  });

  test("modules: plain values, one that the package refused, one without a contract, a wrong one", async () => {
    const plain = file(
      "plain.mjs",
      `export const a = { name: "a", expect: [{ clause: "call" }] };`,
    );
    expect((await run(plain)).err).toContain(
      `${plain} contracts[0].expect[0].clause: needs one of`,
    );
    // Another copy of the package throws another class.
    const thrown = file(
      "thrown.mjs",
      `throw Object.assign(new Error(), { code: "contract_invalid",
        problems: [{ path: "expect[0].tol", rule: "is no known field" }] });`,
    );
    expect((await run(thrown)).err).toContain(`${thrown} expect[0].tol: is no known field`);
    const other = file("other.mjs", "export const a = 1;");
    expect((await run(other)).err).toContain(`${other}: has no contract and no golden`);
    const broken = file("broken.mjs", "export const a = {");
    const { code, err } = await run(broken);
    expect(code).toBe(2);
    expect(err).toContain(`${broken} (module): cannot be loaded: `);
  });

  test("a folder without a file, and a file without a contract", async () => {
    const empty = mkdtempSync(join(folder, "empty-"));
    const { code, err } = await run(empty);
    expect(code).toBe(2);
    expect(err).toContain("has no YAML and no JSON file");
    const nothing = file("nothing.yaml", "version: 1\n");
    expect((await run(nothing)).err).toContain("nothing.yaml: has no contract and no golden");
  });
});

test("a text that grows by aliases is refused as a file", () => {
  const levels = Array.from({ length: 12 }, (_, at) => {
    const list = Array.from({ length: 10 }, () => `*a${at}`).join(", ");
    return `a${at + 1}: &a${at + 1} [${list}]`;
  });
  const text = `a0: &a0 [x]\n${levels.join("\n")}\n`;
  expect(refusal(() => parseContracts(text))).toEqual([
    { path: "(file)", rule: "has too many aliases, or an unknown one" },
  ]);
});

test("a selector or a condition without a field is refused: it would be about everything", () => {
  const empty: readonly [string, object][] = [
    ["expect[0].before", { clause: "order", tool: "refund", before: {} }],
    ["expect[0].never_after", { clause: "order", tool: "refund", never_after: {} }],
    ["expect[0].inside", { clause: "calls", tool: "refund", never: true, inside: {} }],
    ["expect[0].when", { clause: "ended", when: {} }],
    ["expect[0].when.calls", { clause: "ended", when: { calls: {} } }],
  ];
  for (const [path, clause] of empty) {
    const contract = { name: "empty", expect: [clause] } as never;
    expect(refusal(() => defineContract(contract))).toEqual([{ path, rule: "needs a field" }]);
  }
});
