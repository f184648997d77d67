/**
 * @module MemoryAnswer: runs one command on a provider and on the reference, and compares the two
 * answers with each other and with the scope of the command.
 */
import { deepEqual, equal, ok } from "node:assert/strict";

import { CodedError } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import type { MemoryFilter, MemoryRecord, SearchResult, SharedRecord } from "../memory-store.ts";
import type { AdministeredMemory } from "../provider.ts";
import { walkRows } from "./memory-row-clauses.ts";
import { withoutWriting } from "./on-memory.ts";
import type { MemoryCommand } from "./random-memory.ts";

/** Engines compute cosines with narrower floats; scores may differ by this much. */
const scoreTolerance = 1e-5;

/** More hits than any small test world has. */
const everyHit = 10_000;

type Step<K extends MemoryCommand["do"]> = Extract<MemoryCommand, { readonly do: K }>;

/** Checked without the store's own check, which may be broken. */
export function insideScope(rows: readonly MemoryRecord[], filter: MemoryFilter): void {
  for (const row of rows) {
    ok(row.user_id === filter.tenant, "a row of another tenant left the store");
    ok(filter.memoryId === undefined || row.memory_id === filter.memoryId);
    ok(filter.threadId === undefined || row.thread_id === filter.threadId);
  }
}

/** Runs the command on both and throws an AssertionError where they differ. */
export async function sameAnswer(
  store: AdministeredMemory,
  reference: AdministeredMemory,
  command: MemoryCommand,
): Promise<void> {
  if (command.do === "vector") {
    await sameNeighbours(store, reference, command);
    return;
  }
  deepEqual(await answerOf(store, command), await answerOf(reference, command));
}

async function answerOf(store: AdministeredMemory, command: MemoryCommand): Promise<unknown> {
  try {
    return "filter" in command && command.filter !== unscoped
      ? await scopedAnswer(store, command)
      : await otherAnswer(store, command);
  } catch (error) {
    if (CodedError.is(error)) return { refused: error.code };
    throw error;
  }
}

async function scopedAnswer(store: AdministeredMemory, command: MemoryCommand): Promise<unknown> {
  const shown = (rows: readonly (MemoryRecord | undefined)[], filter: MemoryFilter): unknown => {
    const there = rows.filter((row) => row !== undefined);
    insideScope(there, filter);
    return there.map(withoutWriting);
  };
  switch (command.do) {
    case "put":
      return shown([await store.put(command.filter, command.kind, command.draft)], command.filter);
    case "get":
      return shown([await store.get(command.filter, command.kind, command.id)], command.filter);
    case "count":
      return store.count(command.filter, command.kind);
    case "delete":
      return store.delete(command.filter, command.kind, command.id);
    case "list": {
      const pages = await walkRows(store, command.filter, command.kind, command);
      return pages.map((page) => shown(page, command.filter));
    }
    case "update":
      return shown([await updated(store, command)], command.filter);
    case "text": {
      const { filter, kind, text, limit } = command;
      const result = await store.textSearch(filter, kind, { text, limit });
      equal(result.bounded, false);
      const scores = result.hits.map((hit) => hit.score);
      return [
        scores,
        shown(
          result.hits.map((hit) => hit.record),
          filter,
        ),
      ];
    }
    default:
      return otherAnswer(store, command);
  }
}

async function updated(store: AdministeredMemory, command: Step<"update">): Promise<MemoryRecord> {
  const { filter, kind, id, stale, change } = command;
  const version = (await store.get(filter, kind, id))?.version ?? 1;
  return store.update(filter, kind, id, stale ? version + 1 : version, change);
}

async function otherAnswer(store: AdministeredMemory, command: MemoryCommand): Promise<unknown> {
  const { admin, shared } = store;
  const shown = (row: SharedRecord | undefined): unknown => row && withoutWriting(row);
  switch (command.do) {
    case "rows": {
      const rows: MemoryRecord[] = [];
      for await (const row of admin.rows(command.filter, command.kind)) rows.push(row);
      if (command.filter !== unscoped) insideScope(rows, command.filter);
      return rows.map(withoutWriting);
    }
    case "adminCount":
      return admin.count(command.filter, command.kind);
    case "deleteTenant":
      return admin.deleteTenant(command.filter, command.kind);
    case "migrate":
      return admin.migrateLegacyEntities(command);
    case "sharedPut": {
      const { id, data, created_at, text } = command.draft;
      const draft = { id, data, created_at, ...(text === undefined ? {} : { text }) };
      return shown(await shared.put(command.kind, draft));
    }
    case "sharedGet":
      return shown(await shared.get(command.kind, command.id));
    case "sharedDelete":
      return shared.delete(command.kind, command.id);
    case "sharedUpdate": {
      const version = (await shared.get(command.kind, command.id))?.version ?? 1;
      return shown(await shared.update(command.kind, command.id, version, { changed: true }));
    }
    default:
      throw new RangeError(`no answer to ${command.do}`);
  }
}

/**
 * The same neighbours: equal scores, each row with its score in the reference. Rows with equal
 * scores may swap, because the engine's floats differ in the last digits.
 */
async function sameNeighbours(
  store: AdministeredMemory,
  reference: AdministeredMemory,
  command: Step<"vector">,
): Promise<void> {
  const { filter, kind, embedding, limit, minScore, now } = command;
  const search = (from: AdministeredMemory, most: number): Promise<SearchResult> =>
    from.vectorSearch(filter, kind, {
      embedding,
      limit: most,
      now,
      ...(minScore === undefined ? {} : { minScore }),
    });
  const found = await search(store, limit);
  const all = (await search(reference, everyHit)).hits;
  const expected = new Map(all.map((hit) => [hit.record.id, hit]));
  insideScope(
    found.hits.map((hit) => hit.record),
    filter,
  );
  equal(found.bounded, false);
  equal(found.hits.length, Math.min(limit, all.length));
  equal(new Set(found.hits.map((hit) => hit.record.id)).size, found.hits.length);
  for (const [n, hit] of found.hits.entries()) {
    const same = expected.get(hit.record.id);
    ok(same !== undefined, "a row that the reference does not find");
    deepEqual(withoutWriting(hit.record), withoutWriting(same.record));
    ok(Math.abs(hit.score - same.score) <= scoreTolerance, "a score of its own");
    ok(Math.abs(hit.score - (all[n]?.score ?? 0)) <= scoreTolerance, "a better row was missed");
  }
}
