/**
 * @module RandomMemory: random histories over a small world of memory: a few hostile tenants that
 * look alike, few ids and levels, so that rows of several tenants share an id.
 */
import { scopedKinds, sharedKinds } from "@turnproof/semconv";
import type { ScopedKind, SharedKind, TenantFilter } from "@turnproof/semconv";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import { unscoped } from "../memory-admin.ts";
import type { AdminFilter, LegacyScope } from "../memory-admin.ts";
import type { MemoryDraft, MemoryFilter } from "../memory-store.ts";
import { hostileNames } from "./hostile.ts";

interface Where {
  readonly filter: MemoryFilter;
  readonly kind: ScopedKind;
}

/** One step of a history. */
export type MemoryCommand =
  | ({ readonly do: "put"; readonly draft: MemoryDraft } & Where)
  | ({ readonly do: "get" | "delete"; readonly id: string } & Where)
  | ({ readonly do: "count" } & Where)
  | ({ readonly do: "list"; readonly limit: number; readonly now: string } & Where)
  | ({
      readonly do: "update";
      readonly id: string;
      readonly stale: boolean;
      readonly change: Partial<Pick<MemoryDraft, "text" | "data" | "embedding">>;
    } & Where)
  | ({
      readonly do: "vector";
      readonly embedding: readonly number[];
      readonly limit: number;
      readonly minScore: number | undefined;
      readonly now: string;
    } & Where)
  | ({ readonly do: "text"; readonly text: string; readonly limit: number } & Where)
  | {
      readonly do: "rows" | "adminCount";
      readonly filter: AdminFilter;
      readonly kind: ScopedKind;
    }
  | {
      readonly do: "deleteTenant";
      readonly filter: TenantFilter;
      readonly kind: ScopedKind;
    }
  | ({ readonly do: "migrate" } & LegacyScope)
  | { readonly do: "sharedPut"; readonly kind: SharedKind; readonly draft: MemoryDraft }
  | {
      readonly do: "sharedGet" | "sharedDelete" | "sharedUpdate";
      readonly kind: SharedKind;
      readonly id: string;
    };

/** Some neighbours in the list of names: look-alikes are adjacent in it. */
function neighbours(count: number): Arbitrary<readonly string[]> {
  return fc
    .nat({ max: hostileNames.length - 1 })
    .map((first) => Array.from({ length: count }, (_, n) => nth(first + n)));
}

function nth(n: number): string {
  return hostileNames[n % hostileNames.length] ?? "ann";
}

const times = ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.500000001Z"];
const time = fc.constantFrom(...times, "1999-12-31T23:59:59.999Z", "2100-01-01T00:00:00Z");
const text = fc.constantFrom("green tea", "tea", "Green", "x' OR 1=1", "$ne", "", "ve \u00e9ve");
const unit = fc.integer({ min: -2, max: 2 });
const embedding: Arbitrary<readonly number[]> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(unit, unit, unit) },
  { weight: 1, arbitrary: fc.tuple(unit, unit) },
);
const data = fc.constantFrom<MemoryDraft["data"][]>(
  {},
  { n: 1 },
  { user_id: "ann", $ne: null },
  { "a.b": ["\u0000", { $where: "1" }] },
);
const limit = fc.integer({ min: 1, max: 7 });
const level = fc.constantFrom(undefined, undefined, "one", "One", "o'ne", "o\u0000ne");

interface World {
  readonly tenants: readonly string[];
  readonly ids: readonly string[];
  readonly kinds: readonly ScopedKind[];
  readonly shared: readonly SharedKind[];
}

const world: Arbitrary<World> = fc.record({
  tenants: neighbours(3),
  ids: neighbours(3),
  kinds: fc
    .shuffledSubarray([...scopedKinds], { minLength: 1, maxLength: 1 })
    .map((kinds): readonly ScopedKind[] => ["entity", ...kinds]),
  shared: fc.shuffledSubarray([...sharedKinds], { minLength: 1, maxLength: 1 }),
});

/** Leaves out what is undefined. */
function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function drafts(id: Arbitrary<string>): Arbitrary<MemoryDraft> {
  return fc
    .record({
      id,
      memory_id: level,
      thread_id: level,
      text: fc.option(text, { nil: undefined }),
      embedding: fc.option(embedding, { nil: undefined }),
      data,
      created_at: time,
      expires_at: fc.constantFrom(undefined, undefined, "2999-01-01T00:00:00Z", times[0]),
    })
    .map((fields): MemoryDraft => present(fields));
}

function scoped({ tenants, ids, kinds }: World): Arbitrary<MemoryCommand> {
  const tenant = fc.constantFrom<(string | null)[]>(...tenants, null);
  const id = fc.constantFrom(...ids);
  const kind = fc.constantFrom(...kinds);
  const anywhere: Arbitrary<MemoryFilter> = tenant.map((value) => ({ tenant: value }));
  const filter: Arbitrary<MemoryFilter> = fc
    .record({ tenant, memoryId: level, threadId: level })
    .map((fields): MemoryFilter => present(fields));
  const where = { kind, filter: fc.oneof(anywhere, filter) };
  const print = <T extends string>(word: T): Arbitrary<T> => fc.constant(word);
  const change = fc
    .record({
      text: fc.option(text, { nil: undefined }),
      data: fc.option(data, { nil: undefined }),
      embedding: fc.option(embedding, { nil: undefined }),
    })
    .map((fields) => present(fields));
  const minScore = fc.constantFrom(undefined, 0.31, 0.77);
  const read: Arbitrary<MemoryCommand> = fc.oneof(
    fc.record({ do: print("get"), id, ...where }),
    fc.record({ do: print("count"), ...where }),
    fc.record({ do: print("list"), limit, now: time, ...where }),
    fc.record({ do: print("vector"), embedding, limit, minScore, now: time, ...where }),
    fc.record({ do: print("text"), text, limit, ...where }),
  );
  const write: Arbitrary<MemoryCommand> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: print("put"), draft: drafts(id), kind, filter: anywhere }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: print("update"), id, stale: fc.boolean(), change, ...where }),
    },
    { weight: 1, arbitrary: fc.record({ do: print("delete"), id, ...where }) },
  );
  return fc.oneof({ weight: 5, arbitrary: read }, { weight: 4, arbitrary: write });
}

function unscopedOnes({ tenants, ids, kinds, shared }: World): Arbitrary<MemoryCommand> {
  const tenant = fc.constantFrom<(string | null)[]>(...tenants, null);
  const one = tenant.map((value) => ({ tenant: value }));
  const allTenants: Arbitrary<AdminFilter> = fc.oneof(fc.constant<AdminFilter>(unscoped), one);
  const kind = fc.constantFrom(...kinds);
  const sharedKind = fc.constantFrom(...shared);
  const id = fc.constantFrom(...ids);
  return fc.oneof<Arbitrary<MemoryCommand>[]>(
    fc.record({ do: fc.constantFrom("rows", "adminCount"), filter: allTenants, kind }),
    fc.record({ do: fc.constant("deleteTenant"), filter: one, kind }),
    fc.record({
      do: fc.constant("migrate"),
      memoryId: fc.constantFrom("one", "One", "o'ne", "o\u0000ne"),
      userId: fc.constantFrom(...tenants),
    }),
    fc.record({ do: fc.constant("sharedPut"), kind: sharedKind, draft: drafts(id) }),
    fc.record({
      do: fc.constantFrom("sharedGet", "sharedDelete", "sharedUpdate"),
      kind: sharedKind,
      id,
    }),
  );
}

/** A history of this many commands in one small world. */
export function memoryHistories(commands: number): Arbitrary<readonly MemoryCommand[]> {
  return world.chain((small) => {
    const mixed = fc.oneof(
      { weight: 6, arbitrary: scoped(small) },
      { weight: 1, arbitrary: unscopedOnes(small) },
    );
    return fc.array(mixed, { minLength: commands, maxLength: commands, size: "max" });
  });
}
