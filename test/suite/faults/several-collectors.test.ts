/**
 * Three collectors behind a balancer on one store, of which one at a time is killed: requests go
 * on, nothing acknowledged is lost, each turn has one verdict, an alert has one message, and a
 * session, a cursor and a live tail are the same at each of them.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, test, vi } from "vitest";

import { startBalancer } from "../../servers/balancer.ts";
import { openReceiver, secret } from "../collector/alert-receiver.ts";
import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";
import { clickhouseServer, ingestToken, postgresServer, sendTurn } from "./shared-servers.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const rules = `version: 1
rules:
  - {name: errors, measure: error_share, by: agent, where: "-agent:calm", window: 1h, above: 0}
`;

let closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.toReversed()) await close();
  closes = [];
});

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: url, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token }).toString(),
  });
  expect(answer.status).toBe(303);
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function signOut(url: string, cookie: string): Promise<void> {
  const page = await (await fetch(`${url}/settings`, { headers: { cookie } })).text();
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const headers = { cookie, origin: url, "x-csrf-token": csrf };
  const answer = await fetch(`${url}/logout`, { method: "POST", redirect: "manual", headers });
  expect(answer.status).toBe(303);
}

/** Reads the list, again where it met the collector that was just killed or starts. */
async function reads(url: string, cookie: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const list = fetch(`${url}/traces/turns.json?limit=2`, { headers: { cookie } });
    const status = await list.then(
      async (answer) => (await answer.text()) && answer.status,
      () => 0,
    );
    if (status === 200) return;
    // A session is valid at each of them.
    expect([0, 503]).toContain(status);
    await sleep(100);
  }
  throw new Error("the list was not read");
}

interface TurnsPage {
  readonly items: readonly { readonly root_trace_id: string; readonly verdict: string | null }[];
  readonly next_cursor: string | null;
}

async function json<T>(url: string, cookie: string): Promise<T> {
  const answer = await fetch(url, { headers: { cookie } });
  expect([url, answer.status]).toEqual([url, 200]);
  return (await answer.json()) as T;
}

/** A page of the walk over all turns, oldest first, so that a new one changes no page before it. */
function walkPage(url: string, cookie: string, cursor: string | null): Promise<TurnsPage> {
  const query = new URLSearchParams({ limit: "2", sort: "first_received", order: "ascending" });
  if (cursor !== null) query.set("cursor", cursor);
  return json(`${url}/traces/turns.json?${query}`, cookie);
}

/** What a live tail has sent so far. */
async function tail(url: string, cookie: string): Promise<() => string> {
  const answer = await fetch(`${url}/traces/live`, { headers: { cookie } });
  let text = "";
  void (async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  return () => text;
}

test.each([
  ["PostgreSQL", postgresServer],
  ["ClickHouse", clickhouseServer],
])("three collectors on one %s are one", { timeout: 240_000 }, async (_name, startServer) => {
  const [server, receiver] = await Promise.all([startServer(), openReceiver()]);
  closes.push(
    () => server.close(),
    () => receiver.close(),
  );
  const home = mkdtempSync(join(tmpdir(), "turnproof-several-"));
  closes.push(async () => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "rules.yaml"), rules);
  const env = {
    ...server.env,
    TURNPROOF_GRPC_PORT: "off",
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_INGEST_TOKENS: `desk:${ingestToken}`,
    TURNPROOF_UI_SESSION_SECRET: "k1:q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu",
    TURNPROOF_IDENTITY_KEY: "k1:m5DvHy2Qk9Ux4Wo7Jr1Ni8Ze3Ct6Lb0Pa",
    TURNPROOF_ALERT_RULES: join(home, "rules.yaml"),
    TURNPROOF_ALERT_TARGETS: `ops=webhook+${receiver.url}`,
    TURNPROOF_ALERT_SECRET: secret,
  };
  const start = (index: number, port?: string): Promise<CollectorChild> =>
    startCollector(join(home, String(index)), env, port);
  // The first makes the tables.
  const all = [await start(0), ...(await Promise.all([start(1), start(2)]))];
  closes.push(() => Promise.all(all.map((one) => one.kill())));
  const url = (index: number): string => all[index]?.url ?? "";
  const balancer = await startBalancer(all.map((one) => Number(new URL(one.url).port)));
  closes.push(() => balancer.close());

  // Turns arrive all the time, and the list is read.
  const cookie = await signIn(url(0));
  const roots: string[] = [];
  let going = true;
  const stream = (async () => {
    while (going) {
      roots.push(await sendTurn(balancer.url, "calm", false));
      await reads(balancer.url, cookie);
      // Slower than a walk, which meets the newest turns last.
      await sleep(1_000);
    }
  })();
  stream.catch(() => {});

  const alarms = (): string[] =>
    receiver.got.map(({ body }) => (JSON.parse(body) as { data: { group: string } }).data.group);
  const agents: string[] = [];
  for (const index of [0, 1, 2]) {
    const { port } = new URL(url(index));
    const [next, last] = [(index + 1) % 3, (index + 2) % 3];
    roots.push(await sendTurn(url(next), "calm", false), await sendTurn(url(last), "calm", false));
    const known = roots.slice(-2);
    // Each turn is listed before the walk begins.
    await vi.waitFor(async () => {
      const listed = new Set((await server.rows()).map(([root]) => root));
      expect(known.filter((root) => !listed.has(root))).toEqual([]);
    }, 30_000);
    const begun = await walkPage(url(index), cookie, null);
    const living = await tail(url(next), cookie);
    await all[index]?.kill();
    const agent = `agent-${index}`;
    agents.push(agent);
    const broken = await sendTurn(balancer.url, agent, true);
    roots.push(broken);
    await vi.waitFor(() => expect(alarms()).toContain(agent), 30_000);
    // While it is away, a living tail shows the turn, the judge of another settles it, and a walk
    // that began at the killed collector goes on.
    await vi.waitFor(() => expect(living()).toContain(broken), 30_000);
    await vi.waitFor(async () => {
      const verdicts = new Map(await server.rows());
      expect(verdicts.get(broken)).toBe("unknown");
    }, 30_000);
    const found = [...begun.items];
    let cursor = begun.next_cursor;
    for (let page = 0; cursor !== null; page += 1) {
      const more = await walkPage(url(page % 2 === 0 ? next : last), cookie, cursor);
      found.push(...more.items);
      cursor = more.next_cursor;
    }
    // A turn of which one span has arrived has a row of its own until the other names the turn, so
    // a walk may meet both; a judged row is met once.
    const walked = found.filter(({ verdict }) => verdict !== null).map((one) => one.root_trace_id);
    expect(new Set(walked).size).toBe(walked.length);
    expect(found.map((one) => one.root_trace_id)).toEqual(expect.arrayContaining(known));
    all[index] = await start(index, port);
  }
  going = false;
  await stream;

  // What a tail shows is what another collector receives.
  const shown = await tail(url(0), cookie);
  roots.push(await sendTurn(url(2), "calm", false));
  await vi.waitFor(() => expect(shown()).toContain(roots.at(-1)), 20_000);

  // Nothing acknowledged is lost, and no turn has two rows.
  const expected = roots.map((root) => `${root} unknown`).toSorted();
  const stored = async (): Promise<string[]> =>
    (await server.rows()).map(([root, verdict]) => `${root} ${verdict}`).toSorted();
  await vi.waitFor(async () => expect(await stored()).toEqual(expected), 40_000);

  // A walk goes from collector to collector.
  const walked: string[] = [];
  let after: string | null = null;
  for (let page = 0; page === 0 || after !== null; page += 1) {
    const query = new URLSearchParams({ limit: String(Math.ceil(roots.length / 4)) });
    if (after !== null) query.set("cursor", after);
    const at = `${url(page % 3)}/traces/turns.json?${query}`;
    const found: TurnsPage = await json(at, cookie);
    walked.push(...found.items.map((turn) => turn.root_trace_id));
    after = found.next_cursor;
  }
  expect(walked.toSorted()).toEqual(roots.toSorted());

  // One message for each alert; a kill between delivery and its record repeats it under its id.
  const ids = Map.groupBy(receiver.got, ({ id }) => id);
  expect([ids.size, new Set(alarms())]).toEqual([agents.length, new Set(agents)]);
  for (const same of ids.values()) expect(new Set(same.map(({ body }) => body)).size).toBe(1);
  for (const index of [0, 1, 2]) {
    await vi.waitFor(async () => {
      const model = await json<{ firing: { group: string }[] }>(
        `${url(index)}/alerts.json`,
        cookie,
      );
      expect(model.firing.map(({ group }) => group).toSorted()).toEqual(agents);
    }, 60_000);
  }

  await signOut(url(1), cookie);
  for (const index of [0, 1, 2]) {
    const answer = await fetch(`${url(index)}/traces/turns.json`, { headers: { cookie } });
    expect(answer.status).toBe(401);
  }
  await vi.waitFor(() => expect(shown()).toContain("session_ended"), 10_000);
});
