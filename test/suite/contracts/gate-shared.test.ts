/** @module Turns on both sides of a gate: left out of the baseline with a warning, or refused. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { turnproof } from "./command.ts";
import { end, tool } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-gate-shared-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of the turns with these numbers. */
function side(name: string, from: number, to: number): string {
  const lines: string[] = [];
  for (let at = from; at < to; at += 1) {
    for (const event of [tool("lookup", 1), end({ ms: 5_000 + at })]) {
      const own = { root_trace_id: `root-${at}`, event_id: `${at}-${event.event_id}` };
      lines.push(JSON.stringify({ ...event, ...own }));
    }
  }
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, lines.join("\n"));
  return path;
}

const gate = (baseline: string, candidate: string, ...more: string[]) =>
  turnproof("gate", "--baseline", baseline, "--candidate", candidate, "--whole", ...more);

const all = side("all", 0, 400);
const half = side("half", 200, 400);

test("2: the same turns on both sides, and a baseline within the candidate", async () => {
  for (const baseline of [all, half]) {
    const ran = await gate(baseline, all);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("(sides_overlap)");
  }
});

test("shared turns are left out of the baseline, with a warning in each format", async () => {
  const words = "200 turns are on both sides: they are left out of the baseline";
  const { code, out } = await gate(all, half, "--json");
  const report = JSON.parse(out) as {
    readonly outcome: string;
    readonly shared: number;
    readonly warnings: readonly string[];
    readonly contracts: readonly { readonly baseline: { readonly holds: number } }[];
  };
  expect(code).toBe(0);
  expect(report).toMatchObject({ outcome: "no_regression", shared: 200 });
  expect(report.warnings).toEqual([expect.stringContaining(words)]);
  expect(report.contracts[0]?.baseline.holds).toBe(200);
  expect((await gate(all, half)).out).toContain(`warning  ${words}`);
  expect((await gate(all, half, "--format", "markdown")).out).toContain(`**Warning:** ${words}`);
});

test("sides without a turn in common have no warning", async () => {
  const { out } = await gate(side("first", 0, 200), half, "--json");
  expect(JSON.parse(out)).toMatchObject({ shared: 0, warnings: [] });
});
