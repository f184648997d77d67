/**
 * @module Scope of memory: no unit returns another tenant's row, whatever the ids are, and a
 * provider that returns one is not believed.
 */
import { Memory } from "@turnproof/memory";
import type { MemoryPlace, ScopeProof } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import { CodedError, scopedKinds } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { everything, fill } from "./filled-memory.ts";
import { recordedTurn, textOf } from "./recorded-turn.ts";

const codeOf = (error: unknown): string => (CodedError.is(error) ? error.code : String(error));
const rejection = (work: Promise<unknown>): Promise<string> => work.then(() => "resolved", codeOf);
/** A row of the kind that no unit writes: words of an imported bundle, kept for reveal. */
async function importWords(store: MemoryStore, userId: string): Promise<void> {
  const draft = { id: "w", text: "imported", data: {}, created_at: "2026-11-21T10:00:00.000Z" };
  await store.put({ tenant: userId }, "trace_content", draft);
}

describe("tenants", () => {
  const ids = fc.oneof(
    fc.constantFrom(
      "ann",
      "Ann",
      "ann ",
      "../x",
      "$ne",
      "null",
      "' OR 1=1 --",
      "\u0430nn",
      "ann\u0000",
    ),
    fc.string({ minLength: 1, maxLength: 40 }),
  );

  test("never see each other, whoever they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(ids, { minLength: 2, maxLength: 5 }), async (users) => {
        const memory = new Memory(ephemeralMemory());
        const places: MemoryPlace[] = [...users, null].map((userId) => ({
          userId,
          agentId: "desk",
          memoryId: "m1",
          threadId: "t1",
        }));
        for (const [i, place] of places.entries()) await fill(memory, place, `canary-${i}-mark`);
        for (const [i, place] of places.entries()) {
          const seen = await everything(memory, place);
          const marks = new Set(seen.match(/canary-\d+-mark/g));
          expect([...marks]).toEqual([`canary-${i}-mark`]);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("a missing, undefined or null user is the anonymous scope, an empty one an error", async () => {
    const memory = new Memory(ephemeralMemory());
    await fill(memory, { userId: "ann", agentId: "a", memoryId: "m", threadId: "t" }, "hers");
    await fill(memory, { agentId: "a", memoryId: "m", threadId: "t" }, "nobodys");
    for (const userId of [undefined, null]) {
      const seen = await everything(memory, { userId, agentId: "a", memoryId: "m", threadId: "t" });
      expect(seen).toContain("nobodys");
      expect(seen).not.toContain("hers");
    }
    const wrong = (place: unknown): Promise<string> =>
      rejection(memory.conversation.history(place as MemoryPlace));
    expect(await wrong({ userId: "", threadId: "t" })).toBe("identity_empty");
    expect(await wrong({ userId: { $ne: null }, threadId: "t" })).toBe("record_invalid");
    expect(await wrong({ userId: 0, threadId: "t" })).toBe("record_invalid");
    expect(await wrong({ userId: "ann" })).toBe("identity_missing");
    expect(await wrong({ userId: "ann", threadId: "" })).toBe("identity_empty");
    expect(await wrong(undefined)).toBe("identity_missing");
  });

  test("a history without an agent never mixes agents", async () => {
    const memory = new Memory(ephemeralMemory());
    const place = { userId: "ann", memoryId: "m", threadId: "t" };
    await memory.conversation.append({ ...place, agentId: "desk" }, [{ role: "user", text: "d" }]);
    await memory.conversation.append({ ...place, agentId: "shop" }, [{ role: "user", text: "s" }]);
    expect(await memory.conversation.history(place)).toEqual([]);
    await memory.conversation.append(place, [{ role: "user", text: "nobody's" }]);
    const texts = async (at: MemoryPlace): Promise<readonly string[]> =>
      (await memory.conversation.history(at)).map(({ text }) => text);
    expect(await texts(place)).toEqual(["nobody's"]);
    expect(await texts({ ...place, agentId: "desk" })).toEqual(["d"]);
    const { history } = await memory.assembleContext(place, { text: "what" });
    expect(history.map(({ text }) => text)).toEqual(["nobody's"]);
  });
});

describe("the proof of scope", () => {
  test("every read says which scope it applied and how many rows came back", async () => {
    const proofs: ScopeProof[] = [];
    const memory = new Memory(ephemeralMemory(), { onRead: (proof) => proofs.push(proof) });
    const { turn, recorded, values } = recordedTurn();
    const place = { userId: "ann", agentId: "desk", memoryId: "m1", threadId: "t1" };
    await fill(memory, place, "hers");
    await everything(memory, { ...place, turn });
    expect(proofs.length).toBeGreaterThan(8);
    expect(new Set(proofs.map((proof) => proof.scope_applied))).toEqual(new Set(["user"]));
    expect(proofs.every((proof) => proof.foreign_rows === 0)).toBe(true);
    expect(values("foreign_rows").every((rows) => rows === 0)).toBe(true);
    const reads = recorded.filter(({ draft }) => draft.name === "search_memory");
    expect(reads).toHaveLength(proofs.length);
    expect(textOf(recorded)).not.toMatch(/hers|Lisbon|Tejo/);
  });

  test("a provider that returns a foreign row is not believed, and it shows", async () => {
    const honest = ephemeralMemory();
    const place = { userId: "ann", agentId: "desk", memoryId: "m1", threadId: "t1" };
    await fill(new Memory(honest), { ...place, userId: "eve" }, "eves");
    await fill(new Memory(honest), place, "anns");
    const leaking: MemoryStore = {
      ...honest,
      list: async (filter, kind, options) => {
        const both = await Promise.all(
          ["eve", "ann"].map((tenant) => honest.list({ ...filter, tenant }, kind, options)),
        );
        return { records: both.flatMap(({ records }) => records), next: null };
      },
      vectorSearch: (filter, kind, query) =>
        honest.vectorSearch({ ...filter, tenant: "eve" }, kind, query),
      textSearch: (filter, kind, query) =>
        honest.textSearch({ ...filter, tenant: "eve" }, kind, query),
      get: (filter, kind, id) => honest.get({ ...filter, tenant: "eve" }, kind, id),
    };
    const { turn, recorded, values } = recordedTurn();
    const wordless = { provider: "x", modelId: "y", doEmbed: () => Promise.reject(new Error("x")) };
    const seen = [
      await everything(new Memory(leaking), { ...place, turn }),
      await everything(new Memory(leaking, { embedder: wordless }), { ...place, turn }),
    ].join(" ");
    expect(seen).toContain("anns");
    expect(seen).not.toContain("eves");
    expect(values("foreign_rows").filter((rows) => Number(rows) > 0).length).toBeGreaterThan(3);
    expect(recorded.some(({ result }) => result.status === "error")).toBe(true);
  });
});

describe("administration", () => {
  test("a user is deleted kind by kind, after a dry run that deletes nothing", async () => {
    const store = ephemeralMemory();
    const memory = new Memory(store);
    const place = { agentId: "a", memoryId: "m", threadId: "t" };
    for (const userId of ["ann", "ben", null])
      await fill(memory, { ...place, userId }, `of ${userId}`);
    await importWords(store, "ann");
    const dry = await deleteUser(store, { userId: "ann" });
    expect(dry.kinds.map(({ kind }) => kind)).toEqual(scopedKinds);
    expect(dry.kinds.every(({ found }) => found > 0)).toBe(true);
    expect(dry).toMatchObject({ dry_run: true, deleted: 0, complete: false });
    expect(await everything(memory, { ...place, userId: "ann" })).toContain("of ann");
    const done = await deleteUser(store, { userId: "ann", dryRun: false });
    expect(done).toMatchObject({
      dry_run: false,
      found: dry.found,
      deleted: dry.found,
      complete: true,
    });
    expect(await everything(memory, { ...place, userId: "ann" })).not.toContain("of ann");
    expect(await everything(memory, { ...place, userId: "ben" })).toContain("of ben");
    expect(await everything(memory, place)).toContain("of null");
    expect(await rejection(deleteUser(store, { userId: "" }))).toBe("identity_empty");
    expect(await rejection(deleteUser(store, { userId: undefined as never }))).toBe(
      "identity_missing",
    );
  });

  test("a failing kind does not stop the others, and is no completeness", async () => {
    const store = ephemeralMemory();
    await fill(new Memory(store), { userId: "ann", threadId: "t", memoryId: "m" }, "x");
    await importWords(store, "ann");
    const admin = {
      ...store.admin,
      deleteTenant: (filter: { tenant: string | null }, kind: (typeof scopedKinds)[number]) =>
        kind === "summary"
          ? Promise.reject(new CodedError("store_unavailable"))
          : store.admin.deleteTenant(filter, kind),
    };
    const report = await deleteUser(admin, { userId: "ann", dryRun: false });
    expect(report.complete).toBe(false);
    expect(report.kinds.find(({ kind }) => kind === "summary")?.error).toBe("store_unavailable");
    expect(report.kinds.filter(({ remaining }) => remaining === 0)).toHaveLength(
      scopedKinds.length - 1,
    );
  });

  test("forgetting inside a turn is evidence by a hash, and only when something was forgotten", async () => {
    const { entities } = new Memory(ephemeralMemory());
    const { turn, recorded, values } = recordedTurn();
    const place = { userId: "ann", agentId: "desk", memoryId: "m", turn };
    await entities.remember(place, { name: "canary-dog", text: "canary-rex" });
    expect(await entities.forget({ ...place, userId: "ben" }, "canary-dog")).toBe(false);
    expect(values("learning_event")).toEqual([]);
    expect(await entities.forget(place, "canary-dog")).toBe(true);
    expect(await entities.forget(place, "canary-dog")).toBe(false);
    expect(values("learning_event")).toEqual(["memory_forgotten"]);
    expect(values("candidate_ref")).toEqual([expect.stringMatching(/^sha256:/)]);
    expect(textOf(recorded)).not.toContain("canary");
  });

  test("legacy entities of one exact memory are adopted, and become readable", async () => {
    const store = ephemeralMemory();
    const { entities } = new Memory(store);
    for (const name of ["city", "dog"])
      await entities.remember({ memoryId: "m" }, { name, text: name });
    await entities.remember({ memoryId: "other" }, { name: "city", text: "elsewhere" });
    await entities.remember({ memoryId: "m", userId: "ben" }, { name: "city", text: "bens" });
    expect(await entities.migrateLegacyScope({ memoryId: "m", userId: "ann" })).toBe(2);
    expect(await entities.migrateLegacyScope({ memoryId: "m", userId: "ann" })).toBe(0);
    const mine = await entities.list({ userId: "ann", agentId: "desk", memoryId: "m" });
    expect(mine.map(({ text }) => text).toSorted()).toEqual(["city", "dog"]);
    expect(await entities.list({ memoryId: "m" })).toEqual([]);
    expect(await entities.list({ memoryId: "other" })).toHaveLength(1);
    const refused = (scope: unknown): Promise<string> =>
      rejection(entities.migrateLegacyScope(scope as { memoryId: string; userId: string }));
    expect(await refused({ memoryId: "", userId: "a" })).toBe("identity_empty");
    expect(await refused({ memoryId: "m", userId: null })).toBe("identity_missing");
    const { admin: _, ...unprivileged } = store;
    const handle = new Memory(unprivileged).entities;
    expect(await rejection(handle.migrateLegacyScope({ memoryId: "m", userId: "a" }))).toBe(
      "capability_missing",
    );
  });
});
