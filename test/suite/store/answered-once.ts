/**
 * @module AnsweredOnce: engines of a ledger that run equal queries over equal rows once. Mutants of
 * one statement read the same random histories, and most of their queries are those of the others.
 */
import { createHash } from "node:crypto";

import type { PGlite } from "@electric-sql/pglite";
import type { PostgresSession } from "@turnproof/store";

import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";

/** Answers by query and by everything written before it. */
interface Answers {
  /** The tables are empty. */
  emptied(): void;
  wrote(...parts: readonly (string | Uint8Array)[]): void;
  read<T>(query: readonly unknown[], run: () => Promise<T>): Promise<T>;
}

function emptyAnswers(): Answers {
  const answers = new Map<string, Promise<unknown>>();
  /** Digest of everything written since the tables were empty, in its order. */
  let written = "";
  return {
    emptied() {
      written = "";
    },
    wrote(...parts) {
      const digest = createHash("sha256").update(written);
      for (const part of parts) digest.update(part);
      written = digest.digest("hex");
    },
    read<T>(query: readonly unknown[], run: () => Promise<T>): Promise<T> {
      const key = JSON.stringify([written, ...query]);
      const known = answers.get(key) as Promise<T> | undefined;
      if (known !== undefined) return known;
      const answer = run();
      answers.set(key, answer);
      return answer;
    },
  };
}

/** The engine, and the way to empty its ledger, which is the only table that is written. */
export interface AnsweringOnce extends Engine {
  readonly empty: () => Promise<void>;
}

/** Wraps an embedded ClickHouse with migrated tables. */
export function answeredOnce(engine: Engine): AnsweringOnce {
  const answers = emptyAnswers();
  return {
    ...engine,
    async empty() {
      await engine.command("TRUNCATE TABLE turn_ledger");
      answers.emptied();
    },
    command(sql) {
      answers.wrote(sql);
      return engine.command(sql);
    },
    insert(table, block, token) {
      if (table !== "turn_ledger") throw new RangeError(`${table} is not emptied`);
      answers.wrote(block.bytes);
      return engine.insert(table, block, token);
    },
    query: (sql, parameters, signal) =>
      answers.read([sql, parameters], () => engine.query(sql, parameters, signal)),
  };
}

/** Sessions of one PGlite that answer once, and their tables as they are emptied. */
export interface AnsweringSessions {
  over<T extends PostgresSession>(session: T, changed: (sql: string) => string): T;
  emptied(): void;
}

/** A statement that changes no row and no setting. */
const isRead = (sql: string): boolean =>
  /^\s*(?:SELECT|WITH)\b/.test(sql) && !/\b(?:INSERT|UPDATE|DELETE)\b|set_config|_lock/.test(sql);

/** Wraps sessions of the engine, which has migrated tables; transactions too. */
export function answeringSessions(engine: PGlite): AnsweringSessions {
  const answers = emptyAnswers();
  const over = <T extends PostgresSession>(session: T, changed: (sql: string) => string): T => {
    const query: PostgresSession["query"] = (text, values) => {
      const sql = changed(text);
      if (isRead(sql)) return answers.read([sql, values], () => session.query(sql, values));
      answers.wrote(sql, JSON.stringify(values ?? []));
      return session.query(sql, values);
    };
    return new Proxy(session, {
      get: (target, name) => {
        if (name === "query") return query;
        if (name === "transaction") {
          return (work: (inner: PostgresSession) => Promise<unknown>) =>
            engine.transaction((inner) => work(over(inner as never, changed)));
        }
        const own = Reflect.get(target, name) as unknown;
        return typeof own === "function" ? (own.bind(target) as unknown) : own;
      },
    });
  };
  return { over, emptied: () => answers.emptied() };
}
