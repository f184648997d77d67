/** @module MutationAdditions: attempts that stand above each other, and further deliveries. */
import type { JudgedWindow } from "./law.ts";
import type { Random } from "./random.ts";
import type { Json, Ref } from "./reading.ts";

/** An event so many milliseconds after another one of its turn, by a process of its own or its. */
function after(event: Json, ms: number, name: string): Json {
  const late = (field: string): Json =>
    typeof event[field] === "string"
      ? { [field]: new Date(Date.parse(event[field]) + ms).toISOString() }
      : {};
  const own = event["producer_id"] === undefined ? {} : { producer_id: name, producer_seq: 1 };
  return { ...event, ...late("timestamp"), ...late("received_at"), ...own, event_id: name };
}

/** Attempts of the event's turn whose parents form a circle, or that hang under one another. */
export function circle(window: JudgedWindow, event: Json, random: Random): JudgedWindow {
  const size = 1 + random.below(3);
  const span = (at: number): string => `00f067aa0bc0000${at}`;
  const open = random.chance(0.25);
  const above = window.events.find(
    (one) => one["event_kind"] === "turn" && one["turn_id"] === event["turn_id"],
  );
  const last = window.events.findLast((one) => one["turn_id"] === event["turn_id"]) ?? event;
  const added = Array.from({ length: size }, (_, at): Json => {
    const ms = random.pick([700, 3000, 30_000]) * (at + 1);
    const parent = at + 1 < size ? span(at + 1) : open ? above?.["span_id"] : span(0);
    const {
      task_id: _task,
      input_refs: _in,
      output_refs: _out,
      ...rest
    } = after(last, ms, `ring-${at}`);
    return {
      ...rest,
      event_kind: "turn",
      phase: "result",
      status: random.pick(["error", "error", "success"]),
      span_id: span(at),
      ...(parent === undefined ? {} : { parent_span_id: parent }),
      started_at: String(rest["timestamp"]),
      attributes: {},
    };
  });
  return { ...window, events: [...window.events, ...added] };
}

/** Further deliveries of a task: elsewhere, again, of another version, or refused. */
export function deliver(window: JudgedWindow, random: Random): JudgedWindow {
  const known = window.events.filter((one) => one["event_kind"] === "delivery");
  const added = Array.from({ length: 1 + random.below(3) }, (_, at): Json[] => {
    const delivery = random.pick(known);
    return delivery === undefined ? [] : [another(delivery, `further-${at}`, random)];
  });
  return { ...window, events: [...window.events, ...added.flat()] };
}

function another(delivery: Json, name: string, random: Random): Json {
  const reported = delivery["attributes"] as Json;
  const copy = after(delivery, random.pick([-700, 700, 3000, 30_000]), name);
  const held = (delivery["input_refs"] as readonly Ref[] | undefined) ?? [];
  const other = { resource_type: "ledger", ref: "ledger-1", version: "1" };
  const input_refs = random.pick([
    held,
    held,
    [],
    held.map((ref) => ({ ...ref, version: "99" })),
    [...held, { ...other, ownership_verified: random.chance(0.5) }],
    [...held, { ...other, provenance_status: "missing" as const }],
  ]);
  const { contract_name: contract, ...rest } = reported;
  const attributes = {
    ...rest,
    ...(contract === undefined || random.chance(0.4) ? {} : { contract_name: contract }),
    emitted: random.chance(0.8),
    acknowledged: random.pick([true, true, false, null]),
  };
  return { ...copy, input_refs, attributes };
}
