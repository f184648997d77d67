/** @module TurnLedger: turns in ClickHouse; the reference is `memoryTurns`. */
import { createHash } from "node:crypto";

import { isoOfMicros } from "@turnproof/semconv";

import type { FigureRow } from "../ledger/figure-rows.ts";
import type { HeldTurn, TurnLedger } from "../ledger/turn-query.ts";
import { versionOfNumber } from "../ledger/turn-writes.ts";
import type { TurnWrite } from "../ledger/turn-writes.ts";
import type { Tables } from "./engine.ts";
import { withdrawLate } from "./late-writes.ts";
import { bindings, inRuns, namesPerStatement } from "./sql-text.ts";
import { encodeTurns } from "./turn-columns.ts";
import { facetsOf } from "./turn-facets.ts";
import { groupsOf } from "./turn-groups.ts";
import { callsOf, countsOf, figuresOf, rowsOf } from "./turn-figures.ts";
import { listOf } from "./turn-lists.ts";
import { whereOf } from "./turn-where.ts";

/** Turns of this engine, whose table is there. */
export function clickhouseTurns(tables: Tables): TurnLedger {
  const { engine } = tables;
  const write = async (lines: readonly TurnWrite[]): Promise<void> => {
    if (lines.length === 0) return;
    const block = encodeTurns(lines);
    const token = createHash("sha256").update(block.bytes).digest("hex");
    await engine.insert("turn_ledger", block, token);
  };
  return {
    answeredIn: "store",
    async putTurns(records) {
      await write(records.map((put) => ({ put })));
      await withdrawLate(tables, records);
    },
    dropTurns: (gone) => write(gone.map((drop) => ({ drop }))),
    async turnsOf(roots) {
      const turns: HeldTurn[] = [];
      for (const some of inRuns(roots, namesPerStatement)) {
        const bind = bindings();
        const answer = await engine.query(
          `SELECT key, root_trace_id, toString(version) AS version,
  toFloat64(toUnixTimestamp64Micro(first_received)) AS received
FROM turn_ledger FINAL WHERE root_trace_id IN ${bind.texts(some)}`,
          bind.parameters,
        );
        turns.push(...rowsOf(answer).map(heldTurn));
      }
      return turns;
    },
    listTurns: (query, page) => listOf(engine, query, page),
    async countTurns(query) {
      const bind = bindings();
      const sql = `SELECT toFloat64(count()) AS turns FROM turn_ledger FINAL WHERE ${whereOf(query, bind)}`;
      const answer = await engine.query(sql, bind.parameters, query.signal);
      return Number(answer.columns.get("turns")?.[0] ?? 0);
    },
    turnFacets: (query, fields, valuesMax) => facetsOf(engine, query, fields, valuesMax),
    turnCounts: (query, options) => countsOf(engine, query, options),
    turnFigures: (query, options) => figuresOf(engine, query, options),
    turnGroups: (query, by, paging) => groupsOf(engine, query, by, paging),
    callFigures: (query, kind, by, options) => callsOf(engine, query, { kind, by, options }),
  };
}

function heldTurn(row: FigureRow): HeldTurn {
  return {
    key: String(row["key"]),
    root_trace_id: String(row["root_trace_id"]),
    version: versionOfNumber(BigInt(String(row["version"]))),
    first_received: isoOfMicros(Number(row["received"])),
  };
}
