/**
 * @module A stranger's isolation driver: random commands of many hostile tenants against what
 * `@turnproof/store` publishes and nothing else, with a model of its own. Every row bears the mark of
 * its owner; no answer to one tenant may hold another's, and each answer is what the model says.
 * `STRANGER_COMMANDS` and `STRANGER_SEED` steer it.
 */
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import type { TurnEvent } from "@turnproof/evidence";
import { scopedKinds } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";
import {
  clickhouse,
  ephemeral,
  ephemeralMemory,
  filesystem,
  mongodb,
  postgres,
  summarizeEvidence,
} from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore, MemoryFilter } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import type { MongoServer } from "../../servers/mongodb.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import {
  longTexts,
  noTenants,
  numbersOf,
  ownerMark,
  ownersIn,
  strangeTexts,
} from "./stranger-world.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const commands = Number(process.env["STRANGER_COMMANDS"] ?? 250);
const seed = Number(process.env["STRANGER_SEED"] ?? 20_261_121);
const uri = process.env["MONGODB_URI"];

const directories = temporaryDirectories();
let mongo: MongoServer | undefined;
let server: PostgresServer;
let engine: PGlite;
let databases = 0;
beforeAll(async () => {
  if (uri === undefined) mongo = await startMongo();
  server = await startPostgres();
  engine = await PGlite.create({ extensions: { vector } });
});
afterAll(async () => {
  await directories.remove();
  await mongo?.close();
  await engine.close();
  await server.close();
});

interface Stores {
  readonly evidence: EvidenceStore;
  readonly memory?: AdministeredMemory;
  close(): Promise<void>;
}

async function openMongo(reads: "compatibility" | "native"): Promise<Stores> {
  const database = `stranger_${Date.now()}_${(databases += 1)}`;
  const provider = await mongodb({ url: uri ?? mongo?.url ?? "", database, reads });
  if (reads === "native") await provider.index.migrate({ dryRun: false });
  return provider;
}

const providers: Readonly<Record<string, () => Promise<Stores>>> = {
  ephemeral: async () => {
    const [evidence, memory] = [ephemeral(), ephemeralMemory()];
    return { evidence, memory, close: async () => {} };
  },
  filesystem: async () => filesystem({ directory: await directories.make() }),
  "filesystem native": async () => {
    const provider = await filesystem({ directory: await directories.make(), reads: "native" });
    await provider.index.migrate({ dryRun: false });
    return provider;
  },
  mongodb: () => openMongo("compatibility"),
  "mongodb native": () => openMongo("native"),
  "postgres embedded": () => postgres({ client: engine }),
  "postgres server": async () => postgres({ url: server.url(await server.createDatabase()) }),
  clickhouse: async () => {
    const evidence = await clickhouse({ connection: { dataDir: await directories.make() } });
    return { evidence, close: () => evidence.close() };
  },
};

/** Throws unless nothing of anybody else is in the answer. */
function only(answer: unknown, tenant: number): void {
  const own = ownerMark(tenant);
  const foreign = [...ownersIn(answer)].filter((mark) => mark !== own);
  expect(foreign, "marks of other owners").toEqual([]);
}

const at = "2026-03-01T10:00:00.000Z";

async function driveMemory(memory: AdministeredMemory): Promise<void> {
  const next = numbersOf(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const tenants: readonly (string | null)[] = [null, ...strangeTexts, ...longTexts];
  const ids = [...strangeTexts, ...longTexts];
  // A stranger's world is small in ids and kinds, so that tenants meet.
  const model = new Map<string, Map<string, string>>();
  const held = (tenant: number, kind: ScopedKind): Map<string, string> => {
    const key = `${tenant} ${kind}`;
    const rows = model.get(key) ?? new Map<string, string>();
    model.set(key, rows);
    return rows;
  };
  for (let step = 0; step < commands; step += 1) {
    const tenant = next(tenants.length);
    const filter: MemoryFilter = { tenant: tenants[tenant] as string | null };
    const kind = next(3) === 0 ? pick(scopedKinds) : "semantic_cache";
    const rows = held(tenant, kind);
    const id = next(2) === 0 && rows.size > 0 ? pick([...rows.keys()]) : pick(ids);
    const words = `${ownerMark(tenant)} green tea ${step}`;
    switch (next(9)) {
      case 0:
      case 1:
      case 2: {
        const put = await memory.put(filter, kind, {
          id,
          text: words,
          embedding: [1, next(3), next(3)],
          data: { owner: ownerMark(tenant), [pick(strangeTexts)]: ownerMark(tenant) },
          created_at: at,
        });
        rows.set(id, words);
        only(put, tenant);
        break;
      }
      case 3: {
        const got = await memory.get(filter, kind, id);
        expect(got?.text).toBe(rows.get(id));
        only(got ?? {}, tenant);
        break;
      }
      case 4: {
        const version = (await memory.get(filter, kind, id))?.version ?? 1;
        const changed = await memory
          .update(filter, kind, id, version, { text: words })
          .catch(() => undefined);
        expect(changed === undefined).toBe(!rows.has(id));
        if (changed !== undefined) rows.set(id, words);
        only(changed ?? {}, tenant);
        break;
      }
      case 5:
        expect(await memory.delete(filter, kind, id)).toBe(rows.delete(id));
        break;
      case 6: {
        const near = await memory.vectorSearch(filter, kind, { embedding: [1, 1, 1], limit: 500 });
        expect(near.hits.length).toBe(rows.size);
        expect(new Set(near.hits.map(({ record }) => record.id))).toEqual(new Set(rows.keys()));
        only(near, tenant);
        // A lookup in a semantic cache is the nearest row above a threshold.
        const best = { embedding: [1, 1, 1], limit: 1, minScore: 0.78 };
        only(await memory.vectorSearch(filter, kind, best), tenant);
        break;
      }
      case 7: {
        const found = await memory.textSearch(filter, kind, { text: "green tea", limit: 500 });
        expect(new Set(found.hits.map(({ record }) => record.id))).toEqual(new Set(rows.keys()));
        only(found, tenant);
        break;
      }
      default: {
        expect(await memory.count(filter, kind)).toBe(rows.size);
        const seen: string[] = [];
        let after: string | null = null;
        const limit = 1 + next(3);
        do {
          const position: { after?: string } = after === null ? {} : { after };
          const page = await memory.list(filter, kind, { limit, ...position });
          seen.push(...page.records.map((row) => row.id));
          only(page, tenant);
          after = page.next;
        } while (after !== null);
        expect(seen.length).toBe(rows.size);
        expect(new Set(seen)).toEqual(new Set(rows.keys()));
      }
    }
  }
  // A position of one tenant's list leads nobody else to its rows.
  const lists = await Promise.all(
    tenants.slice(0, 12).map((one) => memory.list({ tenant: one }, "semantic_cache", { limit: 1 })),
  );
  for (const [tenant, one] of tenants.slice(0, 12).entries()) {
    for (const { next: after } of lists) {
      if (after === null) continue;
      only(await memory.list({ tenant: one }, "semantic_cache", { limit: 50, after }), tenant);
    }
  }
  for (const none of noTenants) {
    const filter = { tenant: none } as MemoryFilter;
    for (const call of [
      () => memory.get(filter, "semantic_cache", "ann"),
      () => memory.list(filter, "semantic_cache", { limit: 500 }),
      () => memory.count(filter, "semantic_cache"),
      () => memory.vectorSearch(filter, "semantic_cache", { embedding: [1, 1, 1], limit: 500 }),
      () => memory.textSearch(filter, "semantic_cache", { text: "tea", limit: 500 }),
      () => memory.delete(filter, "semantic_cache", "ann"),
    ]) {
      await expect(call()).rejects.toThrow();
    }
  }
}

/** A turn that says its tenant, and two children that say nothing: theirs is inherited. */
function turnOf(serial: number, tenant: number, user: string | null, root: string): TurnEvent[] {
  const mark = `${ownerMark(tenant)}${serial}`;
  const common = {
    schema_version: 3,
    phase: "result",
    status: "success",
    timestamp: `2026-03-01T10:00:${String(serial % 60).padStart(2, "0")}Z`,
    root_trace_id: root,
    task_id: mark,
    dialect: "turnproof",
    attributes: {},
    input_refs: [{ resource_type: "document", ref: "shared-ref" }],
  } as const;
  const span = `span-${serial}`;
  return [
    {
      ...common,
      event_id: `${span}:t`,
      event_kind: "turn",
      span_id: span,
      user_id: user,
      agent_id: "helper",
    },
    {
      ...common,
      event_id: `${span}:m`,
      event_kind: "model_call",
      span_id: `${span}m`,
      parent_span_id: span,
    },
    {
      ...common,
      event_id: `${span}:c`,
      event_kind: "tool_call",
      span_id: `${span}c`,
      parent_span_id: `${span}m`,
    },
  ];
}

async function walked(
  read: (options: { limit: number; after?: Readonly<Record<string, string | number>> }) => Promise<{
    readonly events: readonly TurnEvent[];
    readonly next: Readonly<Record<string, string | number>> | null;
  }>,
  limit: number,
): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = [];
  let after: Readonly<Record<string, string | number>> | null = null;
  do {
    const page: Awaited<ReturnType<typeof read>> = await read({
      limit,
      ...(after === null ? {} : { after }),
    });
    events.push(...page.events);
    after = page.next;
  } while (after !== null);
  return events;
}

/** @param stride of the tenants that ask: 1 is every one */
async function driveEvidence(store: EvidenceStore, stride = 1): Promise<void> {
  const next = numbersOf(seed + 1);
  const tenants: readonly (string | null)[] = [null, ...strangeTexts];
  const model = new Map<number, Map<string, TurnEvent>>();
  const batches: Parameters<EvidenceStore["append"]>[0][] = [];
  const expectIds = (events: readonly TurnEvent[], wanted: Iterable<string>): void => {
    const ids = events.map(({ event_id }) => event_id);
    expect(ids.length).toBe(new Set(ids).size);
    expect(new Set(ids)).toEqual(new Set(wanted));
  };
  // Every tenant has something to lose before anybody asks.
  const rounds = Math.max(tenants.length + 1, Math.floor(commands / 2));
  const waiting: TurnEvent[] = [];
  for (let serial = 0; serial < rounds; serial += 1) {
    const tenant = serial < tenants.length ? serial : next(tenants.length);
    // A few roots hold many tenants at once.
    const root = next(3) === 0 ? `own-${serial}` : `shared-${next(3)}`;
    const events = turnOf(serial, tenant, tenants[tenant] as string | null, root);
    waiting.push(...events);
    // Several tenants come in one batch.
    if (waiting.length >= 12 || serial === rounds - 1) {
      const receivedAt = `2026-03-02T10:00:0${next(4)}.000000Z`;
      const batch = { batchId: `b${serial}`, receivedAt, events: waiting.splice(0) };
      await store.append(batch);
      batches.push(batch);
    }
    const own = model.get(tenant) ?? new Map<string, TurnEvent>();
    for (const event of events) own.set(event.event_id, event);
    model.set(tenant, own);
  }
  await store.append(batches[next(batches.length)] as (typeof batches)[number]);
  const verdict = { turn_id: "t", agent_id: "helper", thread_id: "h", root_trace_id: "shared-0" };
  await store.putVerdicts(
    tenants.map((user_id, tenant) => ({
      ...verdict,
      user_id,
      verdict: ownerMark(tenant),
      finding_codes: [],
      judged_at: at,
      as_of: at,
    })),
  );
  for (let tenant = 0; tenant < tenants.length; tenant += stride) {
    const scope = { tenant: tenants[tenant] as string | null };
    const own = model.get(tenant) ?? new Map<string, TurnEvent>();
    const limit = 4 + next(12);
    const page = await walked((o) => store.page(scope, { store: "all" }, o), limit);
    only(page, tenant);
    expectIds(page, own.keys());
    switch (next(5)) {
      case 0: {
        const found = await walked((o) => store.find(scope, "shared-ref", {}, o), limit + 3);
        only(found, tenant);
        expectIds(found, own.keys());
        break;
      }
      case 1: {
        const turns = await walked((o) => store.turns(scope, { agent_id: "helper" }, o), limit);
        only(turns, tenant);
        expectIds(turns, own.keys());
        break;
      }
      case 2: {
        const root = await walked((o) => store.root(scope, "shared-1", o), limit);
        only(root, tenant);
        const inRoot = [...own.values()].filter((event) => event.root_trace_id === "shared-1");
        expectIds(
          root,
          inRoot.map(({ event_id }) => event_id),
        );
        break;
      }
      case 3: {
        const { bundles } = await store.bundles(scope, {}, { limit: 500 });
        only(bundles, tenant);
        break;
      }
      default: {
        const now = "2026-03-03T00:00:00.000Z";
        const summary = await summarizeEvidence(store, scope, {}, { now });
        only(summary, tenant);
        // Foreign ids find nothing, and a filter on another's name only narrows.
        const other = tenants[next(tenants.length)] as string | null;
        const query = { user_id: other };
        const narrowed = await walked((o) => store.page(scope, query, o), 50);
        only(narrowed, tenant);
        expectIds(narrowed, other === scope.tenant ? own.keys() : []);
      }
    }
    const verdicts = await store.verdicts(scope, ["shared-0"]);
    only(verdicts, tenant);
    expect(verdicts).toHaveLength(1);
  }
  await refuseForged(store);
}

/** What is no scope gives nothing: a refusal or an empty answer, never rows. */
async function refuseForged(store: EvidenceStore): Promise<void> {
  // Rows of nobody are an operator's alone.
  const [turn] = turnOf(9_999, 9_999, null, "nobody");
  const { user_id: _user, ...unattributed } = turn as TurnEvent;
  const receivedAt = "2026-03-02T11:00:00.000000Z";
  await store.append({ batchId: "nobody", receivedAt, events: [unattributed] });
  const scopes: readonly unknown[] = [
    ...noTenants.map((tenant) => ({ tenant })),
    {},
    { operator: {} },
    { operator: { applicationId: undefined } },
    { operator: Object.freeze({ [Symbol("operator-grant")]: true }) },
    ...longTexts.map((tenant) => ({ tenant })),
  ];
  for (const forged of scopes) {
    const scope = forged as Parameters<EvidenceStore["page"]>[0];
    for (const read of [
      () => store.page(scope, { store: "all" }, { limit: 100 }),
      () => store.turns(scope, {}, { limit: 100 }),
      () => store.find(scope, "shared-ref", {}, { limit: 100 }),
      () => store.root(scope, "shared-0", { limit: 100 }),
      () => store.root(scope, "nobody", { limit: 100 }),
      () => store.bundles(scope, {}, { limit: 100 }),
      () => store.verdicts(scope, ["shared-0"]),
    ]) {
      const answer: unknown = await read().catch(() => ({}));
      expect([...ownersIn(answer)], "rows for a forged scope").toEqual([]);
    }
  }
}

describe.each(Object.keys(providers))("a stranger meets %s", (name) => {
  test("and learns nothing of anybody else", { timeout: 240_000 }, async () => {
    const stores = await (providers[name] as () => Promise<Stores>)();
    try {
      if (stores.memory !== undefined) await driveMemory(stores.memory);
      // An engine with a tenth of a second for each read is asked by every third.
      await driveEvidence(stores.evidence, name === "clickhouse" ? 3 : 1);
    } finally {
      await stores.close();
    }
  });
});

test("the driver itself sees a store that mixes two tenants up", async () => {
  const memory = ephemeralMemory();
  const folded = (filter: MemoryFilter): MemoryFilter => ({
    ...filter,
    tenant: typeof filter.tenant === "string" ? filter.tenant.normalize("NFKC") : filter.tenant,
  });
  const mixed: AdministeredMemory = {
    ...memory,
    put: (filter, kind, draft) => memory.put(folded(filter), kind, draft),
    get: (filter, kind, id) => memory.get(folded(filter), kind, id),
    list: (filter, kind, options) => memory.list(folded(filter), kind, options),
  };
  await expect(driveMemory(mixed)).rejects.toThrow();
  const evidence = ephemeral();
  const leaking: EvidenceStore = {
    ...evidence,
    find: (scope, id, query, options) =>
      evidence.find("tenant" in scope ? { tenant: null } : scope, id, query, options),
  };
  await expect(driveEvidence(leaking)).rejects.toThrow();
});
