/**
 * @module FoundRoots: groups the events with an id by their trace, with the verdicts on the turns
 * that have it.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { compareTimes, limits } from "@turnproof/semconv";
import type { Identity, NullableIdentity } from "@turnproof/semconv";
import type { EvidenceScope } from "@turnproof/store";

import type { Parts } from "../../parts.ts";
import type { ListFields } from "../../tables/list-files.ts";
import { foundVerdicts } from "../../turns/turn-verdicts.ts";
import type { FoundVerdict } from "../../turns/turn-verdicts.ts";

/** A root that mentions the id. */
export interface FoundRoot
  extends Pick<Identity, "root_trace_id">, NullableIdentity<"agent_id" | "thread_id"> {
  readonly turn_ids: readonly string[];
  /** Fields with the id, sorted. */
  readonly matched_by: readonly string[];
  readonly event_ids: readonly string[];
  /** Events with the id on this page; with `turn_ids`, all of them where it has no other. */
  readonly event_count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly has_error: boolean;
  /** Verdicts on its turns with the id; null where they were not looked up. */
  readonly verdicts: readonly FoundVerdict[] | null;
}

const eventIdsMax = limits.findingEvidenceMax;

/** Fields of a trace in a file. */
export const foundFields: ListFields<FoundRoot> = {
  root_trace_id: "text",
  agent_id: "text",
  thread_id: "text",
  turn_ids: "texts",
  matched_by: "texts",
  event_ids: "texts",
  event_count: "integer",
  first_at: "time",
  last_at: "time",
  has_error: "flag",
  verdicts: "json",
};

/** The traces that mention the id, by the order of their first event. */
export async function foundRoots(
  parts: Parts,
  scope: EvidenceScope,
  events: readonly TurnEvent[],
  wanted: string,
): Promise<readonly FoundRoot[]> {
  const found = rootsOf(events, wanted);
  const roots = found.map((root) => root.root_trace_id);
  const judged = await foundVerdicts(parts.store.ledger, scope, roots);
  return found.map((root) => ({ ...root, verdicts: verdictsOf(root, judged) }));
}

/** The turns of a root with the id; all of them where none of its events has one. */
function verdictsOf(
  { root_trace_id, turn_ids }: Omit<FoundRoot, "verdicts">,
  judged: ReadonlyMap<string, readonly FoundVerdict[]>,
): readonly FoundVerdict[] | null {
  const all = judged.get(root_trace_id);
  if (all === undefined) return null;
  const named = all.filter(({ turn_id }) => turn_id !== null && turn_ids.includes(turn_id));
  return named.length === 0 ? all : named;
}

function rootsOf(
  events: readonly TurnEvent[],
  wanted: string,
): readonly Omit<FoundRoot, "verdicts">[] {
  const groups = Map.groupBy(events, (event) => event.root_trace_id ?? "");
  return [...groups].map(([root, members]) => {
    const times = members.map((event) => event.timestamp).toSorted(compareTimes);
    const turns = members.flatMap((event) => event.turn_id ?? []);
    return {
      root_trace_id: root,
      agent_id: members.find((event) => event.agent_id !== undefined)?.agent_id ?? null,
      thread_id: members.find((event) => event.thread_id !== undefined)?.thread_id ?? null,
      turn_ids: [...new Set(turns)],
      matched_by: [...new Set(members.flatMap((event) => fieldsOf(event, wanted)))].toSorted(),
      event_ids: members.slice(0, eventIdsMax).map((event) => event.event_id),
      event_count: members.length,
      first_at: times[0] ?? "",
      last_at: times.at(-1) ?? "",
      has_error: members.some((event) => event.status === "error"),
    };
  });
}

/** Names of the fields of an event with the id. */
function fieldsOf(event: TurnEvent, wanted: string): readonly string[] {
  const { attributes, input_refs, output_refs, selection_ledger, links, ...own } = event;
  const fields = [...Object.entries(own), ...Object.entries(attributes)]
    .filter(([, value]) => value === wanted || (Array.isArray(value) && value.includes(wanted)))
    .map(([name]) => name);
  if (input_refs?.some((item) => item.ref === wanted)) fields.push("input_refs");
  if (output_refs?.some((item) => item.ref === wanted)) fields.push("output_refs");
  if (selection_ledger?.some((item) => item.resource.ref === wanted)) {
    fields.push("selection_ledger");
  }
  if (links?.some((link) => link.trace_id === wanted || link.span_id === wanted)) {
    fields.push("links");
  }
  return fields;
}
