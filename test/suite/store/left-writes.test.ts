/**
 * @module Left writes: a writer that is killed between its turns and the look at what was deleted
 * meanwhile leaves turns of deleted evidence. The next start takes them back, and no others.
 */
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { rootHash } from "../../../packages/store/src/clickhouse/bundle-table.ts";
import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { clickhouseErasure } from "../../../packages/store/src/clickhouse/erasure.ts";
import { clickhouseTurns } from "../../../packages/store/src/clickhouse/turn-ledger.ts";
import { recordStored } from "../../../packages/store/src/ledger/record-roots.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const roots = ["own", "shared", "other", "twin"];

async function fill(store: EvidenceStore): Promise<void> {
  const event = (root: string, span: string, user_id: string): ReturnType<typeof sampleEvent> =>
    sampleEvent(span, { root_trace_id: root, user_id, turn_id: span, event_kind: "turn" });
  const events = [
    event("own", "a", "gone"),
    event("shared", "b", "gone"),
    event("shared", "c", "stays"),
    event("other", "d", "stays"),
    event("twin", "e", "stays"),
  ];
  await store.append({ batchId: "one", receivedAt: receivedAt(1), events });
  await recordStored(store, allTenants, roots);
}

test("turns of deleted rows that a killed writer left go with the next start", async () => {
  const dataDir = await directories.make();
  const first = await clickhouse({ connection: { dataDir } });
  await fill(first);
  const order = { by: "first_received" } as const;
  const question = { scope: allTenants, where: [] };
  const { records } = await first.ledger.listTurns(question, { order, limit: 10 });
  expect(records).toHaveLength(5);
  await first.close();

  const engine = await openEngine({ dataDir });
  await clickhouseErasure({ engine, cluster: undefined })({ userId: "gone", dryRun: false });
  // A root that has the hash of one that lost rows.
  await engine.command(`INSERT INTO root_epochs (root, epoch) VALUES (${rootHash("twin")}, 1)`);
  const killed = {
    ...engine,
    query: async (): Promise<never> => {
      throw new Error("killed");
    },
  };
  const writer = clickhouseTurns({ engine: killed, cluster: undefined });
  await expect(writer.putTurns(records)).rejects.toThrow("killed");
  const rows = async (): Promise<readonly (readonly unknown[])[]> => {
    const sql =
      "SELECT root_trace_id, tenant FROM turn_ledger ORDER BY root_trace_id, tenant, version";
    const { columns } = await engine.query(sql);
    const tenants = columns.get("tenant") ?? [];
    return (columns.get("root_trace_id") ?? []).map((root, at) => [root, tenants[at]]);
  };
  expect((await rows()).filter(([, tenant]) => tenant === "id:gone")).toHaveLength(2);

  const second = await clickhouse({ connection: { dataDir } });
  const stands = await second.ledger.listTurns(question, { order, limit: 10 });
  expect(new Set(stands.records.map(({ row }) => row.root_trace_id))).toEqual(
    new Set(["other", "shared", "twin"]),
  );
  expect(stands.records).toHaveLength(3);
  expect(new Set(await rows().then((all) => all.map(String)))).toEqual(
    new Set(["other,id:stays", "shared,id:stays", "twin,id:stays"]),
  );
  expect(await second.ledger.turnsOf(["shared"])).toMatchObject([{ version: { epoch: 1 } }]);
  await second.close();
  await engine.close();
});
