/**
 * @module CollectorState: rows that all collectors of one ClickHouse share. The engine has no
 * conditional write: rows are added, and a read takes the largest version.
 */
import { randomUUID } from "node:crypto";

import type { CollectorState, StateRow } from "../collector-state.ts";
import type { Engine, EngineAnswer } from "./engine.ts";
import { NativeBlock } from "./native-writer.ts";
import { bindings } from "./sql-text.ts";

/** Rows of one version are ordered by their value, so that every reader sees the same one. */
const selected = `SELECT name, toFloat64(max(version)) AS last,
    argMax(value, (version, value)) AS standing
FROM collector_state`;

/** The rows over an engine. */
export function clickhouseState(engine: Engine): CollectorState {
  return {
    async read(kind, name) {
      const bind = bindings();
      const sql = `${selected} WHERE kind = ${bind.text(kind)} AND name = ${bind.text(name)} GROUP BY name`;
      return rowsOf(await engine.query(sql, bind.parameters))[0];
    },
    async list(kind) {
      const bind = bindings();
      const sql = `${selected} WHERE kind = ${bind.text(kind)} GROUP BY name ORDER BY name`;
      return rowsOf(await engine.query(sql, bind.parameters));
    },
    async write(kind, { name, version, value, keepUntilMs }) {
      const block = new NativeBlock();
      block.set("kind", "String", kind);
      block.set("name", "String", name);
      block.set("version", "UInt64", BigInt(version));
      block.set("value", "String", value);
      block.set("keep_until", "DateTime('UTC')", Math.ceil(keepUntilMs / 1_000));
      block.endRow();
      await engine.insert("collector_state", block.encode(), `state_${randomUUID()}`);
    },
  };
}

function rowsOf({ rows, columns }: EngineAnswer): readonly StateRow[] {
  const column = (name: string): readonly unknown[] => columns.get(name) ?? [];
  const [names, versions, values] = [column("name"), column("last"), column("standing")];
  return Array.from({ length: rows }, (_, at) => ({
    name: String(names[at]),
    version: Number(versions[at]),
    value: String(values[at]),
  }));
}
