/**
 * Audit over HTTP: a record before every protected answer, and nothing without one (security:
 * Audit).
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test, vi } from "vitest";

import { proveInclusion } from "../../../collector/src/access/audit/proof.ts";
import { run } from "../../../collector/src/cli/program.ts";
import { openDesk, turnEvents } from "./desk.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };

function recordsOf(file: string): Record<string, unknown>[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("every protected answer has its record, without anything that was asked", async () => {
  const desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token });
  await desk.put(turnEvents({ root: "canary-root", user: "canary-user" }));
  const file = join(desk.dataDir, "audit.jsonl");
  const requestIds: string[] = [];
  for (const path of [
    "/traces/events.json?user_id=canary-user",
    "/traces/canary-root.json",
    "/traces/find.json?id=canary-find",
    "/traces/events.json?canary=1",
    "/traces/turns.json",
  ]) {
    const response = await desk.get(path, headers);
    requestIds.push(response.headers.get("x-request-id") ?? "");
    expect(recordsOf(file).at(-1)?.["req"]).toBe(requestIds.at(-1));
  }
  await desk.get("/traces/turns.json", { authorization: "Bearer canary-q7KxZt4Wm9Rc2Yd8" });
  await desk.get("/healthz");
  const records = recordsOf(file);
  expect(records.map((record) => [record["event"], record["result"]])).toEqual([
    ["events.read", "ok"],
    ["turn.read", "ok"],
    ["find.read", "ok"],
    ["events.read", "status_400"],
    ["turns.read", "ok"],
    ["credential.refused", "unauthenticated"],
  ]);
  expect(records[1]?.["route"]).toBe("GET /traces/:root_trace_id");
  const text = readFileSync(file, "utf8");
  for (const word of ["canary", token, "operator-token", "user_id="])
    expect(text).not.toContain(word);
  await desk.collector.close();
});

test("a signed statement is in the log by its hash, under a salt that goes with its user", async () => {
  const backend = { TURNPROOF_BACKEND: "filesystem", TURNPROOF_MEMORY_BACKEND: "none" };
  const desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token, ...backend }, { judge: false });
  await desk.put(turnEvents({ root: "signed-root", user: "canary-user" }));
  const requested = "agent_id=helper&root_trace_id=signed-root&user_id=canary-user";
  const answer = await desk.get(`/traces/reconcile.jws?${requested}`, headers);
  const jws = await answer.text();
  expect([answer.status, answer.headers.get("x-turnproof-logged")]).toEqual([200, null]);
  const file = join(desk.dataDir, "audit.jsonl");
  const hash = createHash("sha256").update(jws).digest("hex");
  expect(recordsOf(file).at(-1)).toMatchObject({ result: "ok", statement: hash });
  const subject = String(recordsOf(file).at(-1)?.["subject"]);
  const salts = (): string => readFileSync(`${file}.salts`, "utf8");
  expect(salts()).toContain(`${subject} `);
  expect(readFileSync(file, "utf8") + salts()).not.toContain("canary");
  const proof = await proveInclusion(file, jws);
  await desk.collector.close();
  const env = { ...backend, TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_DATA_DIR: desk.dataDir };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  await run(["node", "turnproof", "delete-user", "canary-user", "--apply", "--json"]);
  vi.unstubAllEnvs();
  expect(salts()).not.toContain(`${subject} `);
  const size = proof?.size ?? 0;
  expect(await proveInclusion(file, jws, size)).toEqual(proof);
});

test("concurrent answers and records are equal in number", async () => {
  const desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token });
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => desk.get("/traces/turns.json", headers)),
  );
  expect(answers.every((response) => response.status === 200)).toBe(true);
  expect(recordsOf(join(desk.dataDir, "audit.jsonl"))).toHaveLength(100);
  await desk.collector.close();
});

test("what cannot be recorded is not served, and liveness still is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnproof-audited-"));
  const file = join(folder, "log", "audit.jsonl");
  const desk = await openDesk({ TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_UI_AUDIT_LOG: file });
  expect((await desk.get("/traces/turns.json", headers)).status).toBe(200);
  // The folder is gone and cannot be made again: a file stands in its place.
  renameSync(join(folder, "log"), join(folder, "elsewhere"));
  for (let index = 0; index < 3; index += 1) {
    const refused = await desk.get("/traces/turns.json", headers);
    expect(refused.status).toBe(503);
    expect(((await refused.json()) as { code: string }).code).toBe("audit_unavailable");
  }
  expect((await desk.get("/healthz")).status).toBe(200);
  // Spans are taken all the same.
  expect((await desk.get("/readyz")).status).toBe(200);
  mkdirSync(join(folder, "log"));
  chmodSync(join(folder, "log"), 0o700);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect((await desk.get("/traces/turns.json", headers)).status).toBe(200);
  expect((await desk.get("/readyz")).status).toBe(200);
  await desk.collector.close();
  rmSync(folder, { recursive: true });
});

test("a collector whose audit log cannot be opened does not start", async () => {
  const opening = openDesk({
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_UI_AUDIT_LOG: "/proc/audit.jsonl",
  });
  await expect(opening).rejects.toMatchObject({ code: "audit_unavailable" });
});
