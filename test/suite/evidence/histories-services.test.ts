/**
 * Random turns of several services (evidence: Reconcile): honest ones succeed, single
 * mutations end them, untrusted noise moves nothing, and the key of a turn never changes while its
 * evidence arrives. What is expected follows from how the window was made.
 */
import { foldTurns, reconcileOutcome, resolveEvents, turnKey } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { honestWindow } from "./oracle/honest-windows.ts";
import { randomOf } from "./oracle/random.ts";
import type { Random } from "./oracle/random.ts";
import { whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const seeds = Array.from({ length: 150 }, (_, seed) => seed);
const services = ["app", "worker", "mailer", "renderer"] as const;
const resolved = (events: readonly Json[]): TurnEvent[] => resolveEvents(events as never);
const kindOf = (event: Json): unknown => event["event_kind"];

/** The status and all that blocks; a missing outcome does not. */
function judged(events: readonly unknown[]): string {
  const verdict = reconcileOutcome(events, { normalizationMetadata: whole });
  const blocking = verdict.findings.filter(({ effect }) => effect === "blocking");
  const codes = [...new Set(blocking.map(({ code }) => code))];
  const missing = verdict.missing_stages.filter((stage) => stage !== "outcome");
  return [verdict.status, ...codes, ...missing, ...verdict.window.reasons].join(" ");
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const keyed = list.map((one) => ({ one, key: random.below(1 << 24) }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one);
}

/**
 * An honest window in which other services recorded what is not of the turns themselves. Every turn
 * has an event of its own; its deliveries are always recorded elsewhere than its intents.
 */
function sharedWindow(seed: number): Json[] {
  const random = randomOf(seed + 5_000);
  const { events } = honestWindow(seed);
  const turns = new Set(events.map((event) => event["turn_id"]));
  const reported = new Set(events.flatMap((e) => (kindOf(e) === "turn" ? [e["turn_id"]] : [])));
  const added = [...turns].flatMap((turn) => {
    const own = events.filter((e) => e["turn_id"] === turn && e["ingest_trusted"] !== false);
    const last = own.at(-1);
    if (last === undefined || reported.has(turn)) return [];
    const {
      input_refs: _in,
      output_refs: _out,
      task_id: _task,
      producer_seq: _seq,
      ...base
    } = last;
    const id = { event_id: `${String(turn)}-own`, span_id: `${String(turn)}-span` };
    const began = { started_at: own[0]?.["timestamp"] };
    return [{ ...base, ...id, ...began, event_kind: "turn", phase: "result", attributes: {} }];
  });
  return [...events, ...added].map((event) => {
    if (["turn", "intent", "data_quality"].includes(String(kindOf(event)))) return event;
    const from = kindOf(event) === "delivery" ? services.slice(1) : services;
    return { ...event, application_id: random.pick(from) };
  });
}

test("every honest turn of several services is a success, in any order and once resolved", () => {
  for (const seed of seeds) {
    const events = sharedWindow(seed);
    expect(`${seed} ${judged(events)}`).toBe(`${seed} success`);
    expect(`${seed} ${judged(shuffled(resolved(events), randomOf(seed)))}`).toBe(`${seed} success`);
  }
});

test("each event keeps the service that recorded it, and no row is added by services", () => {
  for (const seed of seeds) {
    const events = sharedWindow(seed);
    const by = resolved(events).map((event) => event.service_name ?? event.application_id);
    expect(by).toEqual(events.map((event) => event["application_id"]));
    const alone = foldTurns(resolved(events.map((one) => ({ ...one, application_id: "app" }))));
    const keys = foldTurns(resolved(events)).map(turnKey);
    expect(keys.toSorted()).toEqual(alone.map(turnKey).toSorted());
  }
});

const where = (events: readonly Json[], kind: string, change: (event: Json) => Json): Json[] =>
  events.map((event) => (kindOf(event) === kind ? change(event) : event));
const set =
  (fields: Json) =>
  (event: Json): Json => ({ ...event, ...fields });

test.each<[string, (events: readonly Json[]) => Json[]]>([
  ["the turn's own events are lost", (all) => all.filter((event) => kindOf(event) !== "turn")],
  [
    "only a stranger tells of the turn",
    (all) => where(all, "turn", set({ ingest_trusted: false })),
  ],
  [
    "the turn's own events are of another thread",
    (all) => where(all, "turn", set({ thread_id: "x" })),
  ],
  ["deliveries are of another turn", (all) => where(all, "delivery", set({ turn_id: "x" }))],
  ["deliveries are another tenant's", (all) => where(all, "delivery", set({ user_id: "user-9" }))],
  ["deliveries are another agent's", (all) => where(all, "delivery", set({ agent_id: "x" }))],
  ["deliveries are of another root", (all) => where(all, "delivery", set({ root_trace_id: "x" }))],
  ["another service failed", (all) => where(all, "application_action", set({ status: "error" }))],
  [
    "another service refused",
    (all) =>
      where(all, "delivery", (event) =>
        set({ attributes: { ...(event["attributes"] as Json), emitted: false } })(event),
      ),
  ],
])("no turn succeeds where %s", (_caption, change) => {
  let changed = 0;
  for (const seed of seeds) {
    const events = sharedWindow(seed);
    const after = change(events);
    const acts = events.some((event) => kindOf(event) === "application_action");
    if (_caption === "another service failed" && !acts) continue;
    changed += 1;
    for (const list of [after, resolved(after)]) {
      expect(`${seed} ${judged(list)}`).not.toMatch(/^\d+ success/);
    }
  }
  expect(changed).toBeGreaterThan(seeds.length / 2);
});

/** Identity that events may leave to their turn; a delivery has to hold its own. */
const inherited = ["agent_id", "thread_id", "turn_id", "user_id", "application_id"] as const;

function thinned(events: readonly Json[], random: Random): Json[] {
  return events.map((event) => {
    if (["turn", "delivery", "data_quality"].includes(String(kindOf(event)))) return event;
    const less = { ...event };
    for (const field of inherited) if (random.chance(0.2)) delete less[field];
    return less;
  });
}

/** Evidence of an untrusted producer, which names what the window names, or others. */
function noise(events: readonly Json[], random: Random): Json[] {
  const pick = (field: string): unknown =>
    random.chance(0.4) ? `${field}-x` : random.pick(events)[field];
  return Array.from({ length: 1 + random.below(6) }, (_, index) => {
    const like = random.pick(events);
    const stated: Json = {
      ...like,
      event_id: random.chance(0.3) ? like["event_id"] : `noise-${index}`,
      ingest_trusted: false,
      event_kind: random.pick(["turn", "turn", "span", "delivery", "outcome", kindOf(like)]),
    };
    for (const field of [...inherited, "span_id", "parent_span_id", "started_at"]) {
      const value = pick(field);
      if (random.chance(0.5)) stated[field] = value;
      if (random.chance(0.2) || stated[field] === undefined) delete stated[field];
    }
    return stated;
  });
}

/** Whose the trusted events are, once resolved. */
function trustedOf(events: readonly Json[]): TurnEvent[] {
  const trusted = resolved(events).filter((event) => event.ingest_trusted !== false);
  return trusted.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1));
}

test("what a stranger sends decides nothing: not the verdict, nor whose a trusted event is", () => {
  const statuses = new Set<string>();
  for (let seed = 0; seed < 600; seed += 1) {
    const random = randomOf(seed + 9_000);
    const events = thinned(sharedWindow(seed % seeds.length), random);
    const expected = judged(resolved(events));
    statuses.add(expected.split(" ")[0] as string);
    const all = shuffled([...events, ...noise(events, random)], random);
    expect(`${seed} ${judged(resolved(all))}`).toBe(`${seed} ${expected}`);
    expect(trustedOf(all)).toEqual(trustedOf(events));
  }
  expect(statuses.size).toBeGreaterThan(1);
});

test("while evidence arrives, no row has a key that its turn does not keep", () => {
  for (const seed of seeds) {
    const random = randomOf(seed + 11_000);
    const arriving = shuffled(sharedWindow(seed), random);
    const keys = new Set(foldTurns(resolved(arriving)).map(turnKey));
    for (let count = 1; count < arriving.length; count += 1 + random.below(4)) {
      for (const row of foldTurns(resolved(arriving.slice(0, count)))) {
        expect(keys.has(turnKey(row))).toBe(true);
      }
    }
  }
});
