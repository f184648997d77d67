/**
 * @module LedgerClauses: the contract of every store's ledger: each answer equals the reference's,
 * the newer version of a turn wins, and nothing leaves the scope.
 */
import { deepEqual, equal } from "node:assert/strict";

import { microsOf } from "../ledger/turn-fields.ts";
import { memoryTurns } from "../ledger/memory-turns.ts";
import type { TurnLedger, TurnQuery } from "../ledger/turn-query.ts";
import type { TurnRecord, TurnVersion } from "../ledger/turn-record.ts";
import { heldOf } from "../ledger/turn-writes.ts";
import type { KitClause } from "./contract.ts";
import { hostileIds } from "./hostile.ts";
import { onStore } from "./on-store.ts";
import { holdsForEvery } from "./random-runs.ts";
import { turnHistories } from "./random-questions.ts";
import { sampleRecord } from "./sample-record.ts";
import { allTenants } from "./sample-event.ts";
import { requestAll } from "./turn-answers.ts";
import type { TurnHistory } from "./turn-answers.ts";

/** Lists, counts, facets, figures and calls of a history; histories share one store in turn. */
const answers: KitClause = {
  name: "every answer over turns is the reference's, over random histories",
  async run(harness) {
    await using store = await harness.open();
    let serial = 0;
    const promise = async (given: TurnHistory): Promise<void> => {
      serial += 1;
      const prefix = `${serial} `;
      const named = (records: readonly TurnRecord[]): TurnRecord[] =>
        records.map((record) => ({ ...record, key: prefix + record.key }));
      const history = { ...given, records: named(given.records), gone: named(given.gone) };
      const wanted = await requestAll(memoryTurns(), history);
      try {
        deepEqual(plain(await requestAll(store.ledger, history)), plain(wanted));
      } finally {
        const version = { epoch: 1_000, rows: 1, settled: true };
        const all = [...history.records, ...history.gone];
        await store.ledger.dropTurns(all.map((record) => ({ ...heldOf(record), version })));
      }
    };
    await holdsForEvery(turnHistories, promise, harness.effort);
  },
};

/** In wire form: undefined fields are absent. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

const query = (where: TurnQuery["where"] = []): TurnQuery => ({
  scope: allTenants,
  where,
});

async function agentOf(ledger: TurnLedger): Promise<string | undefined> {
  const page = await ledger.listTurns(query(), { order: { by: "first_received" }, limit: 5 });
  return page.records[0]?.row.agent_id;
}

const versions: readonly TurnVersion[] = [
  { epoch: 0, rows: 9, settled: true },
  { epoch: 1, rows: 2, settled: true },
  { epoch: 1, rows: 3, settled: false },
  { epoch: 1, rows: 3, settled: true },
];

const newest = onStore("the newest version of a turn stands, whatever came last", async (store) => {
  const { ledger } = store;
  const orders = [
    versions,
    versions.toReversed(),
    [1, 3, 0, 2].flatMap((at) => versions[at] ?? []),
  ];
  for (const [turn, order] of orders.entries()) {
    const key = `turn ${turn}`;
    for (const version of order) {
      const agent_id = JSON.stringify(version);
      await ledger.putTurns([sampleRecord(key, { agent_id }, version)]);
    }
    equal(await agentOf(ledger), JSON.stringify(versions.at(-1)));
    equal(await ledger.countTurns(query()), 1);
    const end = sampleRecord(key, {}, { epoch: 2, rows: 1, settled: false });
    await ledger.dropTurns([heldOf(end)]);
    await ledger.putTurns([sampleRecord(key, {}, versions[3])]);
    equal(await ledger.countTurns(query()), 0);
  }
});

const held = onStore("a writer reads which turns a root has", async ({ ledger }) => {
  const at = (root_trace_id: string) => ({ root_trace_id });
  await ledger.putTurns([
    sampleRecord("one", at("root-1"), versions[0]),
    sampleRecord("two", at("root-1"), versions[2]),
    sampleRecord("two", at("root-1"), versions[3]),
    sampleRecord("three", at("root-2"), versions[3]),
    sampleRecord("gone", at("root-1"), versions[0]),
  ]);
  await ledger.dropTurns([heldOf(sampleRecord("gone", at("root-1"), versions[3]))]);
  const turns = await ledger.turnsOf(["root-1", "nobody"]);
  deepEqual(
    turns.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ key, version }) => [key, version]),
    [
      ["one", versions[0]],
      ["two", versions[3]],
    ],
  );
  const { first_received } = sampleRecord("one", {}, versions[0]);
  for (const turn of turns) {
    equal(turn.root_trace_id, "root-1");
    equal(microsOf(turn.first_received), microsOf(first_received));
  }
});

const unknown = onStore(
  "an unknown value passes no comparison and every negated one",
  async (store) => {
    const { ledger } = store;
    const at = { epoch: 0, rows: 1, settled: true };
    const fields = { duration_ms: null, tool_names: ['a","b'] };
    await ledger.putTurns([sampleRecord("unknown", fields, at), sampleRecord("known", {}, at)]);
    const slow = { number: "duration_ms", sign: ">", value: 9 } as const;
    equal(await ledger.countTurns(query([slow])), 0);
    equal(await ledger.countTurns(query([{ ...slow, not: true }])), 2);
    equal(await ledger.countTurns(query([{ any: [{ ...slow, not: true }], not: true }])), 0);
    // A value that looks like the text of a list is one value.
    for (const [has, turns] of [
      ["a", 0],
      ["b", 0],
      [",", 0],
      ['a","b', 1],
    ] as const) {
      equal(await ledger.countTurns(query([{ list: "tool_name", has }])), turns);
    }
  },
);

const contracts = onStore(
  "results of contracts are counted by contract, of the newest version and in scope",
  async ({ ledger }) => {
    const at = { epoch: 0, rows: 2, settled: true };
    const judged = (key: string, user_id: string, ...results: string[]): TurnRecord => ({
      ...sampleRecord(key, { user_id }, at),
      names: ["run:one", ...results.flatMap((one) => [`contract:${one}`, versioned(one)])],
    });
    const versioned = (one: string): string => `contract:${one.replace("=", "@0123456789ab=")}`;
    await ledger.putTurns([
      judged("one", "ada", "refund=violated", "budget=holds"),
      judged("two", "ada", "refund=violated"),
      judged("three", "ada", "refund=not_established"),
      judged("four", "bob", "refund=violated"),
      judged("five", "ada"),
      judged("gone", "ada", "refund=violated"),
      { ...judged("two", "ada", "refund=holds"), version: { ...at, rows: 1 } },
    ]);
    const end = sampleRecord("gone", {}, { ...at, epoch: 1 });
    await ledger.dropTurns([heldOf(end)]);
    const own: TurnQuery = { scope: { tenant: "ada" }, where: [] };
    const facets = await ledger.turnFacets(own, ["contract"], 9);
    const values = [
      { value: "refund=violated", turns: 2 },
      { value: null, turns: 1 },
      { value: "budget=holds", turns: 1 },
      { value: "refund=not_established", turns: 1 },
    ];
    deepEqual(plain(facets), [{ field: "contract", values, total: 4 }]);
    const count = (has: string, list: "contract" | "name"): Promise<number> =>
      ledger.countTurns({ ...own, where: [{ list, has }] });
    // The count of a value is the number of turns that its filter finds, with a version or not.
    equal(await count("refund=violated", "contract"), 2);
    equal(await count("contract:refund=violated", "name"), 2);
    equal(await count(versioned("refund=violated"), "name"), 2);
    equal(await ledger.countTurns({ ...own, where: [{ list: "contract", has: null }] }), 1);
  },
);

const deployed = onStore(
  "turns are found and counted by release and environment; those without one pass a negation",
  async ({ ledger }) => {
    const at = { epoch: 0, rows: 2, settled: true };
    const turn = (key: string, user_id: string, values: readonly string[]): TurnRecord => ({
      ...sampleRecord(key, { user_id, releases: values }, at),
      environments: values,
    });
    await ledger.putTurns([
      turn("one", "ada", ["production"]),
      turn("both", "ada", ["staging", "production"]),
      turn("none", "ada", []),
      // An empty text means unknown.
      turn("empty", "ada", [""]),
      turn("other", "bob", ["production"]),
      turn("gone", "ada", ["production"]),
      { ...turn("one", "ada", ["staging"]), version: { ...at, rows: 1 } },
    ]);
    await ledger.dropTurns([heldOf(sampleRecord("gone", {}, { ...at, epoch: 1 }))]);
    const scope = { tenant: "ada" };
    const own: TurnQuery = { scope, where: [] };
    for (const list of ["release", "environment"] as const) {
      const count = (...where: TurnQuery["where"]): Promise<number> =>
        ledger.countTurns({ scope, where });
      equal(await count({ list, has: "production" }), 2);
      equal(await count({ list, has: "production", not: true }), 2);
      equal(await count({ list, has: "staging" }), 1);
      equal(await count({ list, has: "staging", not: true }), 3);
      equal(await count({ list, has: "Production" }), 0);
      equal(await count({ list, has: "" }), 0);
      equal(await count({ list, has: null }), 2);
      equal(await count({ list, has: null, not: true }), 2);
      equal(await count({ list, has: "production" }, { list, has: "staging", not: true }), 1);
      const values = [
        { value: null, turns: 2 },
        { value: "production", turns: 2 },
        { value: "staging", turns: 1 },
      ];
      const [facet] = await ledger.turnFacets(own, [list], 9);
      deepEqual(plain(facet ?? {}), { field: list, values, total: 3 });
      const figures = await ledger.turnFigures(own, { by: list });
      deepEqual(
        figures
          .map(({ value, turns }) => ({ value, turns }))
          .toSorted((a, b) => b.turns - a.turns || (a.value === null ? -1 : 1)),
        values,
      );
    }
  },
);

const parts = onStore(
  "a part of a thread's or an agent's id finds its turns, in any case of ASCII letters",
  async ({ ledger }) => {
    await ledger.putTurns([
      sampleRecord("one", { thread_id: "thr_7f3A%.b", agent_id: "Order-Desk" }),
      sampleRecord("two", { thread_id: "thr_7f3axxb", agent_id: "order-bot" }),
      sampleRecord("control", { thread_id: "\u0000a\u0001b" }),
      sampleRecord("none", {}),
    ]);
    for (const [part, of, turns] of [
      ["thread_id", "7F3a", 2],
      ["thread_id", "a%.", 1],
      ["thread_id", "%", 1],
      ["thread_id", "3a.", 0],
      ["thread_id", "_", 2],
      ["thread_id", "A\u0001B", 1],
      ["thread_id", "0", 0],
      ["thread_id", "1", 0],
      ["thread_id", "", 0],
      ["agent_id", "order-d", 1],
      ["agent_id", "ORDER", 2],
    ] as const) {
      equal(await ledger.countTurns(query([{ part, of }])), turns, `${part} ${of}`);
      const others = await ledger.countTurns(query([{ part, of, not: true }]));
      equal(others, 4 - turns, `not ${part} ${of}`);
    }
  },
);

const prefixes = onStore(
  "a prefix of a root's id finds its turns, in its case",
  async ({ ledger }) => {
    const roots = [
      "4bf92f3577b34da6",
      "4bf92f3677b34da6",
      "4bf92f35~",
      "4BF92F3577B34DA6",
      "4bf92f3",
    ];
    await ledger.putTurns(
      roots.map((root_trace_id) => sampleRecord(root_trace_id, { root_trace_id })),
    );
    for (const [of, turns] of [
      ["4bf92f35", 2],
      ["4bf92f35~", 1],
      ["4bf92f3", 4],
      ["4BF92F35", 1],
      ["4bf92f3577b34da6", 1],
      ["4bf92f3577b34da60", 0],
      ["b", 0],
      ["%", 0],
      ["", 0],
      ["4bf92f35\u00fc", 0],
    ] as const) {
      const prefix = { prefix: "root_trace_id", of } as const;
      equal(await ledger.countTurns(query([prefix])), turns, of);
      const others = await ledger.countTurns(query([{ ...prefix, not: true }]));
      equal(others, roots.length - turns, `not ${of}`);
    }
  },
);

/** The clauses of every ledger. */
export const ledgerClauses: readonly KitClause[] = [
  answers,
  newest,
  held,
  unknown,
  contracts,
  deployed,
  parts,
  prefixes,
];

/** Clauses that cannot be exempted. */
export const ledgerIsolationClauses: readonly KitClause[] = [
  {
    ...onStore("turns of hostile tenants stay apart in every answer", async (store) => {
      const { ledger } = store;
      await ledger.putTurns([
        ...hostileIds.map((id, at) =>
          sampleRecord(`turn ${at}`, { user_id: id, models: [`m${at}`] }),
        ),
        sampleRecord("nobody", { user_id: null, models: ["anonymous"] }),
        sampleRecord("unattributed", { models: ["unattributed"] }),
      ]);
      equal(await ledger.countTurns(query()), hostileIds.length + 2);
      const wanted = hostileIds.map((id, at) => [id, `m${at}`] as const);
      for (const [tenant, model] of [...wanted, [null, "anonymous"] as const]) {
        const own: TurnQuery = { scope: { tenant }, where: [] };
        const page = await ledger.listTurns(own, { order: { by: "started_at" }, limit: 9 });
        deepEqual(
          page.records.map(({ row }) => row.models),
          [[model]],
        );
        equal(await ledger.countTurns(own), 1);
        const [facet] = await ledger.turnFacets(own, ["model"], 9);
        deepEqual(facet?.values, [{ value: model, turns: 1 }]);
        const figures = await ledger.turnFigures(own, { by: "model" });
        deepEqual(
          figures.map(({ value, turns }) => [value, turns]),
          [[model, 1]],
        );
        const calls = await ledger.callFigures(own, "tool", ["name"]);
        deepEqual(
          calls.map((one) => [one.group, one.calls]),
          [[{ name: model }, 1]],
        );
      }
      equal(await ledger.countTurns({ scope: { tenant: "nobody at all" }, where: [] }), 0);
    }),
    isolation: true,
  },
];
