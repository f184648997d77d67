/** The writer's lock: distinguishes a dead owner from one that cannot be checked. */
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemProcesses } from "@turnproof/exporter/journal";
import { expect, test, vi } from "vitest";

import { holdLock } from "./writer-lock.ts";

const place = (): string => join(mkdtempSync(join(tmpdir(), "turnproof-lock-")), "audit.lock");
const times = { heartbeatMs: 20, silenceMs: 200 };
const refused = { code: "audit_unavailable" };
const self = systemProcesses.self();
const token = "another";

test("a living holder keeps it, in this process and in another", async () => {
  const path = place();
  const held = await holdLock(path, times);
  await expect(holdLock(path, times)).rejects.toMatchObject(refused);
  held.release();
  expect(existsSync(path)).toBe(false);
  const parent = process.ppid;
  const stat = readFileSync(`/proc/${parent}/stat`, "utf8");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  writeFileSync(path, JSON.stringify({ ...self, pid: parent, started, token }));
  await expect(holdLock(path, times)).rejects.toMatchObject(refused);
});

test("a pid that was used again holds nothing", async () => {
  // The same pid under the same kernel, started at another time: taken over at once.
  const path = place();
  writeFileSync(path, JSON.stringify({ ...self, pid: process.ppid, started: "1", token }));
  (await holdLock(path, { heartbeatMs: 20, silenceMs: 3_600_000 })).release();
  // The same pid after a reboot.
  writeFileSync(path, JSON.stringify({ ...self, boot: "000000000000", token }));
  (await holdLock(path, times)).release();
  // The format of an earlier version, and a file half written by a crash.
  for (const text of [String(process.ppid), '{"boot":"', ""]) {
    writeFileSync(path, text);
    (await holdLock(path, times)).release();
  }
});

test("a container that was restarted does not wait for its own old heartbeat", async () => {
  const path = place();
  writeFileSync(path, JSON.stringify({ ...self, namespace: "1", token }));
  const longAgo = new Date(Date.now() - 7_200_000);
  utimesSync(path, longAgo, longAgo);
  (await holdLock(path, { heartbeatMs: 20, silenceMs: 3_600_000 })).release();
});

test("a holder out of sight keeps it while its heart beats", async () => {
  const path = place();
  writeFileSync(path, JSON.stringify({ ...self, boot: "000000000000", token }));
  let beats = 0;
  const timer = setInterval(() => utimesSync(path, new Date(), new Date((beats += 1) * 1_000)), 5);
  await expect(holdLock(path, times)).rejects.toMatchObject(refused);
  clearInterval(timer);
});

test("who lost the file writes no more, and takes nothing away from who has it", async () => {
  const path = place();
  const held = await holdLock(path, times);
  rmSync(path);
  await vi.waitFor(() => expect(existsSync(path)).toBe(true), { timeout: 20_000 });
  expect(held.lost).toBe(false);
  writeFileSync(path, JSON.stringify({ ...self, token }));
  await vi.waitFor(() => expect(held.lost).toBe(true), { timeout: 20_000 });
  held.release();
  expect(existsSync(path)).toBe(true);
});
