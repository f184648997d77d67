/**
 * @module A test of the test: each statement over scoped memory without its tenant filter fails the
 * isolation clauses, and every statement has one.
 */
import { scopedKinds } from "@turnproof/semconv";
import { unscoped } from "@turnproof/store/admin";
import { postgres } from "@turnproof/store";
import type { AdministeredMemory } from "@turnproof/store";
import { allTenants, memoryClauses, memoryIsolationClauses } from "@turnproof/store/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import type { EmptiedPostgres } from "./embedded-postgres.ts";
import { hasTenant, watchedEmbedded, withoutTenant } from "./statement-postgres.ts";
import type { Watch } from "./statement-postgres.ts";

let embedded: EmptiedPostgres;
beforeAll(async () => {
  embedded = await startEmbeddedPostgres();
});
afterAll(() => embedded.engine.close());

async function openWatched(watch: Watch): Promise<AdministeredMemory> {
  await embedded.open();
  return (await postgres({ client: watchedEmbedded(embedded.engine, watch) })).memory;
}

/** The first clause that a memory with changed statements of one form fails, and its error. */
async function failure(change: (sql: string) => string): Promise<string | undefined> {
  let failed: string | undefined;
  for (const clause of [...memoryIsolationClauses, ...memoryClauses]) {
    const harness = {
      open: () => Promise.reject(new Error("memory only")),
      openMemory: () => openWatched({ change }),
      settle: async () => {},
      effort: { sequences: 3, commands: 20, seed: 7 },
    };
    await clause.run(harness).catch((error: unknown) => {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      failed = `${clause.name}: ${String(cause)}`;
    });
    if (failed !== undefined) return failed;
  }
  return undefined;
}

const without =
  (form: RegExp) =>
  (sql: string): string =>
    form.test(sql) ? withoutTenant(sql) : sql;

describe("a memory without the tenant filter", () => {
  const forms: Readonly<Record<string, RegExp>> = {
    "reading one row": /^SELECT row_no[^]*LIMIT 1$/,
    listing: /ORDER BY created_key DESC, id LIMIT/,
    counting: /^SELECT count\(\*\)::text AS n FROM \w+ WHERE/,
    deleting: /^DELETE FROM/,
    "the vector search": /<=>/,
    "the text fallback": /body IS NOT NULL/,
  };
  test.each(Object.entries(forms))("in %s fails", async (_name, form) => {
    const failed = await failure(without(form));
    expect(failed).toBeDefined();
    // It fails for what it shows, not because the statement is no statement any more.
    expect(failed).not.toContain("(postgres ");
  });

  test("in changing fails, where the second read of the row does not help", async () => {
    const change = (sql: string): string =>
      sql.startsWith("UPDATE") || /^SELECT row_no[^]*LIMIT 1$/.test(sql) ? withoutTenant(sql) : sql;
    const failed = await failure(change);
    expect(failed).toBeDefined();
    expect(failed).not.toContain("(postgres ");
  });
});

test("every statement over a scoped kind holds the tenant, and no value stands in it", async () => {
  const seen: string[] = [];
  const memory = await openWatched({ see: (sql) => void seen.push(sql) });
  const evil = "x' OR 1=1 --";
  seen.length = 0;
  for (const kind of scopedKinds) {
    const filter = { tenant: evil, memoryId: evil };
    const row = { id: evil, text: evil, embedding: [1, 2], data: { [evil]: evil } };
    await memory.put(filter, kind, { ...row, created_at: "2026-03-01T10:00:00Z" });
    await memory.get(filter, kind, evil);
    await memory.list(filter, kind, { limit: 3 });
    await memory.count(filter, kind);
    await memory.update(filter, kind, evil, 1, { text: evil });
    await memory.vectorSearch(filter, kind, { embedding: [1, 2], limit: 3 });
    await memory.textSearch(filter, kind, { text: evil, limit: 3 });
    await memory.delete(filter, kind, evil);
    await memory.admin.deleteTenant(filter, kind);
    expect(await memory.admin.count(unscoped, kind)).toBe(0);
  }
  expect(seen.length).toBeGreaterThan(scopedKinds.length * 10);
  for (const sql of seen) {
    expect(sql).not.toContain("OR 1=1");
    // The planner chooses an index; no row is read or written.
    if (sql.startsWith("EXPLAIN INSERT INTO")) expect(sql).toContain("WHERE false");
    else if (sql.startsWith("INSERT INTO"))
      expect(sql).toContain("held.user_id IS NOT DISTINCT FROM");
    else if (!/^SELECT count\(\*\)::text AS n FROM \w+ WHERE true$/.test(sql)) {
      expect(hasTenant(sql), sql).toBe(true);
    }
  }
});

test("every search for evidence of a tenant holds the tenant", async () => {
  const seen: string[] = [];
  await embedded.open();
  const client = watchedEmbedded(embedded.engine, { see: (sql) => void seen.push(sql) });
  const { evidence } = await postgres({ client });
  const reads: readonly ((scope: { readonly tenant: string | null }) => Promise<unknown>)[] = [
    (scope) => evidence.page(scope, {}, { limit: 5 }),
    (scope) => evidence.bundles(scope, {}, { limit: 5 }),
  ];
  // Bundles are found by hashed words; of no other filter there is one here.
  const searched = /\bwords && \$\d+::(text::)?int\[\]/;
  for (const read of reads) {
    for (const tenant of ["u", null]) {
      seen.length = 0;
      await read({ tenant });
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatch(searched);
    }
  }
  for (const tenant of ["u", null]) {
    seen.length = 0;
    const where = [{ text: "root_trace_id", is: "t' OR 1=1" }] as const;
    await evidence.ledger.countTurns({ scope: { tenant }, where });
    expect(seen[0]).toMatch(/\(tenant = \$\d+/);
    expect(seen[0]).not.toContain("OR 1=1");
  }
  seen.length = 0;
  await evidence.find({ tenant: "u" }, "t' OR 1=1", { thread_id: "t' OR 1=1" }, { limit: 5 });
  expect(seen[0]).not.toContain("OR 1=1");
  seen.length = 0;
  await evidence.page(allTenants, {}, { limit: 5 });
  expect(seen[0]).not.toMatch(searched);
});
