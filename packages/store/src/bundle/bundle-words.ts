/**
 * @module BundleWords: the words under which a bundle is indexed by hash: every id in its events,
 * and the values that pages of events are filtered by. A hash finds candidates only; the body
 * decides.
 */
import type { EventQuery, TurnEvent } from "@turnproof/evidence";

import { addNamedIds, ownWords, wordsOfId } from "../mention.ts";
import { applicationOf } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import { murmur32 } from "./murmur.ts";

const anonymous = "scope:anonymous";

/** The word of an id. */
export function idWord(value: string): string {
  return `id:${value}`;
}

/** Filters on an event's own fields, with the prefix of their word. */
const rowFilters = {
  event_kind: "kind:",
  status: "status:",
  tool_name: "tool:",
  task_id: "id:",
  resource_ref: "id:",
} as const;

/**
 * Filters on identity, which a row may inherit from others of its root; the most selective first.
 */
const rootFilters = {
  turn_id: "id:",
  run_id: "id:",
  thread_id: "id:",
  user_id: "id:",
  memory_id: "id:",
} as const;
/** Most roots share an agent. The application of each event has the word of its agent, too. */
const commonFilters = { agent_id: "agent:", application_id: "agent:" } as const;

/**
 * Hashes of the words of some events, each once: common words first, in the order of their texts.
 * Rows of similar turns begin alike then, which compresses; sorted hashes would not.
 */
export function hashesOf(events: readonly TurnEvent[]): readonly number[] {
  const ids = new Set<string>();
  const words = new Set<string>();
  const addId = (id: string): void => {
    ids.add(id);
  };
  // Most events of a root have the same values as the one before.
  let before: TurnEvent | undefined;
  for (const event of events) {
    addNamedIds(event, addId);
    for (const word of ownWords(event)) ids.add(word);
    const { agent_id, application_id, event_kind, status, attributes, user_id } = event;
    const { source_store: store } = event;
    if (user_id === null && before?.user_id !== null) words.add(anonymous);
    // An agent without a name has the name of its application; see evidence's resolveEvents.
    if (agent_id !== undefined && agent_id !== before?.agent_id) words.add(`agent:${agent_id}`);
    if (application_id !== undefined && application_id !== before?.application_id) {
      words.add(`agent:${application_id}`);
    }
    if (attributes.agent_name !== undefined) words.add(`agent:${attributes.agent_name}`);
    if (attributes.tool_name !== undefined) words.add(`tool:${attributes.tool_name}`);
    // Nearly all evidence is in the trace store; only the others get a word.
    if (store !== undefined && store !== "trace") words.add(`store:${store}`);
    if (event_kind !== before?.event_kind) words.add(`kind:${event_kind}`);
    if (status !== before?.status) words.add(`status:${status}`);
    before = event;
  }
  const hashes = new Set<number>();
  for (const word of [...words].sort()) hashes.add(murmur32(word));
  for (const id of ids) hashes.add(murmur32(idWord(id)));
  return [...hashes];
}

/** Hashes under which events that contain the id are found; any one of them is enough. */
export function hashesOfId(id: string): readonly number[] {
  return wordsOfId(id).map((word) => murmur32(idWord(word)));
}

/** Hashes that a row must all have to contain an event of a read. */
export function rowWords(query: EventQuery): readonly number[] {
  const { store } = query;
  const other = store === "conversation" || store === "tool_log" ? [`store:${store}`] : [];
  return [...requestedWords(query, rowFilters), ...other].map(murmur32);
}

/**
 * Hashes that a root must have, each in one of its bundles, to contain anything of a read.
 * Identity is inherited inside a root: the bundle with the tenant need not have the event that is
 * returned. The tenant's first, then the most selective by field.
 */
export function rootWords(scope: EvidenceScope, query: EventQuery): readonly number[] {
  const words = [...requestedWords(query, rootFilters), ...requestedWords(query, commonFilters)];
  // A principal of a small application must not read through the roots of the others.
  const application = applicationOf(scope);
  if (application !== undefined) words.push(`agent:${application}`);
  return [...new Set([...scopeWords(scope), ...words.map(murmur32)])];
}

/** Hashes that a root must have to contain anything of the scope: its tenant, if it has one. */
export function scopeWords(scope: EvidenceScope): readonly number[] {
  if (!("tenant" in scope)) return [];
  return [murmur32(scope.tenant === null ? anonymous : idWord(scope.tenant))];
}

function requestedWords(
  query: EventQuery,
  filters: Readonly<Partial<Record<keyof EventQuery, string>>>,
): string[] {
  return Object.entries(filters).flatMap(([field, before]) => {
    const value = query[field as keyof EventQuery];
    if (value === undefined) return [];
    return [value === null ? anonymous : `${before}${String(value)}`];
  });
}
