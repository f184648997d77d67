/**
 * @module A test of the test: a store that forgets the tenant in one read fails the isolation
 * clauses.
 */
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { contract, allTenants, evidenceClauses, isolationClauses } from "@turnproof/store/testing";
import type { KitClause } from "@turnproof/store/testing";
import { describe, expect, test } from "vitest";

/** Stores of which one method reads under an operator's grant, whatever scope it was given. */
const mutants: Readonly<Record<string, (store: EvidenceStore) => Partial<EvidenceStore>>> = {
  page: (store) => ({ page: (_scope, query, options) => store.page(allTenants, query, options) }),
  root: (store) => ({ root: (_scope, root, options) => store.root(allTenants, root, options) }),
  find: (store) => ({
    find: (_scope, id, query, options) => store.find(allTenants, id, query, options),
  }),
  bundles: (store) => ({
    bundles: (_scope, query, options) => store.bundles(allTenants, query, options),
  }),
  ledger: (store) => ({
    ledger: {
      ...store.ledger,
      listTurns: (question, page) =>
        store.ledger.listTurns({ ...question, scope: allTenants }, page),
    },
  }),
  application: (store) => ({
    page: (scope, query, options) =>
      store.page("tenant" in scope ? { tenant: scope.tenant } : scope, query, options),
  }),
};

/** The first clause that fails. */
async function failure(
  clauses: readonly KitClause[],
  open: () => EvidenceStore,
): Promise<string | undefined> {
  for (const clause of clauses) {
    const effort = { sequences: 30, commands: 40, seed: 11 };
    const openMemory = (): never => {
      throw new RangeError("evidence only");
    };
    const harness = { open: async () => open(), openMemory, settle: async () => {}, effort };
    const failed = await clause.run(harness).then(
      () => false,
      () => true,
    );
    if (failed) return clause.name;
  }
  return undefined;
}

describe("a store without one tenant filter", () => {
  test.each(Object.keys(mutants))("in %s fails", async (name) => {
    const open = (): EvidenceStore => {
      const store = ephemeral();
      return { ...store, ...mutants[name]?.(store) };
    };
    expect(await failure(isolationClauses, open)).toBeDefined();
  });

  test("and a whole one passes", async () => {
    expect(await failure(isolationClauses, ephemeral)).toBeUndefined();
  });
});

describe("the kit itself", () => {
  const open = async (): Promise<EvidenceStore> => ephemeral();

  test("needs clauses, knows their names, and exempts no isolation", () => {
    expect(() => contract("none", [], { open })).toThrow("needs clauses");
    expect(() => contract("x", evidenceClauses, { open, exempt: { "no such": "y" } })).toThrow(
      "no clause",
    );
    const [clause] = isolationClauses;
    const exempt = { [clause?.name ?? ""]: "too hard" };
    expect(() => contract("x", isolationClauses, { open, exempt })).toThrow("cannot be exempted");
  });
});
