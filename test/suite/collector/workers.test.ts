/**
 * Several collectors of one deployment: what they share by configuration, what each has for itself,
 * and what they refuse to share (requirements: Authentication 1; security: Principals).
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const account = { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "admin" };
const deployment = {
  TURNPROOF_UI_ACCOUNTS: JSON.stringify({ otto: account }),
  TURNPROOF_UI_SESSION_SECRET: "k1:q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu",
  TURNPROOF_UI_PSEUDONYM_KEY: "p1:w3BnJc8Xq5Lm1Vz7Ta4Ry9Kd2Ph6Sg0Ef",
  TURNPROOF_UI_AUDIT_SCOPE: "newsroom",
};
const bearer = { authorization: `Bearer ${account.token}` };

test("a data directory has one collector; a second one is refused with a code", async () => {
  const first = await openDesk(deployment);
  const { dataDir } = first;
  for (const env of [deployment, {}]) {
    await expect(openDesk({ ...env, TURNPROOF_DATA_DIR: dataDir })).rejects.toMatchObject({
      code: "journal_locked",
    });
  }
  // A refused caller took nothing away.
  expect((await first.get("/traces/turns.json", bearer)).status).toBe(200);
  await first.collector.close();
  const next = await openDesk({ ...deployment, TURNPROOF_DATA_DIR: dataDir });
  await next.collector.close();
});

test("an audit file has one writer", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-audit-file-")), "audit.jsonl");
  const env = { ...deployment, TURNPROOF_UI_AUDIT_LOG: file };
  const first = await openDesk(env);
  await expect(openDesk(env)).rejects.toMatchObject({ code: "audit_unavailable" });
  await first.collector.close();
});

async function signIn(desk: Desk): Promise<string> {
  const response = await desk.collector.app.request("http://localhost:4318/login", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `token=${account.token}`,
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("workers share evidence, cursors and pseudonyms; a session is one worker's own", async () => {
  const store = ephemeral();
  const [here, there] = [
    await openDesk(deployment, { store }),
    await openDesk(deployment, { store }),
  ];
  await here.put(turnEvents({ root: "root-1", user: "alice" }));
  await here.put(turnEvents({ root: "root-2", user: "alice" }), "2026-11-21T10:00:01.000000Z");
  const page = await here.json<{ next_cursor: string }>("/traces/events.json?limit=2", bearer);
  const path = `/traces/events.json?limit=2&cursor=${page.next_cursor}`;
  expect((await there.get(path, bearer)).status).toBe(200);

  const cookie = await signIn(here);
  expect((await here.get("/traces/turns.json", { cookie })).status).toBe(200);
  expect((await there.get("/traces/turns.json", { cookie })).status).toBe(401);

  await here.collector.close();
  await there.collector.close();
  const operators = [here, there].map(({ dataDir }) => {
    const lines = readFileSync(join(dataDir, "audit.jsonl"), "utf8").trimEnd().split("\n");
    const names = lines.map((line) => (JSON.parse(line) as { op?: string }).op);
    return new Set(names.filter((name) => name !== undefined));
  });
  expect(operators[0]?.size).toBe(1);
  expect(operators[0]).toEqual(operators[1]);
});
