/**
 * Cursors: they page without holes, and nothing but the very cursor opens (security: Keys; faults
 * T10).
 */
import { createHash } from "node:crypto";
import { filterHashInput } from "@turnproof/evidence";
import type { EventQuery } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openCursor, sealCursor } from "../../../collector/src/access/cursor-seal.ts";
import { openKeyring } from "../../../collector/src/access/stable-secret.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  anna: { token: "anna-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  vera: { token: "vera-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const secrets = "k2:w3BnJc8Xq5Lm1Vz7Ta4Ry9Kd2Ph6Sg0Ef,k1:q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu";
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

interface Page {
  readonly items: { readonly event_id: string }[];
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
}

let desk: Desk;
let now = Date.parse("2026-11-21T12:00:00Z");

beforeAll(async () => {
  const env = { TURNPROOF_UI_ACCOUNTS: accounts, TURNPROOF_UI_SESSION_SECRET: secrets };
  desk = await openDesk(env, { now: () => now });
  for (let index = 0; index < 20; index += 1) {
    const at = `2026-11-21T10:00:${String(index).padStart(2, "0")}.000000Z`;
    await desk.put(turnEvents({ root: `root-${index}`, user: "alice" }), at);
  }
});
afterAll(() => desk.collector.close());

async function first(path = "/traces/events.json?limit=7"): Promise<string> {
  const { next_cursor } = await desk.json<Page>(path, as("anna"));
  if (next_cursor === null) throw new Error("no cursor");
  return next_cursor;
}

async function code(path: string, headers = as("anna")): Promise<string | undefined> {
  const response = await desk.get(path, headers);
  if (response.status === 200) return undefined;
  expect(response.status).toBe(400);
  return ((await response.json()) as { code: string }).code;
}

test("pages join without hole or repetition, while new rows arrive", async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const after: string = cursor === null ? "" : `&cursor=${cursor}`;
    const page: Page = await desk.json<Page>(`/traces/events.json?limit=7${after}`, as("anna"));
    seen.push(...page.items.map((item) => item.event_id));
    expect(page.window_complete).toBe(false);
    cursor = page.next_cursor;
    pages += 1;
    const at = `2026-11-21T11:00:${String(pages).padStart(2, "0")}.000000Z`;
    await desk.put(turnEvents({ root: `late-${pages}`, user: "bob" }), at);
  } while (cursor !== null);
  expect(seen).toHaveLength(60);
  expect(new Set(seen).size).toBe(60);
});

test("the page size may change from page to page", async () => {
  expect(await code(`/traces/events.json?limit=9&cursor=${await first()}`)).toBeUndefined();
});

test("a page and its twin go on with each other's cursors", async () => {
  const cursor = await first("/traces/turns.json?limit=3");
  expect(await code(`/traces?limit=3&cursor=${cursor}`)).toBeUndefined();
});

describe("rejected with one indistinct error", () => {
  test.each([
    ["another filter", "/traces/events.json?limit=7&agent_id=helper", "anna"],
    ["another store", "/traces/events.json?limit=7&store=all", "anna"],
    ["another view", "/traces/events.json?limit=7&view=bundles", "anna"],
    ["another route", "/traces/turns.json?limit=7", "anna"],
    ["another route that finds", "/traces/find.json?limit=7&id=root-1", "anna"],
    ["another principal", "/traces/events.json?limit=7", "otto"],
    ["a narrower principal", "/traces/events.json?limit=7", "vera"],
  ])("%s", async (_what, path, name) => {
    expect(await code(`${path}&cursor=${await first()}`, as(name))).toBe("cursor_rejected");
  });

  test("age", async () => {
    const cursor = await first();
    now += limits.cursorAgeSecondsMax * 1000 - 1;
    expect(await code(`/traces/events.json?limit=7&cursor=${cursor}`)).toBeUndefined();
    now += 1;
    expect(await code(`/traces/events.json?limit=7&cursor=${cursor}`)).toBe("cursor_rejected");
  });

  test("every flipped bit, every truncation, every other spelling", async () => {
    const cursor = await first();
    const mutants = new Set<string>();
    for (let index = 0; index < cursor.length; index += 1) {
      for (const bit of [1, 2, 16]) {
        const flipped = String.fromCharCode(cursor.charCodeAt(index) ^ bit);
        mutants.add(cursor.slice(0, index) + flipped + cursor.slice(index + 1));
      }
      mutants.add(cursor.slice(0, index));
    }
    for (const end of ["A", "=", "==", ".", "%20", "\n"]) mutants.add(cursor + end);
    mutants.add(cursor.replace("v1.k2.", "v1.k1."));
    mutants.add(cursor.replace("v1.", "v2."));
    mutants.add(cursor.toUpperCase());
    mutants.delete(cursor);
    mutants.delete("");
    for (const mutant of mutants) {
      const path = `/traces/events.json?limit=7&cursor=${encodeURIComponent(mutant)}`;
      expect([mutant, await code(path)]).toEqual([mutant, "cursor_rejected"]);
    }
  });

  test("another deployment, and a key that was taken out of the ring", async () => {
    const cursor = await first();
    const open = (env: Record<string, string>): Promise<Desk> =>
      openDesk({ TURNPROOF_UI_ACCOUNTS: accounts, ...env }, { now: () => now, store: desk.store });
    const cases: [Record<string, string>, number][] = [
      [{ TURNPROOF_UI_SESSION_SECRET: secrets }, 200],
      [{ TURNPROOF_UI_SESSION_SECRET: `k3:m5DvHy2Qk9Ux4Wo7Jr1Ni8Ze3Ct6Lb0Pa,${secrets}` }, 200],
      [{ TURNPROOF_UI_SESSION_SECRET: secrets.split(",")[1] ?? "" }, 400],
      [{ TURNPROOF_UI_SESSION_SECRET: secrets, TURNPROOF_UI_AUDIT_SCOPE: "elsewhere" }, 400],
    ];
    for (const [env, status] of cases) {
      const other = await open(env);
      const path = `/traces/events.json?limit=7&cursor=${cursor}`;
      expect([env, (await other.get(path, as("anna"))).status]).toEqual([env, status]);
      await other.collector.close();
    }
  });

  // Lists of groups were in the order of their turns, `own_time`; they are in that of `last`.
  test.each(["/threads", "/agents"])(
    "a cursor of %s that an earlier version issued",
    async (route) => {
      await desk.put([
        ...turnEvents({ root: "other-1", agent: "other", thread: "thr-other" }),
        ...turnEvents({ root: "other-2", agent: "another", thread: "thr-another" }),
      ]);
      const path = `${route}.json?limit=1`;
      const keyring = openKeyring(secrets, desk.dataDir);
      const place = { deployment: "turnproof", route: `GET ${route}` };
      const text = openCursor(keyring, place, await first(path));
      const resealed = (sort: string): string => {
        const hashed = filterHashInput({ store: "trace", sort } as EventQuery, "groups");
        const filters = createHash("sha256").update(hashed).digest("hex");
        return sealCursor(keyring, place, text.replace(/(?<="filters":")[0-9a-f]{64}/, filters));
      };
      expect(await code(`${path}&cursor=${resealed("last")}`)).toBeUndefined();
      expect(await code(`${path}&cursor=${resealed("own_time")}`)).toBe("cursor_rejected");
    },
  );
});
