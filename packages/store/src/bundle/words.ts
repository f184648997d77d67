/**
 * @module BundleWords: by which words an index of hashes knows a bundle: every id that one of its
 * events says or is called by, and the values that pages of events are filtered by. A hash finds
 * candidates only; the body decides.
 */
import type { EventQuery, TurnEvent } from "@turnproof/evidence";

import { addNamedIds, ownWords, wordsOfId } from "../mention.ts";
import type { EvidenceScope } from "../scope.ts";
import { murmur32 } from "./murmur.ts";

const anonymous = "scope:anonymous";

function idOf(value: string): string {
  return `id:${value}`;
}

/** Filters whose values are words of the bundle, with what stands before them. */
const valueFilters = {
  agent_id: "agent",
  event_kind: "kind",
  status: "status",
  tool_name: "tool",
} as const;

const idFilters = [
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "task_id",
  "resource_ref",
] as const;

/** Hashes of the words of some events, each once and sorted. */
export function hashesOf(events: readonly TurnEvent[]): readonly number[] {
  const words = new Set<string>();
  const addId = (id: string): void => {
    words.add(idOf(id));
  };
  for (const event of events) {
    addNamedIds(event, addId);
    for (const word of ownWords(event)) addId(word);
    if (event.user_id === null) words.add(anonymous);
    const { agent_id, application_id, event_kind, status, attributes } = event;
    // An agent that nobody names is called by its application, see evidence's resolveEvents.
    for (const name of [agent_id, application_id, attributes.agent_name]) {
      if (name !== undefined) words.add(`agent:${name}`);
    }
    if (attributes.tool_name !== undefined) words.add(`tool:${attributes.tool_name}`);
    words.add(`kind:${event_kind}`);
    words.add(`status:${status}`);
  }
  return [...new Set([...words].map(murmur32))].toSorted((a, b) => a - b);
}

/** Hashes of the words by which an event is found that names the id; any one of them will do. */
export function hashesOfId(id: string): readonly number[] {
  return wordsOfId(id).map((word) => murmur32(idOf(word)));
}

/**
 * Hashes that a root must have, each in one of its bundles, to hold anything of a read. Identity is
 * inherited inside of a root: the bundle that says the tenant need not hold the event that is
 * shown.
 */
export function hashesOfRead(scope: EvidenceScope, query: EventQuery): readonly number[] {
  const words: string[] = [];
  for (const field of idFilters) {
    const value = query[field];
    if (value !== undefined) words.push(value === null ? anonymous : idOf(value));
  }
  for (const [field, before] of Object.entries(valueFilters)) {
    const value = query[field as keyof typeof valueFilters];
    if (value !== undefined) words.push(`${before}:${value}`);
  }
  if ("tenant" in scope) words.push(scope.tenant === null ? anonymous : idOf(scope.tenant));
  return [...new Set(words)].map(murmur32);
}
