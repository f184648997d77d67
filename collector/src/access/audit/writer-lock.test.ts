/** The writer's lock of an audit file: one living process holds it; an earlier version's counts. */
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ownerText, systemProcesses } from "@turnproof/journal/process-lock";
import type { Owner } from "@turnproof/journal/process-lock";
import { expect, test, vi } from "vitest";

import { holdLog } from "./writer-lock.ts";

const place = (): string => join(mkdtempSync(join(tmpdir(), "turnproof-lock-")), "audit.jsonl");
const times = { heartbeatMs: 20, silenceMs: 200 };
const refused = { code: "audit_unavailable" };
const self = systemProcesses.self();

/** The process that started this one. */
function parent(): Owner {
  const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return { ...self, pid: process.ppid, started };
}

/** Leaves the lock of an owner, with the time of its last heartbeat. */
function leave(file: string, owner: Owner, beat: number): string {
  mkdirSync(`${file}.owners`, { recursive: true });
  const path = join(`${file}.owners`, `owner-${ownerText(owner)}.lock`);
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(beat, 0);
  writeFileSync(path, bytes);
  return path;
}

test("a living holder keeps it, in this process and in another", async () => {
  const file = place();
  const held = await holdLog(file, times);
  await expect(holdLog(file, times)).rejects.toMatchObject(refused);
  await held.release();
  expect(readdirSync(`${file}.owners`)).toEqual([]);
  leave(file, parent(), Date.now());
  await expect(holdLog(file, times)).rejects.toMatchObject(refused);
});

test("a pid that is in use again holds nothing", async () => {
  const file = place();
  leave(file, { ...parent(), started: "1" }, Date.now());
  await (await holdLog(file, { heartbeatMs: 20, silenceMs: 3_600_000 })).release();
  // The same process id before a reboot: its heartbeat stands still.
  leave(file, { ...self, boot: "000000000000" }, Date.now());
  await (await holdLog(file, times)).release();
});

test("a container that is restarted does not wait for its own old heartbeat", async () => {
  const file = place();
  leave(file, { ...self, namespace: "1" }, Date.now() - 7_200_000);
  await (await holdLog(file, { heartbeatMs: 20, silenceMs: 3_600_000 })).release();
});

test("a holder that cannot be checked keeps it while its heartbeat changes", async () => {
  const file = place();
  const other = { ...self, boot: "000000000000" };
  let beats = 1;
  leave(file, other, beats);
  const timer = setInterval(() => leave(file, other, (beats += 1)), 5);
  await expect(holdLog(file, times)).rejects.toMatchObject(refused);
  clearInterval(timer);
});

test("a holder whose lock is taken away writes no more and leaves the new one alone", async () => {
  const file = place();
  const held = await holdLog(file, times);
  const own = join(`${file}.owners`, `owner-${ownerText(self)}.lock`);
  rmSync(own);
  const taken = leave(file, parent(), Date.now());
  await vi.waitFor(() => expect(held.lost).toBe(true), { timeout: 20_000 });
  await held.release();
  expect(readFileSync(taken)).toHaveLength(8);
});

test("a running process of an earlier version keeps it; what a dead one left is removed", async () => {
  const file = place();
  writeFileSync(`${file}.lock`, JSON.stringify({ ...parent(), token: "another" }));
  await expect(holdLog(file, times)).rejects.toMatchObject(refused);
  for (const text of [JSON.stringify({ ...parent(), started: "1" }), "4711", '{"boot":"', ""]) {
    writeFileSync(`${file}.lock`, text);
    await (await holdLog(file, times)).release();
    expect(readdirSync(join(file, "..")).includes("audit.jsonl.lock")).toBe(false);
  }
});
