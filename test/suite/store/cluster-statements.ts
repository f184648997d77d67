/**
 * @module ClusterStatements: the statements of a provider to a cluster, read by the engine's own
 * parser.
 */
import { createClient } from "@clickhouse/client";
import { expect } from "vitest";

import { inRuns } from "../../../packages/store/src/clickhouse/sql-text.ts";

/** Statements of one question to the parser. */
const together = 200;

/**
 * Checks that the engine parses every statement, and that one which changes tables names the
 * cluster and the tables that hold rows.
 *
 * @returns first words of the statements that change tables
 */
export async function checkStatements(
  url: string,
  statements: readonly string[],
): Promise<readonly string[]> {
  const distinct = [...new Map(statements.map((sql) => [shapeOf(sql), sql])).values()];
  const client = createClient({ url });
  // Rows travel behind the statement; the parser is shown one without.
  const shown = distinct.map((sql) => sql.replace(/ SETTINGS [^()]* FORMAT Native$/, " VALUES"));
  for (const some of inRuns(shown, together)) {
    const stated = some.map((sql) => Buffer.from(sql).toString("hex"));
    const query = `SELECT one FROM (SELECT unhex(arrayJoin(splitByChar(',', {said:String}))) AS one)
      WHERE isNull(formatQuerySingleLineOrNull(one))`;
    const query_params = { said: stated.join(",") };
    const result = await client.query({ query, query_params, format: "JSONEachRow" });
    expect(await result.json()).toEqual([]);
  }
  await client.close();
  const changes = distinct.filter((sql) => !/^(SELECT|WITH|INSERT)/.test(sql));
  for (const sql of changes) {
    expect(sql).toContain("ON CLUSTER 'main'");
    if (!sql.startsWith("ALTER")) continue;
    // A view holds no rows; its comments stand on every server.
    if (
      /^ALTER TABLE (events|turns|calls) ON CLUSTER 'main' (COMMENT COLUMN|MODIFY COMMENT)/.test(
        sql,
      )
    )
      continue;
    const added = sql.includes("ADD COLUMN");
    expect(sql).toMatch(
      added ? /^ALTER TABLE \w+ ON CLUSTER/ : /^ALTER TABLE \w+_local ON CLUSTER/,
    );
    // A shard's deletion looks at rows of that shard, or at names that every server has.
    for (const [, table] of sql.matchAll(/\bFROM (\w+)/g)) {
      expect(table).toMatch(/^(naming_[0-9a-f]{16}|bundles_local)$/);
    }
  }
  return [...new Set(changes.map((sql) => sql.split(/\s/, 1)[0] ?? ""))].toSorted();
}

/** Statements that differ in numbers and digests alone are one. */
function shapeOf(sql: string): string {
  return sql.replace(/\b[0-9a-f]{16,}\b/g, "#").replace(/\d+/g, "#");
}
