/**
 * Reasons of deletions: a code of a closed list goes from `delete-user` through the audit log into
 * an evidence pack, without a configured log as well; other text is refused and in no file.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { deletionReasons } from "../../../collector/src/access/audit/deletion-reason.ts";
import { auditFacts } from "../../../collector/src/cli/pack/audit-facts.ts";
import { factsSchema } from "../../../collector/src/cli/pack/pack-facts.ts";
import type { PackFacts } from "../../../collector/src/cli/pack/pack-facts.ts";
import { tablePage } from "../../../collector/src/cli/pack/pack-pages.ts";
import { readConfig } from "../../../collector/src/config/read-config.ts";
import { turnproof } from "../contracts/command.ts";
import type { Ran } from "../contracts/command.ts";

const window = { from: "2000-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" };
let dataDir: string;
let log: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "turnproof-reasons-"));
  log = join(dataDir, "audit.jsonl");
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const deletes = (...flags: string[]): Promise<Ran> =>
  turnproof(
    "delete-user",
    "canary-user",
    "--json",
    "--backend",
    "filesystem",
    "--data-dir",
    dataDir,
    ...flags,
  );

const deletions = async (times = window): Promise<PackFacts["deletions"]> =>
  (await auditFacts(readConfig({ dataDir }), times)).deletions;

test("a reason is in the log and in the pack, and the user in neither", async () => {
  for (const reason of deletionReasons) {
    const ran = await deletes("--apply", "--reason", reason);
    expect(ran.code, ran.err).toBe(0);
  }
  const listed = await deletions();
  expect(listed.map(({ reason, result }) => [reason, result])).toEqual(
    deletionReasons.flatMap((reason) => [
      [reason, "begun"],
      [reason, "ok"],
    ]),
  );
  expect(readFileSync(log, "utf8")).not.toContain("canary");
  expect((await turnproof("audit", "verify", "--data-dir", dataDir)).code).toBe(0);
});

test("a deletion after the window took rows of it, one before its start took none", async () => {
  await deletes("--apply", "--reason", "mistaken_collection");
  const ended = { from: window.from, to: "2001-01-01T00:00:00Z" };
  const listed = await deletions(ended);
  expect(listed.map(({ result }) => result)).toEqual(["begun", "ok"]);
  const page = tablePage({ ...facts, ...ended, deletions: listed }, []);
  expect(page).toContain(" (after the window): mistaken_collection (ok)");
  expect(await deletions({ from: "2099-01-01T00:00:00Z", to: window.to })).toEqual([]);
});

test("a deletion without a reason is listed without one", async () => {
  await deletes("--apply");
  const listed = await deletions();
  expect(listed.map(({ reason }) => reason)).toEqual([
    "reason not recorded",
    "reason not recorded",
  ]);
  expect(readFileSync(log, "utf8")).not.toContain('"reason"');
  expect(tablePage({ ...facts, deletions: listed }, [])).toContain(": reason not recorded (ok)");
});

test.each(["canary text", "", "User_Request"])("%j is no reason", async (reason) => {
  for (const flags of [["--apply"], []]) {
    const ran = await deletes(...flags, "--reason", reason);
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.out)).toMatchObject({ code: "parameter_invalid", field: "reason" });
    expect(ran.err).toContain("mistaken_collection");
    expect(ran.out + ran.err).not.toContain("canary");
  }
  expect(existsSync(log)).toBe(false);
});

test("a dry run with a reason records nothing", async () => {
  expect((await deletes("--reason", "legal_order")).code).toBe(0);
  expect(existsSync(log)).toBe(false);
});

test("facts of earlier packs are read", () => {
  const deleted = { at: window.from, reason: "deletion of a user", result: "ok" };
  expect(factsSchema.parse({ ...facts, deletions: [deleted] }).deletions).toEqual([deleted]);
});

const facts: PackFacts = {
  ...window,
  made_at: window.to,
  version: "0",
  store: "s",
  events: { rows: 0, first_received: null, last_received: null, complete: true },
  turns: { rows: 0, judged: 0, with_findings: 0 },
  oldest_kept: null,
  retention: { floor_days: null, legal_hold: false },
  losses: {
    dropped_by_producers: null,
    lost_frames: 0,
    corrupt_ranges: 0,
    quarantined: 0,
    balanced: true,
  },
  audit: null,
  deletions: [],
};
