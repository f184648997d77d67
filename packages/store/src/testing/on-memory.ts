/** @module OnMemory: a clause over one new memory, and functions for its body. */
import { rejects } from "node:assert/strict";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { MemoryDraft, MemoryRecord } from "../memory-store.ts";
import type { AdministeredMemory } from "../provider.ts";
import type { KitClause } from "./contract.ts";

/** A clause over one new memory, closed afterwards. */
export function onMemory(
  name: string,
  body: (store: AdministeredMemory) => Promise<void>,
): KitClause {
  return {
    name,
    async run(harness) {
      const store = await harness.openMemory();
      try {
        await body(store);
      } finally {
        await store.close();
      }
    },
  };
}

/** A draft with this id; `fields` overrides. */
export function draftOf(id: string, fields: Partial<MemoryDraft> = {}): MemoryDraft {
  return { id, data: { n: 1 }, created_at: "2026-03-01T10:00:00.000Z", ...fields };
}

/** A row without its write time, which differs between two stores. */
export function withoutWriting<T extends { readonly updated_at: string }>(
  row: T,
): Omit<T, "updated_at"> {
  const { updated_at: _updated, ...rest } = row;
  return rest;
}

/** Ids of rows, in order. */
export function idsOf(rows: readonly Pick<MemoryRecord, "id">[]): string[] {
  return rows.map((row) => row.id);
}

/** Expects a rejection with this code. */
export async function refuses(work: Promise<unknown>, code: Code): Promise<void> {
  await rejects(work, (error: unknown) => CodedError.is(error) && error.code === code);
}
