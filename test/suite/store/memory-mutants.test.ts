/** @module A test of the test: a memory that drops the tenant from one method fails the clauses. */
import { AssertionError } from "node:assert";

import { CodedError } from "@turnproof/semconv";
import { ephemeralMemory, filesystem } from "@turnproof/store";
import type { MemoryFilter, MemoryRecord } from "@turnproof/store";
import { unscoped } from "@turnproof/store/admin";
import { memoryClauses, memoryIsolationClauses } from "@turnproof/store/testing";
import type { KitClause, Harness } from "@turnproof/store/testing";
import type { ScopedKind } from "@turnproof/semconv";
import { afterAll, describe, expect, test } from "vitest";

import { temporaryDirectories } from "./temporary-directory.ts";

type Memory = Awaited<ReturnType<Harness["openMemory"]>>;

/** Tenants that have a row which the filter would reach if it named no tenant. */
async function tenantsOf(
  store: Memory,
  kind: ScopedKind,
  own: MemoryFilter,
  reached: (row: MemoryRecord) => boolean = () => true,
): Promise<MemoryFilter[]> {
  const tenants = new Set<string | null>([own.tenant]);
  for await (const row of store.admin.rows(unscoped, kind)) {
    if (reached(row)) tenants.add(row.user_id);
  }
  return [...tenants].map((tenant) => ({ ...own, tenant }));
}

/** The first answer of any tenant that is one; what a query without its tenant filter gives. */
async function anyOf<T>(
  filters: readonly MemoryFilter[],
  request: (filter: MemoryFilter) => Promise<T>,
  isNone: (answer: T) => boolean,
): Promise<T> {
  let answer = await request(filters[0] as MemoryFilter);
  for (const filter of filters.slice(1)) if (isNone(answer)) answer = await request(filter);
  return answer;
}

/** Each takes the tenant filter out of one method and leaves everything else as it is. */
const mutants: Readonly<Record<string, (store: Memory) => Partial<Memory>>> = {
  get: (store) => ({
    get: async (filter, kind, id) => {
      const filters = await tenantsOf(store, kind, filter);
      return anyOf(
        filters,
        (one) => store.get(one, kind, id),
        (row) => row === undefined,
      );
    },
  }),
  list: (store) => ({
    list: async (filter, kind, options) => {
      const filters = await tenantsOf(store, kind, filter);
      const pages = await Promise.all(filters.map((one) => store.list(one, kind, options)));
      return { ...pages[0], next: null, records: pages.flatMap((page) => page.records) };
    },
  }),
  count: (store) => ({
    count: async (filter, kind) => {
      const filters = await tenantsOf(store, kind, filter);
      const counts = await Promise.all(filters.map((one) => store.count(one, kind)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  }),
  put: (store) => ({
    put: async (filter, kind, draft) => {
      const others = await tenantsOf(store, kind, filter, (row) => row.id === draft.id);
      for (const other of others.slice(1)) await store.delete(other, kind, draft.id);
      return store.put(filter, kind, draft);
    },
  }),
  update: (store) => ({
    update: async (filter, kind, id, version, change) => {
      const filters = await tenantsOf(store, kind, filter, (row) => row.id === id);
      const attempt = (one: MemoryFilter): Promise<MemoryRecord> =>
        store.update(one, kind, id, version, change);
      return attempt(filters[0] as MemoryFilter).catch((error: unknown) => {
        if (filters[1] === undefined) throw error;
        return attempt(filters[1]);
      });
    },
  }),
  delete: (store) => ({
    delete: async (filter, kind, id) => {
      const filters = await tenantsOf(store, kind, filter);
      return anyOf(
        filters,
        (one) => store.delete(one, kind, id),
        (deleted) => !deleted,
      );
    },
  }),
  vectorSearch: (store) => ({
    vectorSearch: async (filter, kind, query) => {
      const filters = await tenantsOf(store, kind, filter);
      const request = (one: MemoryFilter): ReturnType<Memory["vectorSearch"]> =>
        store.vectorSearch(one, kind, query);
      return anyOf(filters, request, (result) => result.hits.length === 0);
    },
  }),
  textSearch: (store) => ({
    textSearch: async (filter, kind, query) => {
      const filters = await tenantsOf(store, kind, filter);
      const request = (one: MemoryFilter): ReturnType<Memory["textSearch"]> =>
        store.textSearch(one, kind, query);
      return anyOf(filters, request, (result) => result.hits.length === 0);
    },
  }),
  "admin.rows": (store) => ({
    admin: { ...store.admin, rows: (_filter, kind) => store.admin.rows(unscoped, kind) },
  }),
  "admin.count": (store) => ({
    admin: { ...store.admin, count: (_filter, kind) => store.admin.count(unscoped, kind) },
  }),
  "admin.deleteTenant": (store) => ({
    admin: {
      ...store.admin,
      deleteTenant: async (filter, kind) => {
        let deleted = 0;
        for (const one of await tenantsOf(store, kind, filter)) {
          deleted += await store.admin.deleteTenant(one, kind);
        }
        return deleted;
      },
    },
  }),
  "case of tenants": (store) => ({
    get: (filter, kind, id) =>
      store.get({ ...filter, tenant: filter.tenant?.toLowerCase() ?? null }, kind, id),
    put: (filter, kind, draft) =>
      store.put({ ...filter, tenant: filter.tenant?.toLowerCase() ?? null }, kind, draft),
  }),
};

const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** Providers that are mutated, and how. */
const opened: Readonly<Record<string, () => Promise<Memory>>> = {
  ephemeral: async () => ephemeralMemory(),
  filesystem: async () => (await filesystem({ directory: await directories.make() })).memory,
};

/** Clauses that take longest come last: random histories, then those over many hostile names. */
const cost = ({ name }: KitClause): number =>
  name.startsWith("random") ? 2 : name.includes("hostile") ? 1 : 0;

/** The clause that a mutant failed over the provider before: it runs first over the next one. */
const failedBefore = new Map<string, string>();

/** The first clause that fails. @param likely name of the clause that runs first */
async function firstFailure(
  clauses: readonly KitClause[],
  openMemory: () => Promise<Memory>,
  likely?: string,
): Promise<string | undefined> {
  const place = (clause: KitClause): number => (clause.name === likely ? -1 : cost(clause));
  for (const clause of clauses.toSorted((a, b) => place(a) - place(b))) {
    const harness: Harness = {
      open: () => Promise.reject(new RangeError("memory only")),
      openMemory,
      settle: async () => {},
      effort: { sequences: 20, commands: 30, seed: 11 },
    };
    try {
      await clause.run(harness);
    } catch (error) {
      // A mutant that breaks by itself shows nothing: the answer has to be another one.
      const cause = (error as Error).cause ?? error;
      if (!(cause instanceof AssertionError) && !CodedError.is(cause)) throw error;
      return clause.name;
    }
  }
  return undefined;
}

describe.each(Object.keys(opened))("%s without the tenant filter", (provider) => {
  test.each(Object.keys(mutants))("in %s fails", async (name) => {
    const openMutant = async (): Promise<Memory> => {
      const store = await (opened[provider] as () => Promise<Memory>)();
      return { ...store, ...mutants[name]?.(store) };
    };
    const clauses = [...memoryIsolationClauses, ...memoryClauses];
    const failed = await firstFailure(clauses, openMutant, failedBefore.get(name));
    expect(failed).toBeDefined();
    failedBefore.set(name, failed ?? "");
  });
});

test("a whole memory passes", async () => {
  const all = [...memoryClauses, ...memoryIsolationClauses];
  expect(await firstFailure(all, async () => ephemeralMemory())).toBeUndefined();
});
