/**
 * @module A test of the test: a ledger of which one statement is changed fails the clauses
 * of the ledger. The statements are those of the real providers, changed on their way to the
 * engine.
 */
import { AssertionError } from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral, postgres } from "@turnproof/store";
import type { EvidenceStore, TurnLedger } from "@turnproof/store";
import { evidenceClauses, isolationClauses } from "@turnproof/store/testing";
import { EJSON } from "bson";
import { MongoClient } from "mongodb";
import type { Collection, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";
import { migrate } from "../../../packages/store/src/clickhouse/migration.ts";
import { clickhouseTurns } from "../../../packages/store/src/clickhouse/turn-ledger.ts";
import { openSqlite } from "../../../packages/store/src/sqlite/sqlite-database.ts";
import { mongodbTurns } from "../../../packages/store/src/mongodb/turn-collection.ts";
import { sqliteTurns } from "../../../packages/store/src/sqlite/sqlite-turns.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { answeredOnce, answeringSessions } from "./answered-once.ts";
import type { AnsweringOnce, AnsweringSessions } from "./answered-once.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import type { EmptiedPostgres } from "./embedded-postgres.ts";

type Change = readonly [what: string, from: RegExp, to: string];

/** The clause that most changes fail, many of them on one of the first histories. */
const mostFail = "every answer over turns is the reference's, over random histories";

const clauses = [...evidenceClauses, ...isolationClauses].filter(({ name }) =>
  [
    mostFail,
    "the newest version of a turn stands, whatever came last",
    "agents and threads are dated by what is not ahead",
    "turns of hostile tenants stay apart in every answer",
    "an unknown value passes no comparison and every negated one",
    "results of contracts are counted by contract, of the newest version and in scope",
    "turns are found and counted by release and environment; those without one pass a negation",
    "ranks put what is worse first and what is unknown last",
    "a part of a thread's or an agent's id finds its turns, in any case of ASCII letters",
    "a prefix of a root's id finds its turns, in its case",
  ].includes(name),
);

/**
 * Seeds whose first history fails many changes: the first of them two in three, the others those
 * about usage, groups that are ahead and negation.
 */
const failingSeeds = [4, 26, 13, 11, 27];

const [randomly = [], stated = []] = [true, false].map((random) =>
  clauses.filter(({ name }) => (name === mostFail) === random),
);

/**
 * Clauses in an order that finds a failure early: a few histories that fail most changes, what is
 * stated by single examples, and then many histories.
 */
const rounds = [
  ...failingSeeds.flatMap((seed) => randomly.map((clause) => ({ clause, sequences: 1, seed }))),
  ...[...stated, ...randomly].map((clause) => ({ clause, sequences: 80, seed: 20_261_123 })),
];

/** The first clause that a ledger fails. */
async function failure(open: () => Promise<TurnLedger>): Promise<string | undefined> {
  for (const { clause, sequences, seed } of rounds) {
    const harness = {
      open: async (): Promise<EvidenceStore> => ({ ...ephemeral(), ledger: await open() }),
      openMemory: () => Promise.reject(new RangeError("evidence only")),
      settle: async () => {},
      effort: { sequences, commands: 1, seed },
    };
    try {
      await clause.run(harness);
    } catch (error) {
      // A statement that the engine refuses shows nothing: the answer has to be another one, or one
      // that is no row at all.
      const cause = (error as Error).cause ?? error;
      if (![AssertionError, TypeError, SyntaxError].some((of) => cause instanceof of)) throw cause;
      return clause.name;
    }
  }
  return undefined;
}

/** Counts how often a change found its place: one that never does would pass unseen. */
function changer([, from, to]: Change): { readonly of: (sql: string) => string; count: number } {
  const state = {
    count: 0,
    of(sql: string) {
      const changed = sql.replace(from, to);
      if (changed !== sql) state.count += 1;
      return changed;
    },
  };
  return state;
}

/** What is the same in every dialect of SQL here. */
const common: readonly Change[] = [
  ["unknown first", /NULLS LAST/, "NULLS FIRST"],
  ["ties the other way", /key DESC/, "key ASC"],
  ["facets by value alone", /ORDER BY (turns|count\(\*\)) DESC, /, "ORDER BY "],
  ["a page that begins with the last of the one before", /key < /, "key <= "],
  ["the severity of verdicts the other way", /WHEN 'failed' THEN 3/g, "WHEN 'failed' THEN -1"],
  ["blocking findings that weigh as much as notes", /THEN 1000000/g, "THEN 1"],
  ["a part in one case only", /lower\(thread_id\)/g, "(thread_id)"],
  ["a prefix without the end of its range", /root_trace_id < /, "root_trace_id != "],
];

/** The usage of calls, in the words that the dialects share. */
const divided: readonly Change[] = [
  ["a step that begins at its end", /input_tokens > (\d+) THEN 1/g, "input_tokens >= $1 THEN 1"],
  ["parts that equal their whole as wrong", /(cache_write_tokens'?\)?, 0\)) > /g, "$1 >= "],
  ["reasoning among the unknown", /ELSE 'r' END/, "ELSE '' END"],
];

describe("SQLite", () => {
  const changes: readonly Change[] = [
    ...common,
    ["the tenant forgotten", /tenant IS \?/, "coalesce(?, 1)"],
    ["negation without the unknown", /NOT coalesce\(/g, "NOT iif(1, "],
    ["percentiles over what is unknown", /WHERE duration_ms IS NOT NULL/, ""],
    ["facets of the other turns", /turn IN \(SELECT id/, "turn NOT IN (SELECT id"],
    ["cached tokens of every turn", /CASE WHEN input_tokens IS NOT NULL THEN (\w+) END/, "$1"],
    [
      "stretches that round to zero",
      /\(\((coalesce\(ended_at, 0\)) - .*\) \/ (\d+)\) AS stretch/,
      "$1 / $2 AS stretch",
    ],
    ["turns without a value left out", /FROM turns\s+WHERE \(turns\.unsaid/, "$& & 0"],
    ["a call of any outcome", /calls\.outcome IS \?/, "coalesce(?, 1) IS NOT NULL"],
    ...divided,
    ["results of contracts by their version", /AND instr\(value, '@'\) = 0/, ""],
    ["groups dated by what is ahead", /coalesce\(max\(CASE WHEN/, "coalesce(max(CASE WHEN 1 OR"],
    ["groups that are ahead among the others", /BY last >= \?,/, "BY ? IS NULL,"],
    ["groups of one time the other way", /value ASC LIMIT \?/, "value DESC LIMIT ?"],
    ["groups that begin with the last of the page before", /AND value > \?/, "AND value >= ?"],
    ["groups without the number of their threads", /count\(DISTINCT thread_id\)/, "count(*)"],
    ["the usage of another call", /'\$\.calls\[' \|\| calls\.place/, "'$.calls[' || 0"],
  ];
  test.each(changes)("%s fails", async (...change) => {
    const changed = changer(change);
    const open = async (): Promise<TurnLedger> => {
      const database = openSqlite(":memory:");
      const prepare = database.prepare.bind(database);
      database.prepare = (sql) => prepare(changed.of(sql));
      return sqliteTurns(database, 0);
    };
    expect(await failure(open)).toBeDefined();
    expect(changed.count).toBeGreaterThan(0);
  });

  test("and an unchanged one passes", async () => {
    expect(await failure(async () => sqliteTurns(openSqlite(":memory:"), 0))).toBeUndefined();
  });
});

describe("PostgreSQL", () => {
  let embedded: EmptiedPostgres;
  let sessions: AnsweringSessions;
  beforeAll(async () => {
    embedded = await startEmbeddedPostgres();
    sessions = answeringSessions(embedded.engine);
  });
  afterAll(() => embedded.engine.close());

  const changes: readonly Change[] = [
    ...common,
    ["the tenant forgotten", /tenant = (\$\d+::text)/, "$1 IS NOT NULL"],
    ["negation without the unknown", /IS NOT TRUE/g, "= false"],
    ["what was taken away", /NOT gone/, "(NOT gone OR record IS NULL)"],
    ["an older version", /WHERE held.version <= excluded.version/, ""],
    ["an estimate of the median", /percentile_disc\(0.5\)/, "percentile_cont(0.5)"],
    ["cached tokens of every turn", /FILTER \(WHERE input_tokens IS NOT NULL\)/, ""],
    ["turns without a value left out", /LEFT JOIN LATERAL/, "JOIN LATERAL"],
    ["turns without the call", /calls @> /, "calls <@ "],
    ["groups by their first turn", /max\(LEAST\(/g, "min(LEAST("],
    [
      "groups dated by what is ahead",
      /FILTER \(WHERE LEAST[^<]*< (\S+::bigint)\)/g,
      "FILTER (WHERE $1 IS NOT NULL)",
    ],
    [
      "groups that are ahead among the others",
      /BY last >= (\S+::double precision), /,
      "BY $1 IS NULL, ",
    ],
    ["groups that begin with the last of the page before", /AND value > /, "AND value >= "],
    ...divided,
  ];
  test.each(changes)(
    "%s fails",
    async (...change) => {
      const changed = changer(change);
      const open = async (): Promise<TurnLedger> => {
        await embedded.open();
        sessions.emptied();
        const client = sessions.over(embedded.engine as never, changed.of);
        return (await postgres({ client })).evidence.ledger;
      };
      expect(await failure(open)).toBeDefined();
      expect(changed.count).toBeGreaterThan(0);
    },
    120_000,
  );
});

describe("ClickHouse", () => {
  let directory: string;
  let engine: AnsweringOnce;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "turnproof-ledger-"));
    const opened = await openEngine({ dataDir: directory });
    await migrate(opened);
    engine = answeredOnce(opened);
  });
  afterAll(async () => {
    await engine.close();
    await rm(directory, { recursive: true });
  });

  const changes: readonly Change[] = [
    ["every version counted", /turn_ledger FINAL/, "turn_ledger"],
    ["ties the other way", /key DESC/, "key ASC"],
    ["the tenant forgotten", /tenant = (unhex\([^)]*\))/, "notEmpty($1)"],
    ["negation without the unknown", /NOT ifNull\(/g, "NOT if(true, "],
    [
      "percentiles one rank up",
      /ceil\(0.5 \* length\(lasted\)\)/,
      "1 + ceil(0.5 * length(lasted))",
    ],
    ["filters before FINAL", /FINAL WHERE/, "FINAL PREWHERE"],
    ["a turn of the sample left out", /arrayJoin\(CAST\(\[\d+(, )?/, "arrayJoin(CAST(["],
    ["facets of the wrong field", /, 0\) AS place/, ", 1) AS place"],
    ["the rarest values", /\(-turns, value\)/, "(turns, value)"],
    ["turns of equal lists as one", /sum\(alike\)/, "count()"],
    ["every turn an error", /countIf\(has_error\)/, "count()"],
    ["turns without a value left out", /if\(empty\((\w+)\), \[''\], \w+\)/, "$1"],
    ["turns without the call", /arrayExists\(/, "NOT arrayExists("],
    [
      "groups by their first turn",
      /max(If)?\(toUnixTimestamp64Micro\(own_time/g,
      "min$1(toUnixTimestamp64Micro(own_time",
    ],
    ["groups dated by what is ahead", /countIf\(/g, "-countIf("],
    ["groups that are ahead among the others", /BY (at|last) >= \d+, /g, "BY "],
    ["groups that begin with the last of the page before", /one > /, "one >= "],
    ["groups with the results of every call", /k = 'tool', /g, "k != '', "],
    ["groups with the usage of every call", /k = 'model' AND/, ""],
    ...divided,
  ];
  test.each(changes)(
    "%s fails",
    async (...change) => {
      const changed = changer(change);
      const open = async (): Promise<TurnLedger> => {
        await engine.empty();
        const query: Engine["query"] = (sql, ...rest) => engine.query(changed.of(sql), ...rest);
        return clickhouseTurns({ engine: { ...engine, query }, cluster: undefined });
      };
      expect(await failure(open)).toBeDefined();
      expect(changed.count).toBeGreaterThan(0);
    },
    240_000,
  );
});

describe("MongoDB", () => {
  let databases: MongoDatabase;
  let client: MongoClient;
  beforeAll(async () => {
    databases = await openMongo();
    client = await new MongoClient(databases.url, { ignoreUndefined: true }).connect();
  });
  afterAll(async () => {
    await client.close();
    await databases.close();
  });

  const changes: readonly Change[] = [
    ["the rarest first", /"\$sort":\{"turns":-1/, '"$sort":{"turns":1'],
    ["the tenant forgotten", /"tenant":\{"\$eq":/, '"tenant":{"$ne":'],
    ["negation without the unknown", /"\$nor":/, '"$and":'],
    ["what was taken away", /\{"gone":\{"\$eq":false\}\}/, '{"gone":{"$ne":3}}'],
    ["percentiles one rank up", /"\$ceil":(\{[^}]*\})/, '"$add":[1,{"$ceil":$1}]'],
    ["turns without a value left out", /,"preserveNullAndEmptyArrays":true/, ""],
    ["a call of any kind", /"\$elemMatch":\{"kind":\{"\$eq":/, '"$elemMatch":{"kind":{"$ne":'],
    [
      "a step that begins at its end",
      /\{"\$gt":\[(\{"\$ifNull":\["\$calls.input_tokens",0\]\}),/,
      '{"$gte":[$1,',
    ],
    ["parts that equal their whole as wrong", /"\$gt":\[\{"\$add"/g, '"$gte":[{"$add"'],
    ["reasoning among the unknown", /"r",""/, '"",""'],
    [
      "a prefix without the end of its range",
      /"root_trace_id":\{"\$gte":("[^"]*"),"\$lt":/,
      '"root_trace_id":{"$gte":$1,"$ne":',
    ],
    ["groups by their first turn", /"past":\{"\$max":/, '"past":{"$min":'],
    ["groups dated by what is ahead", /"\$ifNull":\["\$past",/g, '"$ifNull":["$latest",'],
    ["groups that are ahead among the others", /"\$sort":\{"late":1,/, '"$sort":{'],
    ["groups that begin with the last of the page before", /"_id":\{"\$gt":/, '"_id":{"$gte":'],
  ];
  test.each(changes)(
    "%s fails",
    async (...change) => {
      const changed = changer(change);
      const text = <T>(value: T): T =>
        EJSON.parse(changed.of(EJSON.stringify(value, { relaxed: true }))) as T;
      const open = async (): Promise<TurnLedger> => {
        const database = client.db(databases.other().name);
        const collection = database.collection("turn_ledger");
        const over: Partial<Collection> = {
          aggregate: (stages?: Document[], options?: object) =>
            collection.aggregate(text(stages ?? []), options),
          find: ((filter: Document, options: object) =>
            collection.find(text(filter), options)) as Collection["find"],
          countDocuments: (filter) => collection.countDocuments(text(filter)),
          bulkWrite: (...requested) => collection.bulkWrite(...requested),
        };
        return mongodbTurns(over as Collection, database.collection("root_epochs"));
      };
      expect(await failure(open)).toBeDefined();
      expect(changed.count).toBeGreaterThan(0);
    },
    120_000,
  );
});
