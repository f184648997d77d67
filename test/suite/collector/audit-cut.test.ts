/**
 * A cut of the audit log while the collector is stopped: in log, Health, metrics, settings and
 * doctor of the next start, and in `audit verify` without any log (security: Audit).
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, expect, test, vi } from "vitest";

import { run } from "../../../collector/src/cli/program.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };
const backend = { TURNPROOF_BACKEND: "filesystem", TURNPROOF_MEMORY_BACKEND: "none" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs a command over a data directory; its exit code and its JSON. */
async function command<T>(dataDir: string, ...words: string[]): Promise<[unknown, T]> {
  const env = { ...backend, TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_DATA_DIR: dataDir };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let out = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  await run(["node", "turnproof", ...words, "--json"]);
  return [process.exitCode, JSON.parse(out) as T];
}

async function requests(desk: Desk, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await desk.get("/traces/turns.json", headers);
}

test("a cut at the end is damage of the next start, everywhere, and stays so", async () => {
  const first = await openDesk({ ...backend, TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  await requests(first, 12);
  await first.collector.close();
  const { dataDir } = first;
  const file = join(dataDir, "audit.jsonl");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  writeFileSync(file, `${lines.slice(0, -1).join("\n")}\n`);
  const damage = { code: "audit_cut", record: 12, total: 1 };
  const env = { ...backend, TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_DATA_DIR: dataDir };
  for (const _ of ["first start", "second start"]) {
    const logged: unknown[] = [];
    const log = { info() {}, warn() {}, error: (...line: unknown[]) => void logged.push(line) };
    const desk = await openDesk(env, { judge: false, log });
    await requests(desk, 20);
    await vi.waitFor(async () => {
      const settings = await desk.json<{ audit: object }>("/settings.json", headers);
      expect(settings.audit).toMatchObject({ checked: true, damage });
    });
    expect(logged).toContainEqual([
      "audit_damaged",
      {
        code: "audit_cut",
        record: 12,
        count: 1,
        path: expect.stringMatching(/audit\.jsonl$/),
        command: "turnproof audit verify",
      },
    ]);
    interface Health {
      readonly collector: { readonly audit: object };
    }
    const health = await desk.json<Health>("/traces/health.json", headers);
    expect(health.collector.audit).toMatchObject({ damage });
    const metrics = await desk.get("/metrics", headers);
    expect(await metrics.text()).toMatch(/^turnproof_audit_damaged 1$/m);
    await desk.collector.close();
  }
  interface Doctor {
    readonly checks: readonly { check: string; state: string; message: string }[];
  }
  const [code, { checks }] = await command<Doctor>(dataDir, "doctor");
  const found = checks.find(({ check }) => check === "audit log");
  expect([code, found?.state, found?.message]).toEqual([
    1,
    "fail",
    expect.stringContaining("audit_cut from record 12"),
  ]);
});

test("shipped checkpoints without any log show a cut", async () => {
  const desk = await openDesk({ ...backend, TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  await requests(desk, 3);
  await desk.collector.close();
  const file = join(desk.dataDir, "audit.jsonl");
  const shipped = join(desk.dataDir, "shipped");
  writeFileSync(shipped, readFileSync(`${file}.checkpoints`));
  for (const rest of ["", ".checkpoints", ".tree", ".salts"]) rmSync(`${file}${rest}`);
  const words = ["audit", "verify", "--checkpoints", shipped];
  const [code, result] = await command<{ findings: unknown }>(desk.dataDir, ...words);
  expect([code, result.findings]).toEqual([1, [{ code: "audit_cut", record: 1 }]]);
});

test("a received checkpoint that is cut changes no exit code, unless none is whole", async () => {
  const desk = await openDesk({ ...backend, TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  await requests(desk, 12);
  await desk.collector.close();
  const { dataDir } = desk;
  const shipped = join(dataDir, "shipped");
  const note = readFileSync(join(dataDir, "audit.jsonl.checkpoints"), "utf8");
  const words = ["audit", "verify", "--checkpoints", shipped];
  writeFileSync(shipped, note.slice(0, 40) + note + note);
  const found = { ok: true, checkpoints: 2, checkpoints_cut: 1, findings: [] };
  const [code, result] = await command<object>(dataDir, ...words);
  expect([code, result]).toEqual([0, expect.objectContaining(found)]);
  let printed = "";
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  }
  await run(["node", "turnproof", ...words]);
  expect(printed).toContain("1 received checkpoint is there only in part");
  expect(printed).toContain("No record was changed or removed.");
  writeFileSync(shipped, note.slice(0, 40));
  await run(["node", "turnproof", ...words]);
  expect(process.exitCode).toBe(2);
  expect(printed).toContain("Each checkpoint is cut in what --checkpoints names");
});

test("a deletion sends the checkpoint that it makes", async () => {
  const desk = await openDesk({ ...backend, TURNPROOF_UI_AUTH_TOKEN: token }, { judge: false });
  await requests(desk, 3);
  await desk.collector.close();
  const shipped = join(desk.dataDir, "shipped");
  vi.stubEnv("TURNPROOF_AUDIT_SHIP", `file:${shipped}`);
  const [code] = await command(desk.dataDir, "delete-user", "canary-user", "--apply");
  expect(code ?? 0).toBe(0);
  const notes = readFileSync(join(desk.dataDir, "audit.jsonl.checkpoints"), "utf8");
  const [, , size] = notes.split("turnproof/audit\n");
  expect(size).toMatch(/^5\n/);
  expect(notes.endsWith(readFileSync(shipped, "utf8"))).toBe(true);
  expect(readFileSync(shipped, "utf8")).not.toBe("");
});
