/**
 * @module Killed erasure: a deletion on ClickHouse that ends before any one of its changes is
 * finished by the next; the user's rows go, and no other's do.
 */
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";
import { clickhouseErasure } from "../../../packages/store/src/clickhouse/erasure.ts";
import { recordStored } from "../../../packages/store/src/ledger/record-roots.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** An engine that ends the run before its change of this number. */
function ending(engine: Engine, at: number): Engine & { readonly changes: number } {
  let changes = 0;
  const change = async (work: () => Promise<void>): Promise<void> => {
    changes += 1;
    if (changes >= at) throw new Error("killed");
    await work();
  };
  const { together } = engine;
  return {
    ...engine,
    ...(together === undefined
      ? {}
      : { together: (statements) => change(() => together(statements)) }),
    command: (sql) => change(() => engine.command(sql)),
    insert: (...given) => change(() => engine.insert(...given)),
    get changes() {
      return changes;
    },
  };
}

const userId = "gone";

async function fill(store: EvidenceStore, mark: string): Promise<readonly string[]> {
  const roots = [`${mark}-own`, `${mark}-shared`, `${mark}-other`];
  const event = (root: number, span: string, user_id: string): ReturnType<typeof sampleEvent> =>
    sampleEvent(span, {
      root_trace_id: roots[root] as string,
      user_id,
      turn_id: span,
      event_kind: "turn",
    });
  const events = [
    event(0, "a", userId),
    event(1, "b", userId),
    event(1, "c", "stays"),
    event(2, "d", "stays"),
  ];
  await store.append({ batchId: mark, receivedAt: receivedAt(1), events });
  await recordStored(store, allTenants, roots);
  return roots;
}

test("each run is finished by the next", { timeout: 240_000 }, async () => {
  const connection = { dataDir: await directories.make() };
  await using store = await clickhouse({ connection });
  const engine = await openEngine(connection);
  const turnsOf = (tenant: string): Promise<number> =>
    store.ledger.countTurns({ scope: allTenants, where: [{ text: "tenant", is: tenant }] });
  const roots: string[] = [];
  // To end before a change is to end after the one before it.
  for (let at = 1; ; at += 1) {
    roots.push(...(await fill(store, `run-${at}`)));
    const killed = ending(engine, at);
    const erase = clickhouseErasure({ engine: killed, cluster: undefined });
    const ended = await erase({ userId, dryRun: false }).catch((error: unknown) => error);
    const left = [...(await store.standing(roots)).values()].map(({ rows }) => rows);
    // No other user's row goes with a run that ends anywhere.
    expect([at, left.reduce((sum, rows) => sum + rows, 0) >= 2 * at]).toEqual([at, true]);
    if (ended instanceof Error) continue;
    expect(killed.changes).toBeGreaterThan(8);
    expect(left.reduce((sum, rows) => sum + rows, 0)).toBe(2 * at);
    expect([await turnsOf(`id:${userId}`), await turnsOf("id:stays")]).toEqual([0, 2 * at]);
    break;
  }
  await engine.close();
});
