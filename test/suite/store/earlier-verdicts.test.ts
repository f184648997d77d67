/**
 * @module Verdicts of an earlier release, which kept one per turn *and application*: each
 * database reads them where they lie, and shows one per turn, the newest, whichever key it stands
 * under.
 */
import { createHash } from "node:crypto";

import { MongoClient } from "mongodb";
import { clickhouse, lentEngineOf, mongodb } from "@turnproof/store";
import type { EvidenceStore, TurnVerdict } from "@turnproof/store";
import { everybody } from "@turnproof/store/testing";
import { afterAll, describe, expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  await directories.remove();
});

const earlier: TurnVerdict = {
  root_trace_id: "root-1",
  turn_id: "aa",
  application_id: "worker",
  agent_id: "helper",
  thread_id: "t-1",
  user_id: "u-1",
  verdict: "partial",
  finding_codes: ["artifact_missing"],
  judged_at: "2026-03-01T11:00:00.000Z",
  as_of: "2026-03-01T10:59:00.000000Z",
};
const newer: TurnVerdict = {
  ...earlier,
  application_id: "desk",
  verdict: "success",
  finding_codes: [],
  judged_at: "2026-03-01T12:00:00.000Z",
};

/** The key of the last release. */
const earlierKey = createHash("sha256")
  .update(JSON.stringify(["worker", "helper", "u-1", "t-1", "root-1", "aa"]))
  .digest("hex");

/** A store whose only verdict is `earlier`, as the last release kept it. */
const stores: Record<string, () => Promise<EvidenceStore>> = {
  async postgres() {
    const emptied = await startEmbeddedPostgres();
    const store = (await emptied.open()).evidence;
    await store.putVerdicts([earlier]);
    await emptied.engine.exec(`UPDATE evidence_verdicts SET turn_key = '${earlierKey}'`);
    return store;
  },
  async mongodb() {
    const server = await startMongo();
    const store = (await mongodb({ url: server.url, database: "earlier" })).evidence;
    await store.putVerdicts([earlier]);
    const client = await new MongoClient(server.url).connect();
    const rows = client.db("earlier").collection<{ _id: string }>("evidence_verdicts");
    const [row] = await rows.find().toArray();
    await rows.deleteMany({ root_trace_id: { $in: ["root-1"] } });
    await rows.insertOne({ ...row, _id: earlierKey });
    await client.close();
    closing.unshift(() => server.close());
    return store;
  },
  async clickhouse() {
    const store = await clickhouse({ connection: { dataDir: await directories.make() } });
    await store.putVerdicts([earlier]);
    const engine = lentEngineOf(store);
    await engine?.command(
      `INSERT INTO verdicts SELECT * REPLACE ('${earlierKey}' AS turn_key) FROM verdicts`,
    );
    await engine?.command(
      `ALTER TABLE verdicts DELETE WHERE turn_key != '${earlierKey}' SETTINGS mutations_sync = 2`,
    );
    return store;
  },
};

describe.each(Object.keys(stores))("%s", (name) => {
  test("one verdict a turn, the newest", { timeout: 60_000 }, async () => {
    const store = (await stores[name]?.()) as EvidenceStore;
    closing.unshift(() => store.close());
    const held = (): Promise<readonly TurnVerdict[]> => store.verdicts(everybody, ["root-1"]);
    expect(await held()).toEqual([earlier]);
    const older = { ...newer, verdict: "failed", judged_at: "2026-03-01T10:30:00.000Z" };
    await store.putVerdicts([older]);
    expect(await held()).toEqual([earlier]);
    await store.putVerdicts([newer]);
    expect(await held()).toEqual([newer]);
    expect(await store.verdicts({ tenant: "u-1" }, ["root-1"])).toEqual([newer]);
  });
});
