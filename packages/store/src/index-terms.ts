/**
 * @module IndexTerms: under which words the native index knows a root: every id that one of its
 * rows says, and that a row says anonymous. Identity is inherited inside of a root, so one row that
 * says a value makes the root a candidate for it; what is shown is decided exactly after settling.
 */
import { createHash } from "node:crypto";

import type { TurnEvent } from "@turnproof/evidence";

import { addNamedIds, ownWords, wordsOfId } from "./mention.ts";
import type { Question } from "./search-condition.ts";

const anonymous = "scope:anonymous";
const idOf = (value: string): string => `id:${value}`;

/** Hashes of the words of these rows and of the ids by which they are called, sorted. */
export function termsOfAll(events: readonly TurnEvent[]): readonly number[] {
  const own = events.flatMap(ownWords).map((word) => hashOf(idOf(word)));
  return [...new Set([...termsOf(events), ...own])].toSorted((a, b) => a - b);
}

/** Hashes of the words of these rows, sorted; rows themselves are not called by any of them. */
export function termsOf(events: readonly TurnEvent[]): readonly number[] {
  const words = new Set<string>();
  const add = (id: string): void => {
    words.add(idOf(id));
  };
  for (const event of events) {
    addNamedIds(event, add);
    // A turn without an id of its own, and its run, are named by its span.
    if (event.event_kind === "turn" && typeof event.span_id === "string") add(event.span_id);
    if (event.user_id === null) words.add(anonymous);
  }
  return [...new Set([...words].map(hashOf))].toSorted((a, b) => a - b);
}

const indexed = [
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "root_trace_id",
  "task_id",
  "resource_ref",
] as const;

/** Hashes of the words of which a root must have one to hold what is found by an id. */
export function termsOfId(id: string): readonly number[] {
  return wordsOfId(id).map((word) => hashOf(idOf(word)));
}

/**
 * Hashes of the words that a root must have to hold anything that a read shows; of the id that it
 * looks for see {@link termsOfId}.
 */
export function termsOfRead({ scope, query }: Question): readonly number[] {
  const words = indexed.flatMap((field) => {
    const value: string | null | undefined = query[field];
    if (value === undefined) return [];
    return [value === null ? anonymous : idOf(value)];
  });
  if ("tenant" in scope) words.push(scope.tenant === null ? anonymous : idOf(scope.tenant));
  return [...new Set(words)].map(hashOf);
}

function hashOf(word: string): number {
  return createHash("sha256").update(word).digest().readUInt32BE(0);
}
