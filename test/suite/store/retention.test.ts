/**
 * @module Retention on every provider that holds both ports: each class at its age, tenants with
 * ages of their own, a dry run that touches nothing, bounded steps that may be cut short, and
 * nothing that stays ever holds another's name.
 */
import { PGlite } from "@electric-sql/pglite";
import { resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { identityFields } from "@turnproof/semconv";
import { filesystem, mongodb, postgres, recordStored } from "@turnproof/store";
import type { EvidenceStore, MemoryDraft, Provider } from "@turnproof/store";
import { defaultRetention } from "@turnproof/store/admin";
import type { RetentionOptions, RetentionPolicy, RetentionReport } from "@turnproof/store/admin";
import { allTenants, sampleEvent, sampleNote, sampleTurn } from "@turnproof/store/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
let mongo: MongoDatabase;
let server: PostgresServer;
let engine: PGlite;

beforeAll(async () => {
  mongo = await openMongo();
  server = await startPostgres();
  engine = await PGlite.create();
});
afterAll(async () => {
  await directories.remove();
  await mongo.close();
  await engine.close();
  await server.close();
});

const now = "2026-06-01T12:00:00.000Z";
const clock = (): string => now;

const providers: Readonly<Record<string, () => Promise<Provider>>> = {
  filesystem: async () => filesystem({ directory: await directories.make(), clock }),
  mongodb: async () => {
    return mongodb({ url: mongo.other().url, clock });
  },
  "postgres embedded": async () => {
    await engine.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    return postgres({ client: engine, clock });
  },
  "postgres server": async () =>
    postgres({ url: server.url(await server.createDatabase()), clock }),
};

/** A time of receipt this many days before now. */
const before = (days: number): string =>
  new Date(Date.parse(now) - days * 86_400_000).toISOString().replace("Z", "000Z");

async function put(
  store: EvidenceStore,
  days: number,
  events: readonly TurnEvent[],
): Promise<void> {
  const batchId = `${days} ${events[0]?.root_trace_id} ${events.length}`;
  await store.append({ batchId, receivedAt: before(days), events });
}

const outcomeOf = (root: string, fields: Partial<TurnEvent> = {}): TurnEvent =>
  sampleEvent("oo", {
    root_trace_id: root,
    event_kind: "outcome",
    phase: "event",
    parent_span_id: "aa",
    attributes: { outcome: "success", verified: true },
    ...fields,
  });

async function shown(store: EvidenceStore): Promise<readonly TurnEvent[]> {
  return (await store.page(allTenants, { store: "all" }, { limit: 1000 })).events;
}

/** Roots with notes of operators. */
async function notedOf({ operatorRows }: EvidenceStore): Promise<readonly string[]> {
  const { tenant } = sampleNote("");
  const roots = ["ancient", "old", "young"];
  const notes = await Promise.all(roots.map((root) => operatorRows.list("note", [tenant], root)));
  return roots.filter((_root, at) => notes[at]?.length === 1);
}

const names = (events: readonly TurnEvent[]): string[] =>
  events.map(({ root_trace_id, span_id }) => `${root_trace_id} ${span_id}`).toSorted();

const options = (more: Partial<RetentionOptions> = {}): RetentionOptions => ({
  policy: defaultRetention,
  now,
  ...more,
});

const counts = ({ classes }: RetentionReport): Record<string, readonly number[]> =>
  Object.fromEntries(classes.map((one) => [one.class, [one.expired, one.removed]]));

describe.each(Object.keys(providers))("%s", (name) => {
  const open = providers[name] as () => Promise<Provider>;

  test("takes each class at its age, after a dry run that says the same", async () => {
    await using provider = await open();
    const { evidence, retention } = provider;
    const who = { user_id: "ann", agent_id: "helper", thread_id: "t" };
    await put(evidence, 400, [...sampleTurn("ancient", who), outcomeOf("ancient")]);
    await put(evidence, 40, [...sampleTurn("old", who), outcomeOf("old")]);
    await put(
      evidence,
      40,
      sampleTurn("plain", who).map((e) => ({ ...e, event_kind: "span" })),
    );
    await put(evidence, 35, sampleTurn("gone", who));
    await put(evidence, 20, [...sampleTurn("young", who), outcomeOf("young")]);
    // A root is as old as its last row.
    await put(evidence, 60, sampleTurn("slow", who));
    await put(evidence, 2, [sampleEvent("dd", { root_trace_id: "slow", parent_span_id: "aa" })]);
    await recordStored(evidence, allTenants, ["ancient", "old"]);
    for (const { key, root_trace_id: place } of await evidence.ledger.turnsOf(["ancient", "old"])) {
      await evidence.operatorRows.write(sampleNote(`on-${place}`, { place, subject: key }));
    }
    // The ledger has no turn of it, and nothing of it is deleted.
    await evidence.operatorRows.write(sampleNote("on-young", { place: "young" }));
    const all = await shown(evidence);
    const dry = await retention.evidence(options());
    expect(dry).toMatchObject({ dry_run: true, held: 1, complete: true });
    expect(counts(dry)).toEqual({ outcome: [1, 0], metadata: [8, 0], structure: [3, 0] });
    expect(await shown(evidence)).toEqual(all);
    expect(await notedOf(evidence)).toEqual(["ancient", "old", "young"]);
    const done = await retention.evidence(options({ dryRun: false, batchRows: 3 }));
    expect(counts(done)).toEqual({ outcome: [1, 1], metadata: [8, 8], structure: [3, 3] });
    const left = await shown(evidence);
    // The turn of a kept outcome stays, for it holds the owner of the outcome.
    expect(names(left)).toEqual(
      ["old aa", "old oo", "slow aa", "slow bb", "slow cc", "slow dd"].concat([
        "young aa",
        "young bb",
        "young cc",
        "young oo",
      ]),
    );
    expect(left.every(({ user_id }) => user_id === "ann")).toBe(true);
    const turns = await evidence.ledger.turnsOf(["ancient", "old"]);
    expect(new Set(turns.map(({ root_trace_id }) => root_trace_id))).toEqual(new Set(["old"]));
    expect(await notedOf(evidence)).toEqual(["old", "young"]);
    const again = await retention.evidence(options({ dryRun: false }));
    expect(counts(again)).toEqual({ outcome: [0, 0], metadata: [0, 0], structure: [0, 0] });
    const back = await evidence.readBack(`40 old 4`, before(40));
    expect(back.complete).toBe(true);
  }, 120_000);

  test("keeps a tenant's own ages, and refuses ages out of order", async () => {
    await using provider = await open();
    const { evidence, retention } = provider;
    for (const user_id of ["ann", "bob", null]) {
      await put(evidence, 10, sampleTurn(`ten ${user_id}`, { user_id }));
      await put(evidence, 50, sampleTurn(`fifty ${user_id}`, { user_id }));
    }
    const tenants: NonNullable<RetentionPolicy["tenants"]> = new Map([
      ["bob", { metadata: 90, outcome: 400 }],
      [null, { metadata: 5, preview: 1 }],
    ]);
    const policy = { ...defaultRetention, tenants };
    await retention.evidence(options({ policy, dryRun: false }));
    const roots = new Set((await shown(evidence)).map(({ root_trace_id }) => root_trace_id));
    expect(roots).toEqual(new Set(["fifty bob", "ten ann", "ten bob"]));
    const wrong: RetentionPolicy[] = [
      { ...defaultRetention, outcome: 3 },
      { ...defaultRetention, preview: 31 },
      { ...defaultRetention, structure: 31 },
      { ...defaultRetention, metadata: Number.NaN },
      { ...defaultRetention, preview: -1 },
      { ...defaultRetention, tenants: new Map([["eve", { outcome: 2 }]]) },
    ];
    for (const one of wrong) {
      const requested = options({ policy: one, dryRun: false });
      const refused = { code: "parameter_invalid" };
      await expect(retention.evidence(requested)).rejects.toMatchObject(refused);
      await expect(retention.memory(requested)).rejects.toMatchObject(refused);
    }
  });

  test("goes on where it was cut short", async () => {
    await using provider = await open();
    const { evidence, retention } = provider;
    for (let n = 0; n < 12; n += 1) await put(evidence, 100 + n, sampleTurn(`r${n}`, {}));
    const stop = new AbortController();
    const seen: (readonly [number, number])[] = [];
    const onProgress = (done: number, all: number): void => {
      seen.push([done, all]);
      if (done === 5) stop.abort();
    };
    const first = await retention.evidence(
      options({ dryRun: false, batchRows: 1, signal: stop.signal, onProgress }),
    );
    expect(first).toMatchObject({ complete: false, examined: 5 });
    expect(seen.at(-1)).toEqual([5, 12]);
    expect(counts(first)["metadata"]).toEqual([15, 15]);
    const rest = await retention.evidence(options({ dryRun: false }));
    expect([rest.complete, rest.examined, counts(rest)["metadata"]]).toEqual([true, 7, [21, 21]]);
    expect(await shown(evidence)).toEqual([]);
  });

  test("takes the words of memory and leaves the rows, whole ones that are over too", async () => {
    let at = before(20).replace("000Z", "Z");
    await using provider = await open();
    const { memory, retention } = provider;
    const fields = { text: "canary", embedding: [1, 0], created_at: at };
    const data = { turn_id: "t", tool_name: "search", input: { q: "canary" }, result: "canary" };
    const drafts: readonly (readonly [Parameters<typeof memory.put>[1], MemoryDraft])[] = [
      ["tool_log", { id: "call", ...fields, data }],
      [
        "feedback",
        { id: "fb", ...fields, data: { rating: -1, comment_hash: "h", note: "canary" } },
      ],
      ["conversation", { id: "said", ...fields, data: { role: "user", turn_id: "t" } }],
      ["semantic_cache", { id: "over", ...fields, data: {}, expires_at: at }],
    ];
    for (const tenant of ["ann", null]) {
      for (const [kind, draft] of drafts) await memory.put({ tenant }, kind, draft);
    }
    at = "2026-06-20T12:00:00.000Z";
    const later = { now: at };
    const dry = await retention.memory(options(later));
    expect(counts(dry)).toEqual({ preview: [4, 0], expired: [2, 0] });
    expect(dry.examined).toBe(8);
    const tenants: NonNullable<RetentionPolicy["tenants"]> = new Map([[null, { preview: 25 }]]);
    const policy = { ...defaultRetention, tenants };
    const done = await retention.memory(options({ ...later, policy, dryRun: false }));
    expect(counts(done)).toEqual({ preview: [2, 2], expired: [2, 2] });
    const call = await memory.get({ tenant: "ann" }, "tool_log", "call");
    expect(call).toEqual({
      id: "call",
      kind: "tool_log",
      user_id: "ann",
      data: { turn_id: "t", tool_name: "search" },
      created_at: fields.created_at,
      updated_at: at,
      version: 2,
    });
    const comment = await memory.get({ tenant: "ann" }, "feedback", "fb");
    expect(comment?.data).toEqual({ rating: -1, comment_hash: "h" });
    expect((await memory.get({ tenant: null }, "tool_log", "call"))?.text).toBe("canary");
    expect((await memory.get({ tenant: "ann" }, "conversation", "said"))?.text).toBe("canary");
    expect(await memory.admin.count({ tenant: "ann" }, "semantic_cache")).toBe(0);
    const near = { embedding: [1, 0], limit: 5 };
    expect((await memory.vectorSearch({ tenant: "ann" }, "tool_log", near)).hits).toEqual([]);
    const words = { ...defaultRetention, conversations: true };
    await retention.memory(options({ ...later, policy: words, dryRun: false }));
    const stated = await memory.get({ tenant: "ann" }, "conversation", "said");
    expect([stated?.text, stated?.data]).toEqual([undefined, { role: "user", turn_id: "t" }]);
    expect(counts(await retention.memory(options({ ...later, policy: words })))).toEqual({
      preview: [0, 0],
      expired: [0, 0],
    });
  });
});

/** A row of a small root in which tenants meet and parents may be missing. */
const row = fc.record({
  span: fc.integer({ min: 0, max: 6 }),
  parent: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  user: fc.constantFrom(undefined, undefined, "ann", "bob", null),
  kind: fc.constantFrom("turn", "tool_call", "outcome", "span"),
  days: fc.integer({ min: 0, max: 80 }),
});

test("what stays is attributed as it was, in every random root", async () => {
  const world = fc.array(row, { minLength: 2, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(world, fc.boolean(), async (rows, own) => {
      await using provider = await filesystem({ directory: await directories.make() });
      const { evidence, retention } = provider;
      for (const [n, { span, parent, user, kind, days }] of rows.entries()) {
        const event = sampleEvent(`s${span}`, {
          event_id: `e${n}`,
          root_trace_id: "root",
          event_kind: kind as TurnEvent["event_kind"],
          attributes: kind === "outcome" ? { verified: n % 2 === 0 } : {},
          ...(user === undefined ? {} : { user_id: user }),
          ...(parent === undefined ? {} : { parent_span_id: `s${parent}` }),
        });
        await evidence.append({ batchId: `b${n}`, receivedAt: before(days + 25), events: [event] });
      }
      const whole = new Map((await shown(evidence)).map((event) => [event.event_id, event]));
      const tenants: NonNullable<RetentionPolicy["tenants"]> = new Map([
        ["ann", { metadata: 60, outcome: 70 }],
      ]);
      const policy = { ...defaultRetention, ...(own ? { tenants } : {}) };
      await retention.evidence(options({ policy, dryRun: false }));
      const left = await shown(evidence);
      for (const event of left) {
        const was = whole.get(event.event_id);
        for (const field of identityFields) expect(event[field]).toEqual(was?.[field]);
      }
      expect(resolveEvents(left)).toHaveLength(left.length);
    }),
    { numRuns: Number(process.env["RETENTION_RUNS"] ?? 60), endOnFailure: true },
  );
}, 120_000);

test("another process that has read the batches sees what is left of them", async () => {
  const directory = await directories.make();
  await using one = await filesystem({ directory });
  await using other = await filesystem({ directory });
  const events = [40, 3].flatMap((days) => sampleTurn(`r${days}`, { user_id: "ann" }));
  await one.evidence.append({
    batchId: "b",
    receivedAt: before(40),
    events: events.map((event) => ({
      ...event,
      received_at: before(event.root_trace_id === "r40" ? 40 : 3),
    })),
  });
  expect((await shown(other.evidence)).length).toBe(6);
  await one.retention.evidence(options({ dryRun: false }));
  for (const { evidence } of [one, other]) {
    const page = await evidence.page({ tenant: "ann" }, {}, { limit: 10 });
    expect(names(page.events)).toEqual(["r3 aa", "r3 bb", "r3 cc"]);
    expect(page.bounded).toBe(false);
    expect(await evidence.readBack("b", before(40))).toEqual({ rows: 3, complete: true });
  }
});
