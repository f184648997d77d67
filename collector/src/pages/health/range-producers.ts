/**
 * @module RangeProducers: a row for each service that was active in a range: its turns, what it
 * sent, what its processes report to have lost, and what to do. A loss counts at the time of the
 * report that shows it, so that ranges add up.
 */
import { lossIntervals } from "@turnproof/evidence";
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { compareTimes, isoMicros } from "@turnproof/semconv";
import type { FigureGroup, TurnQuery, TurnReader } from "@turnproof/store";

import { producerAdvice } from "./advice.ts";
import { processRows, reasonsOf } from "./range-processes.ts";
import type { Process } from "./range-processes.ts";
import type { ProcessRange, ProducerRange } from "./range-rows.ts";

/** What the rows are made of. */
export interface ProducerEvidence {
  readonly ledger: TurnReader;
  readonly query: TurnQuery;
  /**
   * Reports of producers that count; undefined where the principal may not see them, null where
   * they cannot be read.
   */
  readonly reports: readonly TurnEvent[] | null | undefined;
  /** Durable items by service; undefined where the principal may not see them. */
  readonly items: Readonly<Record<string, number>> | undefined;
  /** True where this collector refused something in the range. */
  readonly refusals: boolean;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The rows of services and of their processes, those with a loss first. */
export async function producerRows(of: ProducerEvidence): Promise<{
  readonly services: readonly ProducerRange[];
  /** Empty for a principal that may not see reports: losses are of whole processes. */
  readonly processes: readonly ProcessRange[];
}> {
  const { ledger, query } = of;
  const reports = of.reports ?? [];
  const [services, producers] = await Promise.all([
    ledger.turnFigures(query, { by: "service" }),
    ledger.turnFigures(query, { by: "producer" }),
  ]);
  const processes = processesOf(reports, producers, of);
  const silent = await silentServices(of, producers, processes);
  const named = new Map(services.map((group) => [group.value ?? null, group]));
  const lives = Map.groupBy(processes, ({ service }) => service);
  const names = new Set<string | null>([
    ...named.keys(),
    ...lives.keys(),
    ...Object.keys(of.items ?? {}).map((name) => (name === "" ? null : name)),
  ]);
  const intervals = lossIntervals(reports).filter(({ to }) => isWithin(to, of));
  const rows = [...names]
    .map((service) =>
      rowOf(service, {
        group: named.get(service),
        processes: service === null ? [] : (lives.get(service) ?? []),
        intervals: intervals.filter((one) => (one.service ?? null) === service),
        silent: silent.has(service),
        evidence: of,
      }),
    )
    .toSorted((a, b) => (b.lost ?? 0) - (a.lost ?? 0) || b.turns - a.turns);
  const { refusals } = of;
  const evidence = { ledger, query, producers, processes, intervals, refusals };
  return {
    services: rows,
    processes: isReadable(of) ? await processRows(evidence) : [],
  };
}

function isReadable({ reports }: Pick<ProducerEvidence, "reports">): boolean {
  return reports !== undefined && reports !== null;
}

function isWithin(at: string, { from, to }: Pick<ProducerEvidence, "from" | "to">): boolean {
  if (from !== undefined && compareTimes(at, from) < 0) return false;
  return to === undefined || compareTimes(at, to) < 0;
}

/** Processes that reported, of which something is in the range. */
function processesOf(
  reports: readonly TurnEvent[],
  producers: readonly FigureGroup[],
  range: ProducerEvidence,
): readonly Process[] {
  const active = new Map(producers.map(({ value, last_at: last }) => [value, last]));
  const known = new Map<string, Process>();
  for (const report of reports) {
    const { producer_id: id, service_name, application_id, timestamp } = report;
    const service = service_name ?? application_id;
    if (id === undefined || service === undefined) continue;
    const process = known.get(id);
    const inRange = isWithin(timestamp, range);
    if (process === undefined) {
      const last = active.get(id);
      const activeAt = typeof last === "number" ? isoMicros(last) : undefined;
      known.set(id, { id, service, last: report, activeAt, inRange });
    } else {
      process.inRange ||= inRange;
      if (compareTimes(timestamp, process.last.timestamp) > 0) process.last = report;
    }
  }
  return [...known.values()].filter(({ activeAt, inRange }) => activeAt !== undefined || inRange);
}

/** Most processes without a report for which services are looked up. */
const silentMax = 200;

/** Services with a turn of a process that never reported, or of one that has no id. */
async function silentServices(
  { ledger, query, reports }: ProducerEvidence,
  producers: readonly FigureGroup[],
  processes: readonly Process[],
): Promise<ReadonlySet<string | null>> {
  if (reports === undefined || reports === null) return new Set();
  const reported = new Set(processes.map(({ id }) => id));
  const silent = producers.flatMap(({ value = null }) =>
    value !== null && reported.has(value) ? [] : [value],
  );
  if (silent.length === 0) return new Set();
  const any = silent.slice(0, silentMax).map((has) => ({ list: "producer" as const, has }));
  const requested = { ...query, where: [...query.where, { any }] };
  const services = await ledger.turnFigures(requested, { by: "service" });
  return new Set(services.map(({ value = null }) => value));
}

function rowOf(
  service: string | null,
  of: {
    readonly group: FigureGroup | undefined;
    readonly processes: readonly Process[];
    readonly intervals: readonly LossInterval[];
    readonly silent: boolean;
    readonly evidence: ProducerEvidence;
  },
): ProducerRange {
  const { group, processes, intervals, silent, evidence } = of;
  const isKnown = processes.length > 0 && isReadable(evidence);
  const late = processes.some(
    ({ activeAt, last }) => activeAt !== undefined && compareTimes(last.timestamp, activeAt) < 0,
  );
  const sum = (field: "lost" | "sampled_out" | "write_failures"): number | null =>
    isKnown ? intervals.reduce((total, interval) => total + interval[field], 0) : null;
  const state: ProducerRange["lost_state"] = !isKnown
    ? "unknown"
    : late || silent
      ? "at_least"
      : "known";
  const last = processes.reduce<string | null>(
    (at, { last: { timestamp } }) =>
      at === null || compareTimes(timestamp, at) > 0 ? timestamp : at,
    null,
  );
  const row = {
    service,
    turns: group?.turns ?? 0,
    turns_with_error: group?.errors ?? 0,
    items: evidence.items === undefined ? null : (evidence.items[service ?? ""] ?? 0),
    processes: processes.length,
    lost_state: state,
    lost: sum("lost"),
    reasons: reasonsOf(processes),
    sampled_out: sum("sampled_out"),
    write_failures: sum("write_failures"),
    last_report_at: last,
  };
  const { refusals } = evidence;
  const reports =
    evidence.reports === undefined ? "hidden" : isReadable(evidence) ? "read" : "unreadable";
  return { ...row, what_to_do: producerAdvice(row, { late, silent, reports, refusals }) };
}
