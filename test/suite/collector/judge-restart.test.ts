/**
 * @module Judge restarts: a judge that stops, or whose store fails, between any two steps leaves
 * work that it or the next one does again. No success outlasts a loss that is known.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import { everyMs, firstMs } from "../../../collector/src/judge/judge-timing.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, Stand, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const roots = ["a", "b", "c"];
const minuteMs = 60_000;

/** Three turns that are stored and not judged. */
async function stored({ lasting = true } = {}): Promise<Stand & { readonly directory: string }> {
  const directory = await directories.make();
  const stand = Object.assign(new Stand(directory, { lasting }), { directory });
  for (const [at, root] of roots.entries()) {
    stand.now = start + at * minuteMs;
    await stand.put(turnAt(root, stand.now));
  }
  stand.now = start + 10 * minuteMs;
  await recordStored(stand.store, allTenants, roots);
  return stand;
}

/** Something of the journal was lost while all of them were open. */
const loss = (): LossInterval => ({
  from: isoOf(start - minuteMs),
  to: isoOf(start + 9 * minuteMs),
  lost: 1,
  sampled_out: 0,
  write_failures: 0,
});

const all = (verdict: string): object => Object.fromEntries(roots.map((root) => [root, verdict]));

async function judgedOnce(stand: Stand): Promise<void> {
  const judge = stand.judge();
  await judge.look();
  await judge.close();
  expect(await stand.verdicts()).toEqual(all("success"));
}

async function restarted(stand: Stand): Promise<void> {
  const judge = stand.judge();
  await judge.look();
  await judge.close();
}

test("a judge looks soon after its start, long before its next look", async () => {
  const stand = await stored();
  const judge = stand.judge({}, { firstMs: 0 });
  await vi.waitFor(async () => expect(await stand.verdicts()).toEqual(all("success")), 10_000);
  await judge.close();
  expect(firstMs).toBeLessThan(everyMs);
});

test("judging again after a loss goes on where a stop ended it", async () => {
  const stand = await stored();
  await judgedOnce(stand);
  stand.losses = { quarantined_roots: [], losses: [loss()] };
  let pages = 0;
  const stopped = stand.judge(
    {
      quietRoots: async (...requested) => {
        pages += 1;
        if (pages === 3) void stopped.close();
        return stand.store.quietRoots(...requested);
      },
    },
    { rootsMax: 1 },
  );
  await stopped.look();
  const between = Object.values(await stand.verdicts());
  expect(between).toContain("success");
  expect(between).toContain("partial");
  stand.now += minuteMs;
  await restarted(stand);
  expect(await stand.verdicts()).toEqual(all("partial"));
});

test("a file of the version before is read, and its time is not judged again", async () => {
  const stand = await stored();
  await judgedOnce(stand);
  const since = isoOf(stand.now);
  const before = { version: 1, store: "lasting ", since, seen: [], named: [] };
  writeFileSync(join(stand.directory, "judge.json"), JSON.stringify(before));
  const judge = stand.judge();
  stand.now += minuteMs;
  expect(await judge.look()).toBe(0);
  stand.losses = { quarantined_roots: [], losses: [loss()] };
  expect(await judge.look()).toBe(3);
  await judge.close();
});

test("a root that is named is judged when the store is back, by this process or the next", async () => {
  for (const sameProcess of [true, false]) {
    const stand = await stored();
    await judgedOnce(stand);
    stand.now += minuteMs;
    let fails = false;
    const failing: EvidenceStore["standing"] = async (requested) => {
      if (fails) throw new Error("store away");
      return stand.store.standing(requested);
    };
    const judge = stand.judge({ standing: failing });
    await judge.look();
    stand.losses = { quarantined_roots: ["b"], losses: [] };
    fails = true;
    await expect(judge.look()).rejects.toThrow("store away");
    fails = false;
    if (sameProcess) await judge.look();
    await judge.close();
    if (!sameProcess) await restarted(stand);
    expect(await stand.verdicts()).toEqual({ a: "success", b: "partial", c: "success" });
  }
});

test("a loss reaches turns that were settled by a look that failed or ended before a mark", async () => {
  for (const sameProcess of [true, false]) {
    // Of a store that ends with it a process knows who took part in each turn.
    const stand = await stored({ lasting: !sameProcess });
    let fails = true;
    const judge = stand.judge({
      ledger: Object.assign(Object.create(stand.store.ledger), {
        putTurns: async (records: Parameters<EvidenceStore["ledger"]["putTurns"]>[0]) => {
          await stand.store.ledger.putTurns(records);
          if (fails) throw new Error("store away");
        },
      }),
    });
    await expect(judge.look()).rejects.toThrow("store away");
    if (!sameProcess) await judge.close();
    fails = false;
    stand.losses = { quarantined_roots: [], losses: [loss()] };
    stand.now += minuteMs;
    if (sameProcess) {
      await judge.look();
      await judge.close();
    } else await restarted(stand);
    expect(await stand.verdicts()).toEqual(all("partial"));
  }
});

test("a turn that had not ended is judged when its time is over, though the file is gone", async () => {
  const stand = new Stand(await directories.make());
  const own = { event_kind: "turn", phase: "start", status: "started" } as const;
  const span = { event_id: "open:start", span_id: "bbbbbbbbbbbbbb01", producer_id: "p1" };
  const [begun] = turnAt("open", start, { ...own, ...span, attributes: {} }) as [TurnEvent];
  await stand.put([{ ...begun, ...span }], isoOf(start + minuteMs));
  await recordStored(stand.store, allTenants, ["open"]);
  stand.now += 2 * minuteMs;
  await restarted(stand);
  const codes = async (): Promise<readonly unknown[]> =>
    (await stand.records()).map(({ row }) => row.finding_codes);
  expect(await codes()).toEqual([expect.arrayContaining(["turn_open"])]);
  const other = new Stand(await directories.make());
  Object.assign(other, { store: stand.store, now: stand.now + 20 * 3_600_000 });
  await restarted(other);
  expect(await codes()).toEqual([expect.arrayContaining(["turn_unfinished"])]);
});
