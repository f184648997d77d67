/**
 * @module Learning: what a system could learn from its turns, and the state of each candidate
 * (requirements: Recording; evidence: Insights). A recurring workflow is a sequence of tool names;
 * nothing here promotes a candidate.
 */
import { limits } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { compareEvents } from "../event/event-order.ts";
import { labelOf } from "../reconcile/finding-list.ts";
import { groupByIdentity, membersOf } from "../event/identity-tuple.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";
import { stableHash } from "../normalize/content-hash.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { toolResults } from "../turns/tool-outcomes.ts";
import { readWindow } from "../normalize/window-events.ts";

/** Least length of a workflow in tools, and the least number of threads it ran in. */
const workflowToolsMin = 2;
const workflowThreadsMin = 2;
/** A longer sequence is specific to one turn. */
const workflowToolsMax = 32;

/** The same sequence of tools in several threads of one tenant and agent. */
export interface RecurringWorkflow {
  /** Deterministic: from application, agent, tenant and tools. */
  readonly candidate_ref: string;
  readonly identity: Pick<IdentityTuple, "application_id" | "agent_id" | "user_id">;
  readonly tools: readonly string[];
  /**
   * The tools in order, for readers: `search → write`, at most 240 characters. A name that is no
   * label is `?`; where the text is not the complete sequence, a part of the ref distinguishes it.
   */
  readonly name: string;
  readonly threads: number;
  readonly turns: number;
  readonly evidence: readonly TurnEvent[];
}

/** State of a candidate in the window: its latest lifecycle event. */
export interface CandidateState {
  readonly candidate_ref: string;
  readonly learning_event: string | null;
  readonly lifecycle_state: string | null;
  readonly event_ids: readonly string[];
}

interface Row {
  readonly tools: readonly string[];
  readonly first: TurnEvent;
  readonly threads: Set<string>;
  turns: number;
  readonly evidence: TurnEvent[];
}

/** Recurring tool sequences; tenants and agents are never mixed. Linear except for sorting. */
export function findRecurringWorkflows(events: readonly TurnEvent[]): RecurringWorkflow[] {
  const results = toolResults(events);
  const groups = groupByIdentity(results);
  const owners = createIdentityTable(["application_id", "agent_id", "user_id"]);
  const rows = new Map<string, Row>();
  groups.tuples.forEach((identity, group) => {
    const calls = membersOf(results, groups, group).toSorted(compareEvents);
    const [first] = calls;
    const tools = calls.map((call) => call.attributes.tool_name);
    if (first === undefined || !isWorkflow(tools)) return;
    const key = JSON.stringify([owners.idOf(first), ...tools]);
    let row = rows.get(key);
    if (row === undefined) {
      row = { tools, first, threads: new Set(), turns: 0, evidence: [] };
      rows.set(key, row);
    }
    row.turns += 1;
    row.evidence.push(...calls);
    if (identity.thread_id !== undefined) row.threads.add(identity.thread_id);
  });
  return [...rows.values()]
    .filter((row) => row.threads.size >= workflowThreadsMin)
    .map(toWorkflow)
    .toSorted((a, b) => (a.candidate_ref < b.candidate_ref ? -1 : 1));
}

function isWorkflow(tools: readonly (string | undefined)[]): tools is readonly string[] {
  return (
    tools.length >= workflowToolsMin &&
    tools.length <= workflowToolsMax &&
    tools.every((tool) => tool !== undefined)
  );
}

function toWorkflow(row: Row): RecurringWorkflow {
  const { application_id, agent_id, user_id } = row.first;
  const owner = [application_id ?? null, agent_id ?? null, user_id ?? null, user_id === null];
  const ref = stableHash(JSON.stringify([owner, row.tools]));
  return {
    candidate_ref: `workflow:${ref}`,
    identity: {
      ...(application_id === undefined ? {} : { application_id }),
      ...(agent_id === undefined ? {} : { agent_id }),
      ...(user_id === undefined ? {} : { user_id }),
    },
    tools: row.tools,
    name: nameOf(row.tools, ref),
    threads: row.threads.size,
    turns: row.turns,
    evidence: row.evidence,
  };
}

const arrow = " → ";

/** Different sequences of one owner get different names, even when they begin alike. */
function nameOf(tools: readonly string[], ref: string): string {
  const labels = tools.map(labelOf);
  const words = labels.map((label) => label ?? "?");
  const whole = words.join(arrow);
  if (!labels.includes(null) && whole.length <= limits.stringCharsMax) return whole;
  const mark = ` (${tools.length} tools, ${ref.slice(0, 8)})`;
  const room = limits.stringCharsMax - mark.length;
  if (whole.length <= room) return `${whole}${mark}`;
  let fitting = "";
  for (const word of words) {
    const longer = `${fitting}${word}${arrow}`;
    if (longer.length + 1 > room) break;
    fitting = longer;
  }
  return `${fitting}…${mark}`;
}

/** Learning candidates of any window: recurring workflows. */
export function findLearningCandidates(events: readonly unknown[]): RecurringWorkflow[] {
  return findRecurringWorkflows(readWindow(events).events);
}

/** The lifecycle state of every candidate in the window's learning events. */
export function readCandidates(events: readonly unknown[]): CandidateState[] {
  const byCandidate = new Map<string, TurnEvent[]>();
  for (const event of readWindow(events).events) {
    const ref = event.event_kind === "learning" ? event.attributes.candidate_ref : undefined;
    if (ref === undefined) continue;
    const known = byCandidate.get(ref);
    if (known === undefined) byCandidate.set(ref, [event]);
    else known.push(event);
  }
  return [...byCandidate]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([candidate_ref, list]) => {
      const ordered = list.toSorted(compareEvents);
      const last = ordered.at(-1)?.attributes;
      return {
        candidate_ref,
        learning_event: last?.learning_event ?? null,
        lifecycle_state: last?.lifecycle_state ?? null,
        event_ids: ordered.map((event) => event.event_id),
      };
    });
}
