/** @module `turnproof gate`: outcomes, exit codes and formats, from files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { turnproof } from "./command.ts";
import { end, model, tool } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-gate-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Turns of which the first `bad` refund twice; each lasts 5 s times `slower`. */
function side(
  name: string,
  of: {
    readonly turns: number;
    readonly bad: number;
    readonly slower?: number;
    readonly cases?: boolean;
    /** Turns of each case; default: one. */
    readonly each?: number;
  },
): string {
  const lines: string[] = [];
  for (let at = 0; at < of.turns; at += 1) {
    const ms = Math.round((5_000 + at) * (of.slower ?? 1));
    const events: TurnEvent[] = [
      model(1, { cached_tokens: 0 }),
      tool("refund", 40),
      ...(at < of.bad ? [tool("refund", 60)] : []),
      end({
        ms,
        ...(of.cases === true ? { external_id: `case-${Math.floor(at / (of.each ?? 1))}` } : {}),
      }),
    ];
    for (const event of events) {
      const own = { root_trace_id: `${name}-${at}`, event_id: `${name}-${at}-${event.event_id}` };
      lines.push(JSON.stringify({ ...event, ...own }));
    }
  }
  return file(`${name}.ndjson`, lines.join("\n"));
}

const contract = file(
  "refund.yaml",
  `version: 1
contracts:
  - name: refund
    expect:
      - { clause: calls, tool: refund, at_most: 1 }
`,
);
const good = side("good", { turns: 80, bad: 2 });
const worse = side("worse", { turns: 80, bad: 30 });

describe("outcomes and exit codes", () => {
  const gate = (baseline: string, candidate: string, ...more: string[]) =>
    turnproof(
      "gate",
      "--baseline",
      baseline,
      "--candidate",
      candidate,
      "--contract",
      contract,
      "--whole",
      ...more,
    );

  test("1: the candidate is worse, and the plan stands before the outcome", async () => {
    const ran = await gate(good, worse);
    expect(ran).toMatchObject({ code: 1, err: "" });
    expect(ran.out).toMatch(/^plan {2}refund: a drop of \d+\.\d points or more is found/);
    expect(ran.out).toMatch(/regressed +refund\n.*97\.5 % \(78 of 80/);
    expect(ran.out).toContain("-35.0 points");
    expect(ran.out.trimEnd().endsWith("regressed")).toBe(true);
  });

  test("0: many turns, and no difference", async () => {
    const left = side("left", { turns: 400, bad: 0 });
    const right = side("right", { turns: 400, bad: 1 });
    const ran = await gate(left, right);
    expect(ran.out).toContain("no regression");
    expect(ran.code).toBe(0);
  });

  test("3: few turns decide nothing", async () => {
    const ran = await gate(side("few", { turns: 4, bad: 0 }), side("some", { turns: 4, bad: 1 }));
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("not enough evidence");
  });

  test("3: what is not established can turn the answer", async () => {
    const ran = await turnproof(
      "gate",
      "--baseline",
      good,
      "--candidate",
      worse,
      "--contract",
      contract,
    );
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("78 not established");
  });

  test("1: a duration that grew beyond what is allowed", async () => {
    const slow = side("slow", { turns: 80, bad: 2, slower: 1.5 });
    const ran = await gate(good, slow, "--json");
    expect(ran.code).toBe(1);
    const report = JSON.parse(ran.out) as {
      readonly plans: {
        readonly contracts: object;
        readonly measures: { readonly duration: { readonly smallestGrowth: number } };
      };
      readonly contracts: readonly { readonly outcome: string }[];
      readonly measures: readonly { readonly name: string; readonly outcome: string }[];
    };
    expect(report.plans.contracts).toHaveProperty("refund");
    expect(report.plans.measures.duration.smallestGrowth).toBeGreaterThan(0.1);
    expect(report.measures.find(({ name }) => name === "duration")?.outcome).toBe("regressed");
    expect(report.measures.find(({ name }) => name === "tokens")?.outcome).toBe("no_regression");
  });

  test("turns of one external id are compared in pairs", async () => {
    const before = side("before", { turns: 60, bad: 0, cases: true });
    const after = side("after", { turns: 60, bad: 20, cases: true });
    const ran = await gate(before, after);
    expect(ran.out).toContain("60 cases in pairs");
    expect(ran.code).toBe(1);
    // Turns that name no case are left out, and their number is stated in each format.
    const nameless = readFileSync(side("nameless", { turns: 2, bad: 0 }), "utf8");
    const some = file("some-named.ndjson", `${readFileSync(before, "utf8")}\n${nameless}`);
    const words = "60 cases in pairs, without 2 and 0 turns that name no case";
    const mixed = await gate(some, after);
    expect(mixed.code).toBe(1);
    expect(mixed.out).toMatch(new RegExp(`regressed +refund\n(?:  .*\n)+  compared +${words}`));
    expect((await gate(some, after, "--format", "markdown")).out).toContain(`${words} |`);
    expect(JSON.parse((await gate(some, after, "--json")).out)).toMatchObject({
      contracts: [{ paired: true, cases: 60, withoutCase: { baseline: 2, candidate: 0 } }],
      measures: expect.arrayContaining([
        expect.objectContaining({ paired: true, withoutCase: { baseline: 2, candidate: 0 } }),
      ]),
    });
  });

  test("2 and 4: wrong numbers, unknown terms, an empty side", async () => {
    expect((await gate(good, worse, "--alpha", "0.5")).code).toBe(2);
    const unclear = await gate(good, "colour:blue");
    expect(unclear.code).toBe(2);
    expect(unclear.err).toContain("--candidate: colour:blue: colour: is no key");
    // A file that is not there is not searched for as text.
    const absent = await gate("absent.ndjson", worse);
    expect(absent).toMatchObject({ code: 2, err: expect.stringContaining("file_unreadable") });
    expect((await gate(good, file("empty.json", "[]"))).code).toBe(4);
  });

  test("Markdown has a row for each contract and measure, and the plan", async () => {
    const ran = await gate(good, worse, "--format", "markdown");
    expect(ran.out).toMatch(/^## Gate\n[^]*- refund: a drop of[^]*\*\*Outcome: regressed\*\*/);
    expect(ran.out).toMatch(/\| regressed \| refund \|/);
    expect(ran.out).toContain("| tokens |");
    expect(ran.out).toMatch(
      /\| regressed \| refund \|[^\n]*, not in pairs: no turn names a case \|/,
    );
    // Where a case has several turns: how often all of them hold, and the cases in pairs.
    const some = { turns: 60, cases: true, each: 2 };
    const [before, after] = [side("two", { ...some, bad: 0 }), side("bad", { ...some, bad: 20 })];
    const paired = await gate(before, after, "--format", "markdown");
    expect(paired.out).toContain("; all of 2 turns hold: 66.7 % (30 cases) |");
    expect(paired.out).toContain(", 30 cases in pairs |");
  });
});

describe("a contract that applies to no turn", () => {
  const unapplied = file(
    "unapplied.yaml",
    `version: 1
contracts:
  - name: refund-safe
    when: { agent: dekc }
    expect: [{ clause: calls, tool: refund, at_most: 0 }]
`,
  );
  const left = side("equal-left", { turns: 400, bad: 0 });
  const right = side("equal-right", { turns: 400, bad: 0 });
  const run = (contracts: readonly string[], ...more: string[]) =>
    turnproof(
      "gate",
      "--baseline",
      left,
      "--candidate",
      right,
      "--whole",
      "--contract",
      ...contracts,
      ...more,
    );

  test.each(["text", "json", "markdown"])("clears no release alone, in %s", async (format) => {
    const ran = await run([unapplied], "--format", format);
    expect(ran.code).toBe(3);
    expect(ran.out).toContain("Contract refund-safe applied to 0 turns of both sides.");
    expect(ran.out).toMatch(/refund-safe.*applies to 0 turns|"notApplied": \[\n\s+"refund-safe"/);
  });

  test("beside one that applies it is named, and does not decide", async () => {
    const ran = await run([unapplied, contract]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("not enough evidence  refund-safe: applied to 0 turns");
    expect((await run([unapplied, contract], "--require", "refund-safe")).code).toBe(3);
    expect((await run([unapplied, contract], "--require", "refund")).code).toBe(0);
  });
});

test("each format states the confidence of its intervals", async () => {
  const run = (...more: string[]) =>
    turnproof("gate", "--baseline", good, "--candidate", worse, "--whole", ...more);
  expect((await run()).out).toContain("Intervals have 90 % confidence (1 - 2 alpha)");
  expect((await run("--alpha", "0.01")).out).toContain("Intervals have 98 % confidence");
  expect((await run("--format", "markdown")).out).toContain("Intervals have 90 % confidence");
  expect(JSON.parse((await run("--json")).out)).toMatchObject({ intervalLevel: 0.9 });
});
