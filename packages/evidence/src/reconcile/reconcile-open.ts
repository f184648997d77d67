/**
 * @module ReconcileOpen: operations that began and did not end. One is open while its process
 * reports, or within a limit after the turn's last event; after that, or when its process was
 * restarted, it is unfinished. The time is the window's own mark, never a clock.
 */
import { addMs, compareTimes, later, producerReports, waitingForHuman } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import type { Bench } from "./reconcile-bench.ts";
import { spanKey } from "../event/span-key.ts";
import type { TurnLimits, ProducerLife, WindowClock } from "./window-clock.ts";

const defaultLimitMs = 15 * 60_000;
const defaultWaitMs = 24 * 3_600_000;
/**
 * A running process reports every 30 s while evidence spans are open; two reports may be missed.
 */
const reportedMs = 90_000;

/** The lives of processes in the reports. */
export function producerLives(reports: readonly TurnEvent[]): ProducerLife[] {
  const lives = new Map<string, ProducerLife>();
  for (const report of reports) {
    const { producer_id: id, attributes, service_name, application_id } = report;
    if (id === undefined || !isReport(report)) continue;
    const at = seenAt(report);
    const known = lives.get(id);
    const service = service_name ?? application_id ?? known?.service;
    const instance = attributes.service_instance_id ?? known?.instance;
    lives.set(id, {
      producer_id: id,
      first: known === undefined || compareTimes(at, known.first) < 0 ? at : known.first,
      last: later(known?.last ?? null, at) ?? at,
      ...(service === undefined ? {} : { service }),
      ...(instance === undefined ? {} : { instance }),
    });
  }
  return [...lives.values()];
}

function isReport({
  attributes: { quality_code: code, loss_created: created },
}: TurnEvent): boolean {
  return (
    code === producerReports.heartbeat || code === producerReports.losses || created !== undefined
  );
}

/** Time of receipt, the judge's own clock, where it is known. */
function seenAt({ received_at: received, timestamp }: TurnEvent): string {
  return received ?? timestamp;
}

/** Notes an operation of the turn that began and did not end. */
export function noteUnended(bench: Bench, evidence: readonly TurnEvent[]): void {
  const { clock, scope } = bench;
  const until = openUntil(clock, scope.turn.events, evidence);
  const open = until !== null && (clock.asOf === null || compareTimes(clock.asOf, until) <= 0);
  bench.notices.push({ code: open ? "turn_open" : "turn_unfinished", evidence, absence: true });
  if (!open) return;
  if (bench.openUntil === null || compareTimes(until, bench.openUntil) < 0) bench.openUntil = until;
}

/** Until when it is open if nothing more arrives; null where its process was restarted. */
function openUntil(
  { limits, lives }: WindowClock,
  events: readonly TurnEvent[],
  evidence: readonly TurnEvent[],
): string | null {
  const producers = new Set(evidence.flatMap((event) => event.producer_id ?? []));
  const own = lives.filter((life) => producers.has(life.producer_id));
  if (own.some((life) => lives.some((other) => isNextLife(life, other)))) return null;
  let last: string | null = null;
  for (const event of events) last = later(last, seenAt(event));
  const limit = limitOf(limits, events[0]?.agent_id ?? "");
  let until = addMs(last ?? "", limit);
  for (const life of own) until = latest(until, addMs(life.last, reportedMs));
  const waiting = openWait(events);
  if (waiting === undefined) return until;
  return latest(until, addMs(seenAt(waiting), limits.human_wait_ms ?? defaultWaitMs));
}

/** An agent may be named `constructor`: only the setting's own properties are limits. */
function limitOf({ agents, default_ms: stated }: TurnLimits, agent: string): number {
  const own: unknown = agents && Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (typeof own === "number") return own;
  return typeof stated === "number" ? stated : defaultLimitMs;
}

function latest(a: string, b: string): string {
  return compareTimes(a, b) < 0 ? b : a;
}

/** Another process of the same instance that began after this one's last report. */
function isNextLife(life: ProducerLife, other: ProducerLife): boolean {
  return (
    life.instance !== undefined &&
    life.instance === other.instance &&
    life.service === other.service &&
    life.producer_id !== other.producer_id &&
    compareTimes(other.first, life.last) > 0
  );
}

/** The turn's last queue event, when it waits for a person. */
function openWait(events: readonly TurnEvent[]): TurnEvent | undefined {
  let last: TurnEvent | undefined;
  const ended = new Set<string>();
  for (const event of events) {
    const { event_kind: kind, phase, timestamp } = event;
    if (kind !== "application_action" && kind !== "queue_transition") continue;
    const span = spanKey(event);
    if (kind === "application_action" && phase === "result" && span !== undefined) ended.add(span);
    if (event.attributes.queue_status === undefined) continue;
    if (last === undefined || compareTimes(timestamp, last.timestamp) > 0) last = event;
  }
  if (last?.attributes.queue_status !== waitingForHuman) return undefined;
  return ended.has(spanKey(last) ?? "") ? undefined : last;
}
