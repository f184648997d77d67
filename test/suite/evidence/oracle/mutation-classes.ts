/**
 * @module MutationClasses: one random change of a window, by class. A change need not change the
 * verdict; which do is counted by the oracle's results before and after.
 */
import { circle, deliver } from "./mutation-additions.ts";
import { edit, flips, identities, withAttribute, withField } from "./mutation-edits.ts";
import type { JudgedWindow } from "./law.ts";
import type { Random } from "./random.ts";
import type { Json } from "./reading.ts";
import { narrow, repage } from "./repage.ts";

/** The classes. */
export const mutationClasses = [
  "drop",
  "flip",
  "move",
  "re-identify",
  "duplicate",
  "reorder",
  "re-page",
  "delay",
  "circle",
  "narrow",
  "deliver",
] as const;
export type MutationClass = (typeof mutationClasses)[number];

/** Kinds whose events decide, so that a random choice finds them more often. */
const deciding = new Set([
  "intent",
  "artifact",
  "contract",
  "delivery",
  "outcome",
  "turn",
  "application_action",
]);

/** Changes the window once; the same random numbers give the same change. */
export function mutate(window: JudgedWindow, kind: MutationClass, random: Random): JudgedWindow {
  const { events } = window;
  const pool = random.chance(0.85)
    ? events.filter((event) => deciding.has(String(event["event_kind"])))
    : events;
  const event = random.pick(pool.length === 0 ? events : pool);
  if (event === undefined) return window;
  const put = (changed: Json): JudgedWindow => edit(window, event, changed);
  switch (kind) {
    case "drop":
      return drop(window, event, random);
    case "flip":
      return put(flips(event, random));
    case "move":
      return move(window, event, random);
    case "re-identify":
      return put(identities(event, events, random));
    case "duplicate":
      return duplicate(window, event, random);
    case "reorder":
      return reorder(window, event, random);
    case "re-page":
      return repage(window, random);
    case "delay":
      return delay(window, event, random);
    case "circle":
      return circle(window, event, random);
    case "narrow":
      return narrow(window, random);
    case "deliver":
      return deliver(window, random);
  }
}

function drop(window: JudgedWindow, event: Json, random: Random): JudgedWindow {
  if (random.chance(0.6)) {
    return { ...window, events: window.events.filter((one) => one !== event) };
  }
  if (random.chance(0.4)) {
    const names = Object.keys((event["attributes"] as Json | undefined) ?? {});
    return names.length === 0
      ? window
      : edit(window, event, withAttribute(event, random.pick(names), undefined));
  }
  if (random.chance(0.4)) {
    const list = random.pick(["input_refs", "output_refs"] as const);
    const held = (event[list] as readonly Json[] | undefined) ?? [];
    const at = random.below(held.length + 1);
    return edit(
      window,
      event,
      withField(
        event,
        list,
        held.filter((_, index) => index !== at),
      ),
    );
  }
  const optional = [
    "task_id",
    "producer_seq",
    "received_at",
    "parent_span_id",
    "external_id",
    "span_id",
  ];
  return edit(window, event, withField(event, random.pick(optional), undefined));
}

const later = (event: Json, field: string, ms: number): Json =>
  typeof event[field] === "string"
    ? { ...event, [field]: new Date(Date.parse(event[field]) + ms).toISOString() }
    : event;

const distances = [20, 90, 400, 480, 520, 700, 3000, 30_000, 3_600_000, 2_000_000_000_000];

/** Moves an event, or all of its producer's, in time; its receipt and number may go with it. */
function move(window: JudgedWindow, event: Json, random: Random): JudgedWindow {
  const ms = random.pick(distances) * random.pick([-1, 1]);
  if (Math.abs(ms) > 1e12 && ms < 0) return window;
  const receipt = random.chance(0.5);
  const renumber = random.chance(0.5);
  const whole = random.chance(0.15);
  const moved = window.events.map((one) => {
    if (one !== event && !(whole && one["producer_id"] === event["producer_id"])) return one;
    const shifted = later(one, "timestamp", ms);
    return receipt && Math.abs(ms) < 1e12 ? later(shifted, "received_at", ms) : shifted;
  });
  const result = { ...window, events: moved };
  return renumber ? renumbered(result) : result;
}

/** Numbers every producer's events in the order of their timestamps. */
function renumbered(window: JudgedWindow): JudgedWindow {
  const next = new Map<unknown, number>();
  const byTime = window.events.toSorted(
    (a, b) =>
      Date.parse(String(a["timestamp"])) - Date.parse(String(b["timestamp"])) ||
      Number(a["producer_seq"] ?? 0) - Number(b["producer_seq"] ?? 0),
  );
  const numbers = new Map<Json, number>();
  for (const event of byTime) {
    const number = (next.get(event["producer_id"]) ?? 0) + 1;
    next.set(event["producer_id"], number);
    numbers.set(event, number);
  }
  const events = window.events.map((event) =>
    event["producer_seq"] === undefined ? event : { ...event, producer_seq: numbers.get(event) },
  );
  return { ...window, events };
}

/** The same event again, another revision of it, or a later event like it with other values. */
function duplicate(window: JudgedWindow, event: Json, random: Random): JudgedWindow {
  if (random.chance(0.15)) return { ...window, events: [...window.events, structuredClone(event)] };
  const ms = random.pick([20, 700, 30_000, 120_000]);
  let copy = random.chance(0.75) ? flips(event, random) : identities(event, window.events, random);
  copy = later(later(copy, "timestamp", ms), "received_at", ms);
  if (random.chance(0.7)) copy = { ...copy, event_id: `${String(event["event_id"])}-again` };
  const span = copy["span_id"];
  if (typeof span === "string" && random.chance(0.5)) copy = { ...copy, span_id: `${span}-again` };
  const events = [...window.events, copy];
  return random.chance(0.8) ? renumbered({ ...window, events }) : { ...window, events };
}

const places = ["timestamp", "received_at", "producer_seq"] as const;

/** Two events change places in time, or in their producer's numbers; the list is shuffled. */
function reorder(window: JudgedWindow, event: Json, random: Random): JudgedWindow {
  const same = window.events.filter(
    (one) =>
      one["turn_id"] === event["turn_id"] &&
      one !== event &&
      deciding.has(String(one["event_kind"])),
  );
  const other = random.pick(same);
  if (other === undefined) return window;
  const fields = random.pick([places, places, ["producer_seq"] as const, ["timestamp"] as const]);
  const events = window.events.map((one) => {
    if (one !== event && one !== other) return one;
    const from = one === event ? other : event;
    const changed = { ...one };
    for (const field of fields) if (from[field] !== undefined) changed[field] = from[field];
    return changed;
  });
  const keyed = events.map((one) => ({ one, key: random.below(1 << 20) }));
  return { ...window, events: keyed.toSorted((a, b) => a.key - b.key).map(({ one }) => one) };
}

/** A producer's batch arrives late: after its neighbours', or after the window was read. */
function delay(window: JudgedWindow, event: Json, random: Random): JudgedWindow {
  const from = Date.parse(String(event["received_at"]));
  const of = (one: Json): boolean =>
    one["producer_id"] === event["producer_id"] && Date.parse(String(one["received_at"])) >= from;
  if (random.chance(0.5)) {
    return { ...window, events: window.events.filter((one) => !of(one)) };
  }
  const ms = random.pick([300, 2000, 7_200_000, 90_000_000]);
  const alone = random.chance(0.6);
  const events = window.events.map((one) => {
    if (alone ? one !== event : !of(one)) return one;
    return later(one, "received_at", ms);
  });
  return { ...window, events };
}
