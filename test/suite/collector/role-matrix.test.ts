/**
 * Every route × every caller, against a table that was written by hand and shares no line with the
 * collector's own: the exact status, and no row of another tenant (security: Principals).
 */
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";
import { endpoints } from "turnproof";
import type { Collector } from "turnproof";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk } from "./desk.ts";
import { callers, elsewhere, table } from "./role-table.ts";
import type { Requested, Caller } from "./role-table.ts";
import {
  evidenceOf,
  fillWorld,
  hooks,
  ingestToken,
  marker,
  owners,
  roleEnv,
  token,
} from "./role-world.ts";
import type { Owner } from "./role-world.ts";

/** The evidence of its own that each caller's request is about. */
const target: { readonly [A in Caller]?: Owner } = { shop: "dora", anonymous: "null" };
const targetOf = (caller: Caller): Owner => target[caller] ?? "alice";

let now = Date.parse("2026-11-21T12:00:00Z");
let store: EvidenceStore;
let memory: MemoryStore;
let open: Collector;
let readOnly: Collector;
let cookies: { readonly expired: string; readonly revoked: string };

beforeAll(async () => {
  store = ephemeral();
  memory = ephemeralMemory();
  const options = { store, memory, hooks, judge: false, now: () => now } as const;
  open = (await openDesk(roleEnv, options)).collector;
  const desk = await openDesk({ ...roleEnv, TURNPROOF_UI_READ_ONLY: "true" }, options);
  readOnly = desk.collector;
  await fillWorld(desk, memory);
  cookies = { expired: await signIn(), revoked: await signIn() };
  const ended = await request(open, "/logout", {
    method: "POST",
    headers: { cookie: cookies.revoked, ...(await csrf(cookies.revoked)) },
  });
  expect(ended.status).toBe(303);
  now += 31 * 60_000;
});
afterAll(async () => {
  await open.close();
  await readOnly.close();
});

/** Every request is of another address and minute: no caller waits for the mistakes of another. */
let address = 0;
async function request(
  collector: Collector,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  now += path.startsWith("/v1/") ? 61_000 : 2_000;
  address += 1;
  const remoteAddress = `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
  const url = `http://localhost:4318${path}`;
  // The receiver reads Node's own request where there is one.
  if (path.startsWith("/v1/")) return collector.app.request(url, init);
  return collector.app.request(url, init, { incoming: { socket: { remoteAddress } } });
}

async function signIn(): Promise<string> {
  const response = await request(open, "/login", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `token=${token("admin")}`,
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function csrf(cookie: string): Promise<Record<string, string>> {
  const page = await (await request(open, "/settings", { headers: { cookie } })).text();
  const value = /name="csrf_token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  return {
    "x-csrf-token": value,
    origin: "http://localhost:4318",
    "sec-fetch-site": "same-origin",
  };
}

function credential(caller: Caller): Record<string, string> {
  if (caller === "missing") return {};
  if (caller === "producer") return { authorization: `Bearer ${ingestToken}` };
  if (caller === "expired" || caller === "revoked") return { cookie: cookies[caller] };
  return { authorization: `Bearer ${token(caller === "readOnly" ? "admin" : caller)}` };
}

async function fetchAnswer(
  route: string,
  requested: Requested,
  caller: Caller,
  owner: Owner,
): Promise<Response> {
  const [method = "GET"] = route.split(" ");
  const fill = (text: string): string =>
    text.replaceAll(/(root|agent|thread|letter)-O/g, `$1-${owner}`);
  const body =
    requested.form ??
    (requested.body === undefined ? undefined : fill(JSON.stringify(requested.body)));
  const type =
    requested.form === undefined ? "application/json" : "application/x-www-form-urlencoded";
  return request(caller === "readOnly" ? readOnly : open, fill(requested.path), {
    method,
    headers: {
      ...credential(caller),
      ...(body === undefined ? {} : { "content-type": type }),
      ...(requested.accept === undefined ? {} : { accept: requested.accept }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

test("the table by hand and the collector know the same routes", () => {
  const known = Object.keys(endpoints).filter((route) => !elsewhere.has(route));
  expect(Object.keys(table).toSorted()).toEqual(known.toSorted());
});

const rows = Object.entries(table);

describe("status of", () => {
  test.each(rows)("%s", async (route, [statuses, requested]) => {
    const expected = statuses.split(" ");
    expect(expected).toHaveLength(callers.length);
    const got: string[] = [];
    for (const [index, caller] of callers.entries()) {
      const response = await fetchAnswer(route, requested, caller, targetOf(caller));
      const status = String(response.status);
      got.push(expected[index] === "2xx" ? status.replace(/^2\d\d$/, "2xx") : status);
      const type = response.headers.get("content-type") ?? "";
      if (response.status >= 400 && !route.includes("/v1/")) {
        expect([route, caller, type]).toEqual([
          route,
          caller,
          "application/problem+json; charset=UTF-8",
        ]);
      }
      if (response.status === 401) {
        expect([route, response.headers.get("www-authenticate")]).toEqual([route, "Bearer"]);
      }
      await response.body?.cancel();
    }
    expect([route, got.join(" ")]).toEqual([route, statuses]);
  });
});

/** Whose markers each scoped caller sees at most. */
const visible: { readonly [A in Caller]?: readonly Owner[] } = {
  alice: ["alice"],
  shop: ["dora"],
  anonymous: ["null"],
};

/** What an event stream sent before it was closed; any other answer whole. */
async function stated(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.includes("event-stream")) return response.text();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value;
}

describe.each(["alice", "shop", "anonymous"] as const)("%s never sees a foreign row", (caller) => {
  const foreign = (Object.keys(owners) as Owner[]).filter(
    (owner) => !(visible[caller] ?? []).includes(owner),
  );
  const reads = rows.filter(([route]) => route !== "POST /logout" && !route.includes("/v1/"));
  test.each(reads)("%s", async (route, [, requested]) => {
    for (const owner of Object.keys(owners) as Owner[]) {
      const text = await stated(await fetchAnswer(route, requested, caller, owner));
      for (const other of foreign) {
        expect([route, owner, other, text.includes(marker(other))]).toEqual([
          route,
          owner,
          other,
          false,
        ]);
      }
    }
  });

  test("what it sees is there", async () => {
    const [own = "alice"] = visible[caller] ?? [];
    for (const path of ["/traces/turns.json", "/traces/events.json", `/traces/root-${own}.json`]) {
      const response = await request(open, path, { headers: credential(caller) });
      expect([path, (await response.text()).includes(marker(own))]).toEqual([path, true]);
    }
  });

  test("of a root of several tenants it is shown, told and given its own turn", async () => {
    const query = "agent_id=agent-shared&root_trace_id=root-shared";
    const [own = "alice"] = visible[caller] ?? [];
    for (const path of [
      "/traces/root-shared.json",
      `/traces/reconcile.json?${query}`,
      `/traces/compare.json?agent_id=agent-shared&baseline_root=root-shared&candidate_root=root-shared`,
      `/traces/replay-plan.json?${query}`,
      "/traces/analysis.json?root_trace_id=root-shared",
    ]) {
      const response = await request(open, path, { headers: credential(caller) });
      const text = await response.text();
      expect([path, response.status]).toEqual([path, 200]);
      for (const other of foreign) expect(text).not.toContain(`turn-${other}`);
    }
    const signed = await request(open, `/traces/reconcile.jws?${query}`, {
      headers: credential(caller),
    });
    const payload = (await signed.text()).split(".")[1] ?? "";
    const statement = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    const user = owners[own].user;
    expect(statement).toMatchObject({ event_count: 3, identity: { user_id: user } });
    const events = await request(open, "/traces/events.json?root_trace_id=root-shared", {
      headers: credential(caller),
    });
    const { items } = (await events.json()) as { items: { turn_id: string }[] };
    expect(new Set(items.map((item) => item.turn_id))).toEqual(new Set([`turn-${own}`]));
  });

  test("the live tail tells it its own news alone", async () => {
    const [own = "alice"] = visible[caller] ?? [];
    const response = await request(open, "/traces/live", { headers: credential(caller) });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const received = new Date(now + 1_000).toISOString().replace("Z", "000Z");
    for (const owner of [...foreign, own]) {
      await store.append({
        batchId: `live-${caller}-${owner}`,
        receivedAt: received,
        events: evidenceOf(owner, `live-${caller}-${owner}`),
      });
    }
    // Its own batch came last: when it is announced, every other one was readable.
    while (!text.includes(`live-${caller}-${own}-tool`)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      text += value ?? "";
    }
    await reader?.cancel();
    expect(text).toContain(marker(own));
    for (const other of foreign) expect(text).not.toContain(marker(other));
  });
});
