/**
 * @module AnsweredOnce: a ledger's engine that runs equal queries over equal rows once. Mutants of
 * one statement read the same random histories, and most of their queries are those of the others.
 */
import { createHash } from "node:crypto";

import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";

/** The engine, and the way to empty its ledger, which is the only table that is written. */
export interface AnsweringOnce extends Engine {
  readonly empty: () => Promise<void>;
}

/** Wraps an engine with migrated tables. */
export function answeredOnce(engine: Engine): AnsweringOnce {
  const answers = new Map<string, ReturnType<Engine["query"]>>();
  /** Digest of everything written since the ledger was empty, in its order. */
  let written = "";
  const write = (...parts: readonly (string | Uint8Array)[]): void => {
    const digest = createHash("sha256").update(written);
    for (const part of parts) digest.update(part);
    written = digest.digest("hex");
  };
  return {
    ...engine,
    async empty() {
      await engine.command("TRUNCATE TABLE turn_ledger");
      written = "";
    },
    command(sql) {
      write(sql);
      return engine.command(sql);
    },
    insert(table, block, token) {
      if (table !== "turn_ledger") throw new RangeError(`${table} is not emptied`);
      write(block.bytes);
      return engine.insert(table, block, token);
    },
    query(sql, parameters, signal) {
      const key = JSON.stringify([written, sql, parameters]);
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = engine.query(sql, parameters, signal);
      answers.set(key, answer);
      return answer;
    },
  };
}
