/**
 * @module RootDraft: judgement of the turns of a whole root at the drain. Unless more of the root
 * is stored, its turns are settled from it, without their events.
 */
import type { FindingCode, TurnEvent } from "@turnproof/evidence";
import { compareTimes } from "@turnproof/semconv";

import type { RootTurns } from "./record-roots.ts";
import { recordsPerWrite } from "./record-roots.ts";
import type { HeldTurn } from "./turn-query.ts";
import type { TurnRecord, TurnVersion } from "./turn-record.ts";

/** A producer in a root, and when its evidence was first received. */
export type Voice = Pick<
  TurnEvent,
  "root_trace_id" | "producer_id" | "service_name" | "application_id" | "received_at"
>;

/** The turns of a root, valid while nothing is lost and no more of it is stored. */
export interface RootDraft {
  /** All its turns, each with its judgement. */
  readonly records: readonly TurnRecord[];
  readonly voices: readonly Voice[];
  /** Latest receipt among its rows, ISO 8601 UTC. */
  readonly asOf: string;
  /**
   * Time of the first and last event in its turns, ISO 8601 UTC: no turn was open outside of it.
   * Absent where there are only reports of producers.
   */
  readonly extent?: { readonly from: string; readonly to: string } | undefined;
  /**
   * Every turn has ended, each span has its parent, all of it is of one process, and no finding is
   * about evidence that is absent: what could change it is not under way.
   */
  readonly ended: boolean;
}

/** Findings that more evidence of the turn does not remove. */
const lastingCodes: ReadonlySet<string> = new Set<FindingCode>([
  "artifact_producer_failed",
  "artifact_provenance_invalid",
  "artifact_source_mismatch",
  "clock_ahead",
  "clock_conflict",
  "contract_parse_failed",
  "contract_recovered",
  "contract_truncated",
  "outcome_failed",
  "outcome_partial",
  "turn_cancelled",
  "turn_failed",
  "untrusted_contradiction",
]);

function hasEnded({ row }: TurnRecord): boolean {
  return (
    row.timing_state === "measured" &&
    row.missing_completion === 0 &&
    row.orphan_spans === 0 &&
    (row.finding_codes ?? []).every((code) => lastingCodes.has(code))
  );
}

/** The draft of a root; undefined where a turn of it was not judged. */
export function draftOf(
  events: readonly TurnEvent[],
  records: readonly TurnRecord[],
): RootDraft | undefined {
  if (records.some(({ judged_at: at }) => at === null)) return undefined;
  const voices = new Map<string, Voice>();
  let asOf = "";
  for (const event of events) {
    const { root_trace_id, producer_id, service_name, application_id, received_at = "" } = event;
    if (received_at > asOf) asOf = received_at;
    const key = `${producer_id ?? ""}\n${service_name ?? ""}\n${application_id ?? ""}`;
    const known = voices.get(key)?.received_at;
    if (known !== undefined && known <= received_at) continue;
    voices.set(key, {
      root_trace_id,
      producer_id,
      service_name,
      application_id,
      received_at,
    } as Voice);
  }
  const ended = records.length > 0 && voices.size === 1 && records.every(hasEnded);
  return { records, voices: [...voices.values()], asOf, extent: extentOf(events), ended };
}

/** A producer's report is not part of a turn's time. */
function extentOf(events: readonly TurnEvent[]): RootDraft["extent"] {
  let extent: RootDraft["extent"];
  for (const { event_kind, timestamp: to, started_at: from = to } of events) {
    if (event_kind === "data_quality") continue;
    const { from: first, to: last } = extent ?? { from, to };
    extent = {
      from: compareTimes(from, first) < 0 ? from : first,
      to: compareTimes(to, last) > 0 ? to : last,
    };
  }
  return extent;
}

/** A root that is settled from its draft, and its turns in the ledger. */
export interface DraftedRoot {
  readonly draft: RootDraft;
  readonly turns: readonly HeldTurn[];
  /** The standing of the draft. */
  readonly version: Omit<TurnVersion, "settled">;
}

/** Settles the turns of these roots as drafted; returns how many. */
export async function settleDrafts(
  ledger: Pick<RootTurns, "putTurns">,
  roots: readonly DraftedRoot[],
  judgedAt: string,
): Promise<readonly TurnRecord[]> {
  const settled = roots.flatMap(({ draft, turns, version: { epoch, rows } }) => {
    const version = { epoch, rows, settled: true };
    const first = new Map(turns.map(({ key, first_received }) => [key, first_received]));
    return draft.records.map((record): TurnRecord => {
      const first_received = first.get(record.key) ?? record.first_received;
      return { ...record, version, first_received, judged_at: judgedAt };
    });
  });
  for (let from = 0; from < settled.length; from += recordsPerWrite) {
    await ledger.putTurns(settled.slice(from, from + recordsPerWrite));
  }
  return settled;
}
