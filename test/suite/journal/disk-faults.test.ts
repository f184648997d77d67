/** A disk that fails or is full: refuse honestly, keep what was acknowledged, heal by itself. */
import { describe, expect, test } from "vitest";

import type { Journal, JournalEvent } from "@turnproof/journal";

import { manualClock, openSimulated, pendingTexts, rawFrames } from "./simulated-journal.ts";
import type { ManualClock } from "./simulated-journal.ts";
import { simulateDisk } from "./simulated-disk.ts";
import type { Operation, SimulatedDisk } from "./simulated-disk.ts";

/** Resolves to the code of the refusal or to "taken". */
function append(journal: Journal, text: string): Promise<string> {
  return journal.append({ payload: Buffer.from(text), spans: 1 }).then(
    () => "taken",
    (error: unknown) => (error as { readonly code: string }).code,
  );
}

/** Fails the first `times` calls that match. */
function failTimes(
  disk: SimulatedDisk,
  code: string,
  times: number,
  matches: (operation: Operation) => boolean,
): void {
  let left = times;
  disk.fault = (operation) => {
    if (left === 0 || !matches(operation)) return undefined;
    left -= 1;
    return code;
  };
}

const isSegment = ({ file }: Operation): boolean => file.endsWith(".segment");

describe("a sync that fails with EIO", () => {
  test("is never tried again on the same file, and the frames go to a new segment", async () => {
    const disk = simulateDisk();
    const journal = await openSimulated(disk);
    expect(await append(journal, "before")).toBe("taken");
    const poisoned = disk.names().find((name) => name.endsWith(".segment"));
    const from = disk.log.length;
    failTimes(disk, "EIO", 1, (operation) => operation.name === "sync" && isSegment(operation));
    expect(await append(journal, "during")).toBe("taken");
    expect(await append(journal, "after")).toBe("taken");
    const later = disk.log.slice(from).filter((operation) => operation.file === poisoned);
    expect(later.filter(({ name }) => name === "sync")).toHaveLength(1);
    expect(later.filter(({ name }) => name === "write")).toHaveLength(1);
    expect(journal.stats().healthy).toBe(true);
    expect(await pendingTexts(journal)).toEqual(["before", "during", "after"]);

    // What the poisoned file still holds of the group does not come back a second time.
    const again = await openSimulated(disk.afterKill());
    expect(await pendingTexts(again)).toEqual(["before", "during", "after"]);
    expect(again.stats().lostFrames).toBe(0);
    await again.close();
    await journal.close();
  });

  test("twice: refuses, turns unhealthy, and heals when the disk does", async () => {
    const disk = simulateDisk();
    const clock = manualClock();
    const events: JournalEvent[] = [];
    const journal = await openSimulated(disk, { clock, onEvent: (event) => events.push(event) });
    await append(journal, "before");
    disk.fault = (operation) =>
      operation.name === "sync" && isSegment(operation) ? "EIO" : undefined;
    expect(await append(journal, "refused")).toBe("journal_failed");
    expect(await append(journal, "refused at once")).toBe("journal_failed");
    expect(journal.stats()).toMatchObject({ healthy: false, failure: "journal_failed" });
    expect(await pendingTexts(journal)).toEqual(["before"]);

    disk.fault = () => undefined;
    await healed(journal, clock);
    expect(await append(journal, "after")).toBe("taken");
    expect(events.map((event) => event.code)).toEqual(["journal_failed", "journal_healed"]);
    const again = await openSimulated(disk.afterKill());
    expect(await pendingTexts(again)).toEqual(["before", "after"]);
    expect(again.stats()).toMatchObject({ lostFrames: 0, corruptRanges: 0 });
    await again.close();
    await journal.close();
  });

  test("at every call of a run: nothing acknowledged is lost, nothing refused comes back", async () => {
    for (const code of ["EIO", "ENOSPC"]) {
      for (let index = 0; ; index += 1) {
        const disk = simulateDisk();
        const clock = manualClock();
        const journal = await openSimulated(disk, { clock });
        const start = disk.log.length;
        disk.fault = (_, at) => (at === start + index ? code : undefined);
        const taken: string[] = [];
        for (let frame = 0; frame < 6; frame += 1) {
          const outcomes = await Promise.all(
            ["a", "b"].map(async (writer) => {
              const text = `${writer}${frame}-`.padEnd(900, "x");
              return (await append(journal, text)) === "taken" ? [text] : [];
            }),
          );
          taken.push(...outcomes.flat());
          if (!journal.stats().healthy) await healed(journal, clock);
        }
        const faulted = disk.log.length > start + index;
        disk.fault = () => undefined;
        expect(await pendingTexts(journal)).toEqual(taken);
        const again = await openSimulated(disk.afterKill());
        expect((await pendingTexts(again)).filter((text) => !taken.includes(text))).toEqual([]);
        expect(await pendingTexts(again)).toEqual(taken);
        expect(again.stats().lostFrames).toBe(0);
        await again.close();
        await journal.close();
        if (!faulted) break;
      }
    }
  });
});

async function healed(journal: Journal, clock: ManualClock): Promise<void> {
  for (let turn = 0; turn < 20 && !journal.stats().healthy; turn += 1) await clock.advance(500);
  expect(journal.stats().healthy).toBe(true);
}

/** Makes the disk hold no more than this many bytes. */
function limit(disk: SimulatedDisk, bytesMax: number): void {
  disk.fault = ({ name, bytes = 0 }) =>
    name === "write" && disk.bytesUsed() + bytes > bytesMax ? "ENOSPC" : undefined;
}

describe("a full disk", () => {
  test("refuses, lets the backlog drain and delete, and takes again without a restart", async () => {
    const disk = simulateDisk();
    const clock = manualClock();
    const journal = await openSimulated(disk, { clock });
    limit(disk, 12_000);
    const taken: string[] = [];
    for (let index = 0; index < 100; index += 1) {
      const text = `${index}-`.padEnd(400, "x");
      if ((await append(journal, text)) === "taken") taken.push(text);
    }
    expect(taken.length).toBeGreaterThan(10);
    expect(taken.length).toBeLessThan(40);
    expect(journal.stats()).toMatchObject({ healthy: false, failure: "disk_full" });
    expect(await pendingTexts(journal)).toEqual(taken);

    // Not one byte of room, not even for a checkpoint: that is what the reserve is for.
    limit(disk, disk.bytesUsed());
    await journal.checkpoint(journal.stats().acknowledgedThrough);
    expect(journal.stats().pendingFrames).toBe(0);
    limit(disk, 12_000);
    await healed(journal, clock);
    expect(await append(journal, "again")).toBe("taken");
    expect(disk.names()).toContain("reserve");
    await journal.close();
    const reopened = await openSimulated(disk);
    expect(await pendingTexts(reopened)).toEqual(["again"]);
    await reopened.close();
  });

  test("does not stop a start", async () => {
    const disk = simulateDisk();
    const first = await openSimulated(disk);
    await append(first, "kept");
    const full = disk.afterKill();
    limit(full, 0);
    const journal = await openSimulated(full);
    expect(await pendingTexts(journal)).toEqual(["kept"]);
    expect(await append(journal, "no room")).toBe("disk_full");
    await journal.close();
    await first.close();
  });

  test("gives the bytes of an unfinished group back", async () => {
    const disk = simulateDisk();
    const journal = await openSimulated(disk);
    await append(journal, "kept");
    failTimes(disk, "ENOSPC", 1, ({ name }) => name === "write");
    expect(await append(journal, "x".repeat(2_000))).toBe("disk_full");
    const [name = ""] = disk.names().filter((item) => item.endsWith(".segment"));
    const bytes = disk.contents(name);
    expect(rawFrames(bytes).at(-1)?.end).toBe(bytes.byteLength);
    await journal.close();
  });
});
