/**
 * @module LocateTerms: the texts under which the locate table knows an event, hashed. Ids stand as
 * they are, so that one may look for any of them; values of a closed or short list stand under the
 * name of their filter.
 */
import type { EventQuery, ResourceRef, TurnEvent } from "@turnproof/evidence";

import { mentionedAttributes, mentionedFields } from "../mention.ts";

/** Prefixes of values that are no ids. */
const under = {
  agent: (value: string): string => `agent:${value}`,
  tool: (value: string): string => `tool:${value}`,
  kind: (value: string): string => `kind:${value}`,
  status: (value: string): string => `status:${value}`,
} as const;

/** The status of most rows. */
const usualStatus = "success";

/** Rows that say their tenant is anonymous. */
const anonymousTerm = "scope:anonymous";

/**
 * Calls `add` with every text under which the event's root must be found, and `addCoarse` with those
 * that nearly every root has: of these the table only keeps the minutes. What the event `before` it,
 * under the same root and in the same minutes, said in the same place is left out.
 */
export function addTerms(
  event: TurnEvent,
  before: TurnEvent | undefined,
  add: (term: string) => void,
  addCoarse: (term: string) => void,
): void {
  for (const field of mentionedFields) {
    const value = event[field];
    if (typeof value === "string" && value !== before?.[field]) add(value);
  }
  // A turn without an id of its own, and its run, are named by its span.
  if (event.event_kind === "turn" && event.span_id !== undefined) add(event.span_id);
  if (event.user_id === null) add(anonymousTerm);
  for (const field of ["agent_id", "application_id"] as const) {
    const value = event[field];
    if (value !== undefined && value !== before?.[field]) add(under.agent(value));
  }
  if (event.event_kind !== before?.event_kind) addCoarse(under.kind(event.event_kind));
  if (event.status !== before?.status) {
    (event.status === usualStatus ? addCoarse : add)(under.status(event.status));
  }
  const { attributes } = event;
  for (const name in attributes) {
    if (name === "tool_name") add(under.tool(attributes.tool_name ?? ""));
    else if (mentionedNames.has(name)) add(attributes[name as "request_id"] ?? "");
    else if (name === "grounding_source_ids") attributes.grounding_source_ids?.forEach(add);
  }
  for (const { ref } of refsOf(event)) if (ref !== undefined) add(ref);
}

const mentionedNames: ReadonlySet<string> = new Set(mentionedAttributes);

/** Every reference of an event; stored form leaves out parts that were empty. */
function refsOf(event: TurnEvent): readonly Partial<ResourceRef>[] {
  const { input_refs, output_refs, selection_ledger } = event;
  if (input_refs === undefined && output_refs === undefined && selection_ledger === undefined) {
    return [];
  }
  const ledger = selection_ledger ?? [];
  return [
    ...(event.input_refs ?? []),
    ...(event.output_refs ?? []),
    ...ledger.map((line): Partial<ResourceRef> => line.resource ?? {}),
  ];
}

/** Terms of the filters that one row decides alone: those that lead to roots, and the coarse. */
export function rowTerms(query: EventQuery): {
  readonly fine: string[];
  readonly coarse: string[];
} {
  const { root_trace_id, task_id, resource_ref, tool_name, event_kind, status } = query;
  const fine = [root_trace_id, task_id, resource_ref].filter((term) => term !== undefined);
  const coarse: string[] = [];
  if (tool_name !== undefined) fine.push(under.tool(tool_name));
  if (event_kind !== undefined) coarse.push(under.kind(event_kind));
  if (status !== undefined) (status === usualStatus ? coarse : fine).push(under.status(status));
  return { fine, coarse };
}

/** The term of an identity filter, under which some row of the root stands. */
export function identityTerm(field: string, value: string | null): string {
  if (value === null) return anonymousTerm;
  return field === "agent_id" || field === "application_id" ? under.agent(value) : value;
}
