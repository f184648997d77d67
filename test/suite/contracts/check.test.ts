/** @module `turnproof check`: exit codes, formats and messages, offline from files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { turnproof } from "./command.ts";
import { end, model, step, tool } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-check-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const events = [model(1), tool("lookup", 20), tool("refund", 40), end()];
const recorded = file("events.ndjson", events.map((one) => JSON.stringify(one)).join("\n"));
const refund = file(
  "refund.yaml",
  `version: 1
contracts:
  - name: refund
    expect:
      - clause: order
        tool: lookup
        before: { tool: refund }
      - clause: calls
        tool: refund
        at_most: 1
`,
);

describe("exit codes", () => {
  test("0: every contract holds in a window that lacks nothing", async () => {
    const ran = await turnproof("check", "--contract", refund, "--events", recorded, "--whole");
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("1 turn; results: 1 hold, 0 violated");
  });

  test("3: of a plain list absence decides nothing", async () => {
    const ran = await turnproof("check", "--contract", refund, "--events", recorded);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("metadata_missing");
    const lenient = "--allow-unestablished";
    const allowed = await turnproof("check", "--contract", refund, "--events", recorded, lenient);
    expect(allowed.code).toBe(0);
  });

  test("1: a second refund is a violation, also in a part of a window", async () => {
    const twice = [...events, tool("refund", 60)];
    const path = file("twice.json", JSON.stringify(twice));
    const ran = await turnproof("check", "--contract", refund, "--events", path);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/✗ calls\[1\]: 2 calls or more \(call of refund\)/);
  });

  test("4: without a turn there is nothing to judge", async () => {
    const ran = await turnproof("check", "--events", file("none.json", "[]"));
    expect(ran.code).toBe(4);
  });

  test("2: a wrong contract is named by file, path and rule", async () => {
    const wrong = file(
      "wrong.yaml",
      "version: 1\ncontracts:\n  - name: a\n    expect:\n      - clause: calls\n        tol: x\n",
    );
    const ran = await turnproof("check", "--contract", wrong, "--events", recorded);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/wrong\.yaml:6 contracts\[0\]\.expect\[0\]\.tol: is no known field/);
  });

  test("2: a format that does not exist", async () => {
    const ran = await turnproof("check", "--events", recorded, "--format", "pdf");
    expect(ran.code).toBe(2);
  });
});

test("without a contract the default one is judged", async () => {
  const ran = await turnproof("check", "--events", recorded, "--whole", "--json");
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.out)).toMatchObject({
    tally: { turns: 1, holds: 1, violated: 0, not_established: 0 },
    turns: [{ by_default: true, contracts: [{ contract: "default", result: "holds" }] }],
  });
  const failed = file(
    "failed.json",
    JSON.stringify([tool("a", 5, { tool_outcome: "error" }), end()]),
  );
  expect((await turnproof("check", "--events", failed)).code).toBe(1);
});

test("a cost clause is judged by listed prices, as a range where a count is not recorded", async () => {
  const ran = async (most: number, stated: object): Promise<unknown> => {
    const contract = file(
      "cost.yaml",
      `version: 1\ncontracts: [{ name: cost, expect: [{ clause: cost, at_most: ${most} }] }]\n`,
    );
    const call = { provider: "openai", model: "gpt-4o", ...stated };
    const path = file("priced.json", JSON.stringify([model(1, call), end()]));
    const { code, out } = await turnproof(
      "check",
      "--events",
      path,
      "--whole",
      "--contract",
      contract,
    );
    return { code, said: /The turn cost [^;]*/.exec(out)?.[0] };
  };
  // 100 tokens in at 2.50 and 20 out at 10 US dollars a million.
  const exact = { cached_tokens: 0 };
  expect(await ran(0.001, exact)).toMatchObject({ code: 0 });
  expect(await ran(0.0004, exact)).toEqual({ code: 1, said: "The turn cost 0.00045 US dollars" });
  const open = "The turn cost 0.000325 to 0.00045 US dollars";
  expect(await ran(0.0004, {})).toEqual({ code: 3, said: open });
  expect(await ran(0.0003, {})).toEqual({ code: 1, said: open });
  expect(await ran(0.001, { model: "own-model" })).toMatchObject({ code: 3 });
});

test("a window that differs from its statement's marks is not whole", async () => {
  const path = file("all.json", JSON.stringify([...events, step("span", 70)]));
  const payload = { v: 2, event_count: 6, digest: "0".repeat(64) };
  const text = Buffer.from(JSON.stringify(payload)).toString("base64url");
  const statement = file("turn.jws", `e30.${text}.sig`);
  const ran = await turnproof("check", "--events", path, "--statement", statement);
  // It is no statement of any version: that is an error, never a pass.
  expect(ran.code).toBe(2);
  const note = file("note.jws", "no statement");
  const wrong = await turnproof("check", "--events", path, "--statement", note);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("--statement takes the file of a signed statement");
});

describe("a reason names what is open, and counts agree with their nouns", () => {
  const clauses = file(
    "calm.yaml",
    `version: 1
contracts:
  - name: calm
    expect:
      - { clause: each_call, kind: model_call, duration_at_most_ms: 5 }
      - { clause: each_call, kind: model_call, results_at_least: 1 }
      - { clause: tools, forbidden: [lookup] }
      - { clause: retries, at_most: 0 }
      - { clause: fallbacks, at_most: 0 }
      - { clause: each_call, tool: refund, duration_at_most_ms: 5 }
      - { clause: tools_f1, expected: [lookup, mail], at_least: 0.8 }
      - clause: some_of
        at_least: 2
        expect:
          - { clause: retries, at_most: 0 }
          - { clause: tools, allowed: [mail] }
          - { clause: ended }
`,
  );
  const retried = [model(1, { retry_count: 1 }), tool("lookup", 20), tool("refund", 40), end()];
  const path = file("retried.json", JSON.stringify(retried));

  test("in a window that may lack something", async () => {
    const { out } = await turnproof("check", "--contract", clauses, "--events", path);
    expect(out).toContain(
      "each_call[0]: 1 event of kind model_call may repeat a call that is missing: the window is not known to be whole.",
    );
    expect(out).toContain(
      "each_call[1]: What the rule needs is not recorded on 1 event of kind model_call.",
    );
    expect(out).toContain(
      "retries[3]: The turn had 1 retry or more; the contract allows at most 0.",
    );
    expect(out).toContain("fallbacks[4]: The turn had an unknown number of fallbacks;");
    expect(out).toContain("each_call[5]: 1 of 1 call of refund breaks the rule.");
    expect(out).toContain(
      "tools_f1[6]: The called tools reach 0 to 0.8 F1; the contract allows at least 0.8. Not called: mail. Called beside them: refund.",
    );
    expect(out).toContain(
      "some_of[7]: 1 of 3 clauses holds; the contract requires at least 2. retries:",
    );
  });

  test("of the cache and of a delivery", async () => {
    const kept = file(
      "kept.yaml",
      `version: 1
contracts:
  - name: kept
    expect:
      - { clause: cache, decision: [miss, hit] }
      - { clause: delivery, acknowledged: true }
`,
    );
    const decided = [
      step("cache_decision", 5, { cache_decision: "bypassed" }),
      step("delivery", 60, { delivery_target: "page", emitted: true }),
      end(),
    ];
    const events = file("kept.json", JSON.stringify(decided));
    const { out } = await turnproof("check", "--contract", kept, "--events", events, "--whole");
    expect(out).toContain("cache[0]: The cache decided bypassed; the contract allows miss or hit.");
    expect(out).toContain("is recorded without what the contract requires.");
  });

  test("in a whole one", async () => {
    const { out } = await turnproof("check", "--contract", clauses, "--events", path, "--whole");
    expect(out).toContain("each_call[0]: 1 of 1 event of kind model_call breaks the rule.");
    expect(out).toContain("tools_f1[6]: The called tools reach 0.5 F1;");
  });
});

describe("a contract that applies to no turn", () => {
  const unapplied = (name: string): string =>
    `  - name: ${name}\n    when: { agent: dekc }\n    expect: [{ clause: calls, tool: refund, at_most: 0 }]\n`;
  const alone = file("alone.yaml", `version: 1\ncontracts:\n${unapplied("refund-safe")}`);
  const run = (contract: string, ...more: string[]) =>
    turnproof("check", "--contract", contract, "--events", recorded, "--whole", ...more);

  test.each(["text", "json", "junit", "sarif", "markdown", "github"])(
    "is named in %s, and alone it leaves the answer open",
    async (format) => {
      const ran = await run(alone, "--format", format);
      expect(ran.code).toBe(3);
      expect(ran.out).toContain("refund-safe");
      expect(ran.out).toMatch(/applied to 0 turns|"not_applied": \[\n\s+"refund-safe"/);
      expect(ran.err).toContain("contract refund-safe applied to 0 turns");
    },
  );

  test("exits with 0 where that is allowed, and beside contracts that apply", async () => {
    expect((await run(alone, "--allow-unestablished")).code).toBe(0);
    const both = await turnproof(
      "check",
      "--contract",
      alone,
      refund,
      "--events",
      recorded,
      "--whole",
    );
    expect(both.code).toBe(0);
    expect(both.out).toContain("not applied      refund-safe");
  });
});
