/** What several collectors share through their store: sessions, a lease, alerts. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { ephemeral } from "@turnproof/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createKeyring } from "../../../collector/src/access/keyring.ts";
import { shareSessions } from "../../../collector/src/access/session-share.ts";
import { createSessions } from "../../../collector/src/access/sessions.ts";
import type { Sessions } from "../../../collector/src/access/sessions.ts";
import { createStreams } from "../../../collector/src/access/streams.ts";
import { fileStorage, sharedKeep } from "../../../collector/src/alerts/alert-storage.ts";
import { noAlerts } from "../../../collector/src/alerts/alert-state.ts";
import { readJudgeInput } from "../../../collector/src/judge/judge-input.ts";
import type { JournalLosses } from "../../../collector/src/receive/otlp/journal-losses.ts";
import { collectorName, shareLosses } from "../../../collector/src/receive/shared-losses.ts";
import { Lease } from "../../../collector/src/backend/lease.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import { measureParts, openAlerts, putTurns } from "./alert-desk.ts";
import type { Clock } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";
import { stateRows } from "./state-rows.ts";
import type { StateRows } from "./state-rows.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const times = { renewMs: 10, holdMs: 150, settleMs: 10 };
const keyring = createKeyring(parseKeyring("k1:q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu"));

let state: StateRows;
let closes: (() => Promise<void>)[];
beforeEach(() => {
  state = stateRows();
  closes = [];
});
afterEach(async () => {
  await Promise.all(closes.map((close) => close()));
});

let at = start;
function sessionsOf(): Sessions {
  const share = shareSessions(state);
  closes.push(async () => share.close());
  return createSessions({ keyring, share, now: () => at });
}

test("a session is valid at each collector, and its end reaches each of them at once", async () => {
  const [a, b, c] = [sessionsOf(), sessionsOf(), sessionsOf()];
  const { cookie, id, csrfToken } = await a.open({ principal: "otto", credential: "digest" });
  expect(await b.find(cookie)).toMatchObject({ id, csrfToken });
  expect(await c.find(cookie)).toMatchObject({ session: { principal: "otto" } });
  // Used at one of them only, it is not idle at the others.
  for (let used = 0; used < 3; used += 1) {
    at += 20 * 60_000;
    expect(await b.find(cookie)).toBeDefined();
  }
  expect(await c.find(cookie)).toBeDefined();
  // Nor when it is used all the time.
  for (let used = 0; used < 400; used += 1) {
    at += 5_000;
    expect(await b.find(cookie)).toBeDefined();
  }
  expect(await c.find(cookie)).toBeDefined();
  const ended = vi.fn();
  a.onEnded(ended);
  await a.refresh([id]);
  await c.end(id);
  expect(await b.find(cookie)).toBeUndefined();
  // A stream has no request: it is looked up.
  expect(a.alive(id)).toBe(true);
  await a.refresh([id]);
  expect([a.alive(id), ended.mock.calls.length]).toEqual([false, 1]);
  // The last use of another collector, written late, brings nothing back.
  await shareSessions(state).put(id, {
    principal: "otto",
    createdAt: at,
    credential: "digest",
    seenAt: at + 1,
  });
  expect(await sessionsOf().find(cookie)).toBeUndefined();
});

test("without the store a session goes on where it was seen, and a sign-out there is kept", async () => {
  const [a, b] = [sessionsOf(), sessionsOf()];
  const { cookie, id } = await a.open({ principal: "otto", credential: "digest" });
  state.away = true;
  expect(await a.find(cookie)).toBeDefined();
  // Whether it is valid is not known where it was not seen.
  expect(await b.find(cookie)).toBe("away");
  await a.end(id);
  expect(await a.find(cookie)).toBeUndefined();
  state.away = false;
  await vi.waitFor(async () => expect((await state.read("session", id))?.value).toBe(""), 10_000);
  expect(await sessionsOf().find(cookie)).toBeUndefined();
});

test("a sign-out while the store is away is written when the collector closes", async () => {
  const share = shareSessions(state);
  const sessions = createSessions({ keyring, share, now: () => at });
  const { cookie, id } = await sessions.open({ principal: "otto", credential: "digest" });
  state.away = true;
  await sessions.end(id);
  state.away = false;
  await share.close();
  expect(await sessionsOf().find(cookie)).toBeUndefined();
});

test("a sign-out is kept through a crash while the store is away, of a provider's session too", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-ends-")), "ended-sessions.json");
  const crashed = createSessions({ keyring, share: shareSessions(state, file), now: () => at });
  const issued = { name: "oidc:vera", role: "viewer", userId: "acme" } as const;
  const opener = { principal: issued.name, credential: "provider", issued };
  const [kept, ended] = [await crashed.open(opener), await crashed.open(opener)];
  expect(await sessionsOf().find(kept.cookie)).toMatchObject({ session: opener });
  state.away = true;
  await crashed.end(ended.id);
  expect(readFileSync(file, "utf8")).toContain(ended.id);
  // What is left of the process is its file. It has no session, and its text opens none.
  const share = shareSessions(state, file);
  const restarted = createSessions({ keyring, share, now: () => at });
  expect(await restarted.find(ended.cookie)).toBeUndefined();
  expect(await restarted.find(kept.cookie)).toBe("away");
  state.away = false;
  const isWritten = async (): Promise<void> =>
    expect((await state.read("session", ended.id))?.value).toBe("");
  await vi.waitFor(isWritten, 10_000);
  await vi.waitFor(() => expect(readFileSync(file, "utf8")).toBe("[]"), 10_000);
  expect(await sessionsOf().find(ended.cookie)).toBeUndefined();
  // A failed read is not repeated at once.
  const isKnown = async (): Promise<void> =>
    expect(await restarted.find(kept.cookie)).toMatchObject({ session: opener });
  await vi.waitFor(isKnown, 10_000);
  await share.close();
});

test("a slow store has one round of looks for streams at a time", async () => {
  const rounds: PromiseWithResolvers<void>[] = [];
  const refresh = (): Promise<void> => {
    rounds.push(Promise.withResolvers<void>());
    return rounds.at(-1)?.promise ?? Promise.resolve();
  };
  const streams = createStreams({
    sessions: { ...sessionsOf(), refresh, alive: () => true },
    credentials: { byName: () => undefined } as never,
    closing: new AbortController().signal,
    reviewMs: 5,
  });
  const principal = { name: "otto", role: "viewer", via: "session" } as const;
  streams.hold({ principal, session: "a" });
  await vi.waitFor(() => expect(rounds).toHaveLength(1));
  await sleep(50);
  expect(rounds).toHaveLength(1);
  rounds[0]?.resolve();
  await vi.waitFor(() => expect(rounds).toHaveLength(2));
  streams.close();
});

function leaseOf(): Lease {
  const lease = new Lease(state, "one", times);
  closes.push(() => lease.close());
  lease.start();
  return lease;
}

test("one collector has the lease, the next after it is gone or silent, under a larger term", async () => {
  const leases = [leaseOf(), leaseOf(), leaseOf()];
  const holders = (): Lease[] => leases.filter(({ term }) => term !== undefined);
  await vi.waitFor(() => expect(holders()).toHaveLength(1), 5_000);
  const [first] = holders();
  await first?.close();
  await vi.waitFor(() => expect(holders()).toHaveLength(1), 5_000);
  expect(holders()[0]).not.toBe(first);
  expect(holders()[0]?.term).toBe(2);
  state.away = true;
  await vi.waitFor(() => expect(holders()).toHaveLength(0), 5_000);
  state.away = false;
  await vi.waitFor(() => expect(holders()).toHaveLength(1), 5_000);
});

test("what the journal of one collector lost, each of them judges with", async () => {
  const nothing = { quarantined_roots: [], losses: [] };
  let lost: JournalLosses = nothing;
  const directory = mkdtempSync(join(tmpdir(), "turnproof-collector-"));
  const name = collectorName(directory);
  expect(collectorName(directory)).toBe(name);
  // A crash between the making of the file and its content.
  const torn = mkdtempSync(join(tmpdir(), "turnproof-collector-"));
  writeFileSync(join(torn, "collector-id"), "");
  expect(collectorName(torn)).toMatch(/^[0-9a-f-]{36}$/);
  expect(collectorName(torn)).not.toBe(name);
  const warn = vi.fn();
  const a = shareLosses(state, name, () => lost, { warn });
  const own = { ...nothing, quarantined_roots: ["own"] };
  const b = shareLosses(state, "b", () => own, { warn });
  closes.push(
    async () => a.close(),
    async () => b.close(),
  );
  const interval = {
    from: null,
    to: "2026-11-21T12:00:00Z",
    lost: 3,
    sampled_out: 0,
    write_failures: 0,
  };
  lost = { quarantined_roots: ["bad"], losses: [interval] };
  await a.exchange();
  await b.exchange();
  expect(b.losses()).toEqual({ quarantined_roots: ["bad", "own"], losses: [interval] });
  // A row that cannot be read hides no other, and its collector may have lost anything.
  const keepUntilMs = Date.now() + 60_000;
  await state.write("losses", { name: "c", version: 1, value: "no row", keepUntilMs });
  await a.exchange();
  await a.exchange();
  const { quarantined_roots: roots, losses } = a.losses();
  expect([roots, losses]).toMatchObject([
    ["bad", "own"],
    [interval, { from: null, lost: 1 }],
  ]);
  expect(warn.mock.calls).toEqual([["losses_unreadable", { field: "c" }]]);
  const cLost = { quarantined_roots: ["of c"], losses: [] };
  const write = async (version: number, value: string): Promise<void> => {
    await state.write("losses", { name: "c", version, value, keepUntilMs });
    await a.exchange();
  };
  await write(2, JSON.stringify(cLost));
  const all = { quarantined_roots: ["bad", "of c", "own"], losses: [interval] };
  expect(a.losses()).toEqual(all);
  // What was known of it stays.
  await write(3, "{}");
  expect(a.losses()).toEqual(all);
  await write(4, JSON.stringify(nothing));
  // A collector that only reads knows them, and writes none.
  state.away = true;
  const reader = shareLosses(state, null, () => nothing, { warn });
  closes.push(async () => reader.close());
  await expect(reader.known()).rejects.toMatchObject({ code: "store_unavailable" });
  expect(warn).toHaveBeenCalledWith("losses_not_exchanged", { code: "store_unavailable" });
  // No turn is judged without them.
  const parts = await measureParts(ephemeral(), { ms: start });
  const ingest = { ...parts.ingest, othersKnown: () => reader.known() };
  const judged = readJudgeInput({ ...parts, ingest });
  await expect(judged).rejects.toMatchObject({ code: "store_unavailable" });
  state.away = false;
  await reader.known();
  expect(reader.losses()).toEqual({ quarantined_roots: ["bad", "own"], losses: [interval] });
  expect(await state.list("losses")).toHaveLength(3);
});

const failing = `
  - {name: failing, measure: verdict_share, verdict: failed, by: agent, window: 10m, above: 0.25}
`;

test("one of three collectors sends; each shows, silences and resolves; the next goes on", async () => {
  const clock: Clock = { ms: start };
  const store = ephemeral();
  const receiver: Receiver = await openReceiver();
  const targets = [{ name: "ops", kind: "webhook" as const, url: receiver.url }];
  const open = async (): Promise<Alerts> =>
    openAlerts(store, clock, { rules: failing, targets, keep: sharedKeep(state, "test", times) });
  const all = await Promise.all([open(), open(), open()]);
  closes.push(...all.map((one) => () => one.close()), () => receiver.close());
  const reported = (): string[] =>
    receiver.got.map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { group: string } };
      return `${type.split(".")[2] ?? ""} ${data.group}`;
    });
  await putTurns(store, start - 60_000, [{ root: "r1", agent: "a", verdict: "failed" }]);
  const shown = async (check: (one: Alerts) => void): Promise<void> =>
    vi.waitFor(() => all.forEach(check), 10_000);
  await shown((one) => expect(one.document.active).toMatchObject([{ group: "a" }]));
  await vi.waitFor(() => expect(reported()).toEqual(["firing a"]), 10_000);

  // Each of them takes orders, also those that do not lead.
  const until = new Date(start + 3_600_000).toISOString();
  for (const [index, one] of all.entries()) {
    await one.silence({ rule: "failing", group: `quiet-${index}`, until, by: "root" });
  }
  await shown((one) => expect(one.document.silences).toHaveLength(3));
  // The store keeps a silence that has ended; none of them shows it.
  const ended = new Date(start).toISOString();
  await all[1]?.silence({ rule: "failing", group: "quiet-9", until: ended, by: "root" });
  // Of two orders about one group the later one stands, at whichever collector; a shorter one too.
  for (const [index, hours] of [6, 2, 4].entries()) {
    const later = new Date(start + hours * 3_600_000).toISOString();
    await all[index]?.silence({ rule: "failing", group: "quiet-0", until: later, by: "root" });
    await shown(({ document }) => {
      const { silences } = document;
      expect(silences).toHaveLength(3);
      expect(silences.find(({ group }) => group === "quiet-0")?.until).toBe(later);
    });
  }
  const quiet = [0, 1, 2].map((index) => ({
    root: `q${index}`,
    agent: `quiet-${index}`,
    verdict: "failed",
  }));
  await putTurns(store, start - 50_000, quiet);
  await shown((one) => expect(one.document.active).toHaveLength(4));
  const id = all[0]?.document.active.find(({ group }) => group === "a")?.id ?? "";
  expect(await all[2]?.resolve(id)).toBe(true);
  await vi.waitFor(() => expect(reported()).toEqual(["firing a", "resolved a"]), 10_000);
  await shown((one) => expect(one.document.closed).toMatchObject([{ id, reason: "operator" }]));

  // What was not taken yet is sent by the next one, under its id.
  receiver.answer = 503;
  await putTurns(store, start - 40_000, [{ root: "b1", agent: "b", verdict: "failed" }]);
  await vi.waitFor(() => expect(reported()).toContain("firing b"), 10_000);
  await shown((one) => expect(one.document.outbox).toHaveLength(1));
  const leader = all.find((one) => one.document.outbox[0]?.attempts !== 0) ?? all[0];
  await leader?.close();
  receiver.answer = 204;
  clock.ms += 5_000;
  const rest = all.filter((one) => one !== leader);
  await vi.waitFor(() => rest.forEach((one) => expect(one.document.outbox).toEqual([])), 10_000);
  const ids = receiver.got.filter(({ body }) => body.includes('"group":"b"')).map((one) => one.id);
  expect(new Set(ids).size).toBe(1);
  expect(reported().filter((one) => one.startsWith("resolved"))).toEqual(["resolved a"]);
});

test("silences of one collector's file go with its alerts to the shared store", async () => {
  const clock: Clock = { ms: start };
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-alerts-")), "alerts.json");
  const silence = { rule: "failing", group: null, by: "root" };
  const until = (ms: number): string => new Date(start + ms).toISOString();
  const silences = [
    { ...silence, until: until(60_000) },
    { ...silence, group: "a", until: until(-60_000) },
  ];
  await fileStorage(file).save({ ...noAlerts, silences });
  const keep = sharedKeep(state, "test", { ...times, file });
  const alerts = await openAlerts(ephemeral(), clock, { rules: failing, targets: [], keep });
  closes.push(() => alerts.close());
  await vi.waitFor(() => expect(alerts.document.looked_ms).toBe(start), 10_000);
  expect(alerts.document.silences).toEqual([silences[0]]);
});
