/**
 * @module Tests of blocks sent to shards: the destination of each row, and an unreachable replica.
 */
import { CodedError } from "@turnproof/semconv";
import fc from "fast-check";
import { expect, test } from "vitest";

import { rootHash } from "./bundle-table.ts";
import { clusterInserts } from "./cluster-inserts.ts";
import type { ShardReplica } from "./cluster-inserts.ts";
import { readNative } from "./native-reader.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock } from "./native-writer.ts";

interface Sent {
  readonly to: string;
  readonly table: string;
  readonly rows: readonly (readonly [root: string, label: string])[];
  readonly token: string;
}

function blockOf(roots: readonly string[]): EncodedBlock {
  const block = new NativeBlock();
  for (const [at, root] of roots.entries()) {
    block.set("root_trace_id", "String", root);
    block.set("label", "LowCardinality(String)", `row ${at}`);
    block.endRow();
  }
  return block.encode();
}

/** A replica that records what it receives, while `state` allows it. */
function replica(
  to: string,
  sent: Sent[],
  state: () => "here" | "away" | "other" | "refuses" = () => "here",
): ShardReplica {
  const reached = (): void => {
    if (state() === "away") throw new CodedError("store_unavailable");
  };
  return {
    async isItself() {
      reached();
      return state() !== "other";
    },
    async insert(table, { bytes }, token) {
      reached();
      if (state() === "refuses") throw new CodedError("store_rejected_row");
      const { columns } = readNative(Buffer.from(bytes));
      const [roots, labels] = ["root_trace_id", "label"].map((name) => columns.get(name) ?? []);
      const rows = (roots ?? []).map((root, at) => [String(root), String(labels?.[at])] as const);
      sent.push({ to, table, rows, token });
    },
  };
}

test("each row goes once, to the shard of its root, as weights say", async () => {
  const weights = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 });
  const roots = fc.array(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(weights, roots, async (given, names) => {
      const sent: Sent[] = [];
      const shards = given.map((weight, at) => ({ weight, replicas: [replica(`${at}`, sent)] }));
      const through = replica("through", sent).insert;
      await clusterInserts("main", shards, through)("turn_ledger", blockOf(names), "t");
      const total = given.reduce((sum, weight) => sum + weight, 0);
      for (const { to, table, rows, token } of sent) {
        const before = given.slice(0, Number(to)).reduce((sum, weight) => sum + weight, 0);
        expect([table, token]).toEqual(["turn_ledger_local", `t_${Number(to) + 1}`]);
        for (const [root] of rows) {
          const place = rootHash(root) % total;
          expect(place).toBeGreaterThanOrEqual(before);
          expect(place).toBeLessThan(before + (given[Number(to)] ?? 0));
        }
      }
      const labels = sent.flatMap(({ rows }) => rows.map(([root, label]) => `${label} ${root}`));
      expect(labels.toSorted()).toEqual(names.map((root, at) => `row ${at} ${root}`).toSorted());
    }),
  );
});

test("a replica that is away, or another server, is left out; at last the engine sends", async () => {
  const sent: Sent[] = [];
  let state: "here" | "away" | "other" | "refuses" = "away";
  const replicas = [replica("a", sent, () => state), replica("b", sent)];
  const insert = clusterInserts("main", [{ weight: 1, replicas }], replica("through", sent).insert);
  await insert("turn_ledger", blockOf(["r"]), "one");
  const none = [replica("c", sent, () => "other"), replica("d", sent, () => "away")];
  const alone = clusterInserts("main", [{ weight: 1, replicas: none }], replica("e", sent).insert);
  await alone("turn_ledger", blockOf(["r"]), "one");
  expect(sent.map(({ to, table, token }) => [to, table, token])).toEqual([
    ["b", "turn_ledger_local", "one_1"],
    ["e", "turn_ledger", "one_1"],
  ]);
  // It is tried again after a while, not with each block.
  state = "here";
  await insert("turn_ledger", blockOf(["r"]), "two");
  expect(sent.at(-1)?.to).toBe("b");
});

test("a block that a shard refuses is refused, after the other shards have theirs", async () => {
  const sent: Sent[] = [];
  const shards = [
    { weight: 1, replicas: [replica("a", sent, () => "refuses")] },
    { weight: 1, replicas: [replica("b", sent)] },
  ];
  const insert = clusterInserts("main", shards, replica("through", sent).insert);
  const roots = Array.from({ length: 20 }, (_, at) => `root ${at}`);
  await expect(insert("turn_ledger", blockOf(roots), "t")).rejects.toThrow("store_rejected_row");
  expect(sent.map(({ to }) => to)).toEqual(["b"]);
});

test("a table that has no root goes through the server it is connected to", async () => {
  const sent: Sent[] = [];
  const shards = [{ weight: 1, replicas: [replica("a", sent)] }];
  await clusterInserts("main", shards, replica("through", sent).insert)(
    "naming",
    blockOf(["r"]),
    "t",
  );
  expect(sent.map(({ to, table, token }) => [to, table, token])).toEqual([
    ["through", "naming", "t"],
  ]);
});
