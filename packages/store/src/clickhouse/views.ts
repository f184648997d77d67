/**
 * @module Views: the views `events`, `turns` and `calls` for SQL of operators and for dashboards.
 * Their columns are those of the tables of an export, and more (storage: Two tables of evidence).
 */
import { createHash } from "node:crypto";

import { onCluster } from "./cluster-tables.ts";
import type { Tables } from "./engine.ts";
import { eventsView } from "./events-view.ts";
import { callsView, turnsView } from "./turn-views.ts";
import type { SqlView } from "./turn-views.ts";

/** Creates the views that are missing or changed; with `wanted`, all of them. */
export async function makeViews(tables: Tables, wanted = false): Promise<void> {
  for (const view of [eventsView(), turnsView(), callsView()]) await makeView(tables, view, wanted);
}

/**
 * Creates a view, or recreates it when its definition has changed or `wanted` is set. The mark is
 * written last, with the comments, so that a view that a killed process left is made again.
 */
async function makeView(tables: Tables, view: SqlView, wanted: boolean): Promise<void> {
  const { engine, cluster } = tables;
  const { name, query } = view;
  const commented = view.comments
    .map(([column, comment]) => `COMMENT COLUMN ${column} '${comment.replaceAll("'", "''")}'`)
    .join(",\n");
  const mark = createHash("sha256").update(query).update(commented).digest("hex").slice(0, 16);
  const answer = await engine.query(
    `SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = '${name}'`,
  );
  if (!wanted && answer.columns.get("comment")?.[0] === mark) return;
  const on = onCluster(cluster);
  await engine.command(`CREATE OR REPLACE VIEW ${name}${on} AS ${query}`);
  await engine.command(`ALTER TABLE ${name}${on} ${commented}, MODIFY COMMENT '${mark}'`);
}
