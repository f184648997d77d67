/**
 * @module TurnRecords: converts the settled events of a whole root to records of its turns. The
 * drain, the judge and the migration create records only here.
 */
import { hash } from "node:crypto";

import { agentCalls, foldedTurns, orphanSpans, turnCalls, turnKey } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { compareTimes } from "@turnproof/semconv";

import { turnName, withContracts } from "./turn-record.ts";
import type { TurnRecord, TurnVersion } from "./turn-record.ts";

/** Judgement of a turn. */
export interface Judgement {
  readonly verdict: string;
  readonly finding_codes: readonly string[];
  readonly insight_codes: readonly string[];
  readonly verdict_reasons: readonly string[];
  /** Results of contracts, as names of the record; absent without contracts. */
  readonly contracts?: readonly string[];
  readonly judged_at: string;
  readonly as_of: string;
}

/** Judges a turn from its row and its own events; undefined: not judged. */
export type JudgeTurn = (row: TurnRow, own: readonly TurnEvent[]) => Judgement | undefined;

/** 192 bits of SHA-256 over the turn's identity: collisions are infeasible. */
export function turnRecordKey(row: TurnRow): string {
  return hash("sha256", turnKey(row), "hex").slice(0, 48);
}

/**
 * Records of the turns among resolved, deduplicated events of one whole root.
 *
 * @param judge judgement of a turn; undefined while not judged
 */
export function recordsOf(
  events: readonly TurnEvent[],
  version: TurnVersion,
  judge: JudgeTurn = () => undefined,
): TurnRecord[] {
  const turns = foldedTurns(events);
  const agents = agentCalls(turns, events);
  const orphans = orphanSpans(events);
  return turns.map((turn) => {
    const { events: own } = turn;
    const row = withOrphans(turn.row, orphans(own));
    const judged = judge(row, own);
    return {
      key: turnRecordKey(row),
      version,
      first_received: firstReceipt(own) ?? row.ended_at,
      row: judged === undefined ? row : withJudgement(row, judged),
      calls: [...turnCalls(own), ...agents(turn)],
      environments: distinct(own.flatMap(({ attributes: of }) => of.deployment_environment ?? [])),
      names: withContracts(namesOf(own), judged?.contracts ?? []),
      judged_at: judged?.judged_at ?? null,
      as_of: judged?.as_of ?? null,
    };
  });
}

function withOrphans(row: TurnRow, orphan_spans: number | undefined): TurnRow {
  return orphan_spans === undefined ? row : { ...row, orphan_spans };
}

function withJudgement(
  row: TurnRow,
  { verdict, finding_codes, insight_codes, verdict_reasons }: Judgement,
): TurnRow {
  return { ...row, verdict, finding_codes, insight_codes, verdict_reasons };
}

/** Ids in single events of the turn; its row has them only where all events agree. */
function namesOf(events: readonly TurnEvent[]): readonly string[] {
  const names = new Set<string>();
  const add = (kind: Parameters<typeof turnName>[0], id: string | undefined): void => {
    if (id !== undefined && id !== "") names.add(turnName(kind, id));
  };
  let before: TurnEvent | undefined;
  for (const event of events) {
    // Events of a turn mostly share each id: a name is built only where it changes.
    if (event.application_id !== before?.application_id) add("app", event.application_id);
    if (event.memory_id !== before?.memory_id) add("memory", event.memory_id);
    if (event.run_id !== before?.run_id) add("run", event.run_id);
    if (event.task_id !== before?.task_id) add("task", event.task_id);
    if (event.source_store !== "trace") add("store", event.source_store);
    before = event;
    for (const { ref } of [...(event.input_refs ?? []), ...(event.output_refs ?? [])]) {
      add("ref", ref);
    }
    for (const { resource } of event.selection_ledger ?? []) add("ref", resource.ref);
  }
  return [...names].toSorted();
}

function firstReceipt(events: readonly TurnEvent[]): string | undefined {
  let first: string | undefined;
  for (const { received_at: at } of events) {
    if (at !== undefined && (first === undefined || compareTimes(at, first) < 0)) first = at;
  }
  return first;
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}
