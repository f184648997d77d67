/**
 * @module RangeProcesses: a row for each process that was active in a range: its turns, what it
 * reports to have lost, and what to do. Processes with a turn are of the ledger, so that a row does
 * not depend on which events are the newest.
 */
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import type { FigureGroup, TurnQuery, TurnReader } from "@turnproof/store";
import { compareTimes } from "@turnproof/semconv";

import { rangeProcessAdvice } from "./advice.ts";
import type { ProcessRange } from "./range-rows.ts";

/** A process by its reports. */
export interface Process {
  readonly id: string;
  readonly service: string;
  last: TurnEvent;
  /** Last time in the range at which a turn of it ended. */
  activeAt: string | undefined;
  inRange: boolean;
}

/** What the rows are made of. */
export interface ProcessEvidence {
  readonly ledger: TurnReader;
  readonly query: TurnQuery;
  /** Turns of the range by process. */
  readonly producers: readonly FigureGroup[];
  readonly processes: readonly Process[];
  readonly intervals: readonly LossInterval[];
  /** True where this collector refused something in the range. */
  readonly refusals: boolean;
}

/** Most processes without a report of which the service is looked up. */
const lookedUpMax = 20;

/** The rows, those with a loss first, then the unknown ones. */
export async function processRows(of: ProcessEvidence): Promise<readonly ProcessRange[]> {
  const { producers, processes, refusals } = of;
  const turns = new Map(producers.map(({ value = null, turns: count }) => [value, count]));
  const known = processes.map((process) => {
    const { id, service, last, activeAt } = process;
    const own = of.intervals.filter(({ producer_id: of_id }) => of_id === id);
    const late = activeAt !== undefined && compareTimes(last.timestamp, activeAt) < 0;
    const sum = (field: "lost" | "sampled_out" | "write_failures"): number =>
      own.reduce((total, interval) => total + interval[field], 0);
    const row = {
      producer_id: id,
      service,
      turns: turns.get(id) ?? 0,
      lost_state: late ? "at_least" : "known",
      lost: sum("lost"),
      reasons: reasonsOf([process]),
      sampled_out: sum("sampled_out"),
      write_failures: sum("write_failures"),
      last_report_at: last.timestamp,
    } as const;
    return { ...row, what_to_do: rangeProcessAdvice(row, { late, refusals }) };
  });
  const reported = new Set<string | null>(processes.map(({ id }) => id));
  const silent = producers.filter(({ value = null }) => !reported.has(value));
  const unknown = await Promise.all(silent.map((group, at) => silentRow(of, group, at)));
  return [...known, ...unknown].toSorted(
    (a, b) =>
      (b.lost ?? 0) - (a.lost ?? 0) ||
      Number(b.lost === null) - Number(a.lost === null) ||
      b.turns - a.turns,
  );
}

async function silentRow(
  { ledger, query, refusals }: ProcessEvidence,
  { value = null, turns }: FigureGroup,
  at: number,
): Promise<ProcessRange> {
  const some = {
    ...query,
    where: [...query.where, { list: "producer" as const, has: value }],
  };
  const services = at < lookedUpMax ? await ledger.turnFigures(some, { by: "service" }) : [];
  const [only, ...others] = services;
  const row = {
    producer_id: value,
    service: others.length === 0 ? (only?.value ?? null) : null,
    turns,
    lost_state: "unknown",
    lost: null,
    reasons: {},
    sampled_out: null,
    write_failures: null,
    last_report_at: null,
  } as const;
  return { ...row, what_to_do: rangeProcessAdvice(row, { late: false, refusals }) };
}

/** Reasons in the last reports, which are totals of their processes. */
export function reasonsOf(processes: readonly Process[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { last } of processes) {
    const { loss_reasons: codes = [], loss_reason_counts: counts = [] } = last.attributes;
    for (const [at, code] of codes.entries()) sums[code] = (sums[code] ?? 0) + (counts[at] ?? 0);
  }
  return sums;
}
