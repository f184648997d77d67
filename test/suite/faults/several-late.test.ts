/**
 * Three collectors on one store, of which one at a time is cut from the store and then killed: a
 * turn that it acknowledged meanwhile is alarmed after its window, by the collector that evaluates
 * the rules then; a silence that is set at one collector is that of all, and outlasts each of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test, vi } from "vitest";

import { startGate } from "../../servers/tcp-gate.ts";
import { openReceiver, secret } from "../collector/alert-receiver.ts";
import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";
import { clickhouseServer, ingestToken, postgresServer, sendTurn } from "./shared-servers.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const windowMs = 10_000;
/** A collector passes on the receipt of a turn that it writes later than this. */
const lateMs = 8_000;
const rules = `version: 1
rules:
  - {name: errors, measure: error_share, by: agent, window: 10s, above: 0}
`;

interface Shown {
  readonly silences: readonly { readonly group: string | null }[];
}

async function silencedAt(url: string): Promise<readonly (string | null)[]> {
  const answer = await fetch(`${url}/alerts.json`, { headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Shown).silences.map(({ group }) => group);
}

async function silence(url: string, group: string): Promise<void> {
  const body = JSON.stringify({ rule: "errors", group, hours: 1 });
  const answer = await fetch(`${url}/alerts/silence`, { method: "POST", headers, body });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

// Most of the time here is waiting: for kills, windows and starts.
test.concurrent.for([
  { name: "PostgreSQL", startServer: postgresServer },
  { name: "ClickHouse", startServer: clickhouseServer },
])(
  "late turns and silences pass between collectors of $name",
  { timeout: 300_000 },
  async ({ startServer }, { onTestFinished }) => {
    const [server, receiver] = await Promise.all([startServer(), openReceiver()]);
    onTestFinished(async () => void (await server.close()));
    onTestFinished(() => receiver.close());
    const home = mkdtempSync(join(tmpdir(), "turnproof-late-"));
    onTestFinished(async () => rmSync(home, { recursive: true, force: true }));
    writeFileSync(join(home, "rules.yaml"), rules);
    const [variable = "", address = ""] =
      Object.entries(server.env).find(([name]) => name.endsWith("_URL")) ?? [];
    const gates = await Promise.all([0, 1, 2].map(() => startGate(Number(new URL(address).port))));
    onTestFinished(async () => void (await Promise.all(gates.map((gate) => gate.close()))));
    await Promise.all(gates.map((gate) => gate.set("open")));
    const start = (index: number, port?: string): Promise<CollectorChild> => {
      const through = new URL(address);
      through.port = String(gates[index]?.port);
      const env = {
        ...server.env,
        [variable]: through.href,
        TURNPROOF_GRPC_PORT: "off",
        TURNPROOF_UI_AUTH_TOKEN: token,
        TURNPROOF_INGEST_TOKENS: `desk:${ingestToken}`,
        TURNPROOF_UI_SESSION_SECRET: "k1:q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu",
        TURNPROOF_IDENTITY_KEY: "k1:m5DvHy2Qk9Ux4Wo7Jr1Ni8Ze3Ct6Lb0Pa",
        TURNPROOF_ALERT_RULES: join(home, "rules.yaml"),
        TURNPROOF_ALERT_TARGETS: `ops=webhook+${receiver.url}`,
        TURNPROOF_ALERT_SECRET: secret,
      };
      return startCollector(join(home, String(index)), env, port);
    };
    const all = [await start(0), ...(await Promise.all([start(1), start(2)]))];
    onTestFinished(async () => void (await Promise.all(all.map((one) => one.kill()))));
    const url = (index: number): string => all[index]?.url ?? "";
    const messages = (agent: string): readonly string[] =>
      receiver.got.flatMap(({ id, body }) => {
        const { type, data } = JSON.parse(body) as { type: string; data: { group: string } };
        return data.group === agent && type.endsWith("firing") ? id : [];
      });

    for (const index of [0, 1, 2]) {
      const { port } = new URL(url(index));
      const [next, last] = [(index + 1) % 3, (index + 2) % 3];
      const [late, quiet, loud] = [`late-${index}`, `quiet-${index}`, `loud-${index}`];
      await silence(url(index), quiet);
      for (const other of [next, last]) expect(await silencedAt(url(other))).toContain(quiet);
      // It acknowledges a turn that it cannot store, and is killed.
      await gates[index]?.set("away");
      await sendTurn(url(index), late, true);
      await all[index]?.kill();
      await sendTurn(url(next), quiet, true);
      await sendTurn(url(last), loud, true);
      await vi.waitFor(() => expect(messages(loud)).toHaveLength(1), 30_000);
      // The window of the turn has passed at the others when it is written.
      await sleep(windowMs + lateMs);
      expect(messages(late)).toEqual([]);
      await gates[index]?.set("open");
      all[index] = await start(index, port);
      await vi.waitFor(() => expect(messages(late).length).toBeGreaterThan(0), 40_000);
      expect(await silencedAt(url(index))).toContain(quiet);
    }
    for (const index of [0, 1, 2]) {
      // One message for each alert; none of what is silenced.
      for (const agent of [`late-${index}`, `loud-${index}`]) {
        expect([agent, new Set(messages(agent)).size]).toEqual([agent, 1]);
      }
      expect(messages(`quiet-${index}`)).toEqual([]);
    }
  },
);
