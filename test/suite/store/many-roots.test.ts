/**
 * @module Many roots: a ClickHouse server takes no field of more than 128 KiB, so whatever names
 * roots names some at a time: the turns of a drain, and a user who has more than one statement can
 * name.
 */
import { clickhouse } from "@turnproof/store";
import { deleteUserEvidence } from "@turnproof/store/admin";
import { everybody, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { recordStored } from "../../../packages/store/src/ledger/record-roots.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";

const roots = 700;
/** Ids as long as a producer may write them fill a field soonest. */
const rootOf = (at: number): string => `${String(at).padStart(30, "0")}${"r".repeat(200)}`;

test("a user of many roots is recorded, listed and deleted", { timeout: 120_000 }, async () => {
  await using server = await startClickhouseServer();
  const connection = { url: server.url, database: "many" };
  const names = Array.from({ length: roots }, (_, at) => rootOf(at));
  await using store = await clickhouse({ connection });
  const events = names.map((root_trace_id) =>
    sampleEvent("s", { root_trace_id, user_id: "gone", event_kind: "turn" }),
  );
  await store.append({ batchId: "b", receivedAt: receivedAt(1), events });
  const stays = sampleEvent("s", { root_trace_id: "stays", user_id: "stays", event_kind: "turn" });
  await store.append({ batchId: "c", receivedAt: receivedAt(2), events: [stays] });

  expect((await store.standing(names)).size).toBe(roots);
  await recordStored(store, everybody, [...names, "stays"]);
  expect(await store.ledger.turnsOf(names)).toHaveLength(roots);

  const report = await deleteUserEvidence(store, { userId: "gone", dryRun: false });
  expect(report).toMatchObject({ roots, deleted: roots, complete: true });
  const every = { scope: everybody, where: [] };
  expect(await store.ledger.countTurns(every)).toBe(1);
  const left = [...(await store.standing(names)).values()].filter(({ rows }) => rows > 0);
  expect(left).toEqual([]);
  expect((await store.standing(["stays"])).get("stays")?.rows).toBe(1);
});
