/**
 * @module A known loss keeps back the turns that may have met it and no others, over a real
 * collector with its background judge, also where the loss becomes known after the verdict.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { TurnEvent, TurnRow, Verdict } from "@turnproof/evidence";
import { openJournal } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";

import { encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { traceRequest } from "../../otlp/encode.ts";
import { at, success } from "../evidence/text-windows.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

let desk: Desk | undefined;
afterEach(async () => {
  await desk?.collector.close();
  desk = undefined;
});

const rootOf = (n: number): string => n.toString(16).padStart(32, "0");

/** A turn that succeeds, begun at that time. */
function turnAt(root: string, beganMs: number, more: object = {}): TurnEvent[] {
  const base = Date.parse("2026-11-21T08:00:00Z");
  return success().map((event) => {
    const since = Date.parse(String(event["timestamp"])) - base;
    const timestamp = new Date(beganMs + since).toISOString();
    return { ...event, timestamp, root_trace_id: root, producer_id: "pod-1", ...more } as never;
  });
}

function report(atMs: number, of: { readonly [name: string]: number }, more: object = {}): object {
  const event = at(1, "data_quality", { quality_code: "producer_losses", ...of });
  const id = `report-${atMs}-${Object.values(of).join("-")}-${JSON.stringify(more)}`;
  const own = { application_id: "billing", producer_id: "pod-1" };
  const { agent_id: _a, user_id: _u, thread_id: _t, turn_id: _i, ...rest } = event;
  const timestamp = new Date(atMs).toISOString();
  return { ...rest, ...own, timestamp, event_id: id, root_trace_id: id, ...more };
}
const clean = { loss_created: 9, loss_exported: 9, loss_dropped: 0 };
const lossy = (lost: number): { [name: string]: number } => ({ ...clean, loss_dropped: lost });

const judge = { quietMs: 300, everyMs: 20 };

/** What the judge's verdict is of each of these roots, in the list. */
async function listed(roots: readonly string[]): Promise<readonly (string | null)[]> {
  const { items } = await (desk as Desk).json<{ items: TurnRow[] }>(
    "/traces/turns.json?agent_id=clerk",
  );
  return roots.map((root) => items.find((row) => row.root_trace_id === root)?.verdict ?? null);
}

const become = (roots: readonly string[], verdicts: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await listed(roots)).toEqual(verdicts), {
    timeout: 20_000,
    interval: 30,
  });

/** The verdict as it is worked out now, beside that of the background judge. */
async function requested(root: string): Promise<[string, readonly string[]]> {
  const path = `/traces/reconcile.json?agent_id=clerk&root_trace_id=${root}`;
  const { status, window } = await (desk as Desk).json<Verdict>(path);
  return [status, window.reasons];
}

describe("rows that no store takes", () => {
  /** A store that refuses every received row of one root. */
  function refusing(inner: EvidenceStore, root: string): EvidenceStore {
    return {
      ...inner,
      append: async (batch) => {
        if (batch.events.some((event) => event.root_trace_id === root)) {
          throw new CodedError("store_rejected_row");
        }
        await inner.append(batch);
      },
    };
  }

  test("the root that they name is blocked, judged or not, and no other", async () => {
    const [named, other] = [rootOf(1), rootOf(2)];
    const inner = ephemeral();
    desk = await openDesk({}, { store: refusing(inner, named), judge });
    const now = Date.now() - 120_000;
    const events = [...turnAt(named, now), ...turnAt(other, now)];
    const receivedAt = new Date(now + 60_000).toISOString();
    await inner.append({ batchId: "turns", receivedAt, events });
    await become([named, other], ["success", "success"]);
    const span = {
      traceId: named,
      spanId: "b7ad6b7169203331",
      name: "any",
      startTimeUnixNano: `${now}000000`,
      endTimeUnixNano: `${now}000000`,
      attributes: { "gen_ai.operation.name": "chat" },
    };
    const sent = await desk.collector.app.request("http://localhost:4318/v1/traces", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(traceRequest([span], { "service.name": "desk" })),
    });
    expect(sent.status).toBe(200);
    await become([named, other], ["partial", "success"]);
    expect(await requested(named)).toEqual(["partial", ["known_loss"]]);
    expect(await requested(other)).toEqual(["success", []]);
    const page = (root: string): Promise<{ quarantined_roots: string[] }> =>
      (desk as Desk).json(`/traces/events.json?root_trace_id=${root}`);
    expect((await page(named)).quarantined_roots).toEqual([named]);
    expect((await page(other)).quarantined_roots).toEqual([]);
  });

  test("those of an earlier run count, those of a producer that is not trusted do not", async () => {
    const [named, forged, free] = [rootOf(3), rootOf(4), rootOf(5)];
    const dataDir = await directories.make();
    const journal = await openJournal({ directory: join(dataDir, "journal") });
    const code = "store_rejected_row";
    const rows = [
      ...turnEvents({ root: named }),
      ...turnEvents({ root: forged }).map((event) => ({ ...event, ingest_trusted: false })),
    ];
    const received_at = "2026-11-21T10:00:00.000000Z";
    const payload = encodeFrame(rows.map((event) => ({ ...event, received_at })));
    await journal.quarantine({ code, payload, rows: [0, 3, 4], spans: 3 });
    await journal.close();
    desk = await openDesk({ TURNPROOF_DATA_DIR: dataDir }, { judge });
    const began = Date.now() - 120_000;
    const roots = [named, forged, free];
    const at = new Date(began + 60_000).toISOString();
    await desk.put(
      roots.flatMap((root) => turnAt(root, began)),
      at,
    );
    await become(roots, ["partial", "success", "success"]);
  });

  test("what nobody can read keeps back the turns of its time", async () => {
    const dataDir = await directories.make();
    const journal = await openJournal({ directory: join(dataDir, "journal") });
    const receivedAtMs = Date.now() - 60_000;
    const unread = { code: "record_invalid", payload: Buffer.from("{"), rows: null, spans: 7 };
    await journal.quarantine({ ...unread, receivedAtMs });
    await journal.close();
    desk = await openDesk({ TURNPROOF_DATA_DIR: dataDir }, { judge });
    const now = Date.now();
    const [within, before] = [rootOf(6), rootOf(7)];
    const events = [...turnAt(within, now - 90_000), ...turnAt(before, now - 3_600_000)];
    await desk.put(events, new Date(now - 30_000).toISOString());
    await become([within, before], ["partial", "success"]);
  });
});

test("damaged frames keep back the turns of their time, also after a restart", async () => {
  const dataDir = await directories.make();
  const directory = join(dataDir, "journal");
  const journal = await openJournal({ directory });
  for (let n = 0; n < 3; n += 1) {
    const payload = encodeFrame(turnEvents({ root: rootOf(90 + n) }));
    await journal.append({ payload, spans: 3 });
  }
  await journal.close();
  const [segment = ""] = readdirSync(directory).filter((name) => name.endsWith(".segment"));
  const bytes = readFileSync(join(directory, segment));
  bytes.fill(0x55, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 20);
  writeFileSync(join(directory, segment), bytes);
  for (let round = 0; round < 2; round += 1) {
    desk = await openDesk({ TURNPROOF_DATA_DIR: dataDir }, { judge, store: ephemeral() });
    const now = Date.now();
    const [within, before] = [rootOf(8), rootOf(9)];
    const events = [...turnAt(within, now - 60_000), ...turnAt(before, now - 3_600_000)];
    await desk.put(events, new Date(now - 10_000).toISOString());
    await become([within, before], ["partial", "success"]);
    expect(await requested(within)).toEqual(["partial", ["known_loss"]]);
    await desk.collector.close();
  }
});

describe("what producers report", () => {
  const minute = 60_000;
  const noon = Date.parse("2026-11-21T12:00:00Z");
  let now = noon;
  const open = async (): Promise<void> => {
    now = noon;
    desk = await openDesk({}, { judge, now: () => now });
  };
  /** Stores at once what is received a minute later. */
  const receive = async (events: readonly object[]): Promise<void> => {
    now += minute;
    await desk?.put(events as TurnEvent[], new Date(now).toISOString());
    now += 10_000;
  };

  test("only turns that were open between the clean report and the other one", async () => {
    await open();
    const [early, during, late, stranger] = [rootOf(11), rootOf(12), rootOf(13), rootOf(14)];
    const roots = [early, during, late, stranger];
    const elsewhere = { producer_id: "pod-9", application_id: "other" };
    await receive([
      ...turnAt(early, noon - 60 * minute),
      report(noon - 50 * minute, clean),
      ...turnAt(during, noon - 45 * minute),
      ...turnAt(stranger, noon - 45 * minute, elsewhere),
      ...turnAt(late, noon - 30 * minute),
    ]);
    await become(roots, ["success", "success", "success", "success"]);
    await receive([report(noon - 40 * minute, lossy(2)), report(noon - 20 * minute, lossy(2))]);
    await become(roots, ["success", "partial", "success", "success"]);
    // The same producer loses once more, and is judged once more.
    await receive([report(noon - 28 * minute, lossy(3)), report(noon - 31 * minute, lossy(2))]);
    await become(roots, ["success", "partial", "partial", "success"]);
  });

  test("the first report of a new process, only turns since the process's first event", async () => {
    await open();
    const [before, since] = [rootOf(18), rootOf(19)];
    await receive([...turnAt(before, noon - 60 * minute), ...turnAt(since, noon - 30 * minute)]);
    await become([before, since], ["success", "success"]);
    const covers = { ...lossy(5), loss_covers_ms: 35 * minute };
    await receive([report(noon - 5 * minute, covers, { producer_id: "pod-2" })]);
    await become([before, since], ["success", "partial"]);
    // One without it may have lost events of any earlier turn.
    await receive([report(noon - 4 * minute, lossy(6), { producer_id: "pod-3" })]);
    await become([before, since], ["partial", "partial"]);
  });

  test("a report that is received hours late, or after a thousand others, counts", async () => {
    await open();
    const [first, second] = [rootOf(15), rootOf(16)];
    const other = { producer_id: "pod-2", application_id: "shipping" };
    await receive([
      ...turnAt(first, noon - 180 * minute),
      ...turnAt(second, noon - 120 * minute, other),
      report(noon - minute, clean, { producer_id: "pod-3", application_id: "third" }),
    ]);
    await become([first, second], ["success", "success"]);
    const others = Array.from({ length: 1_100 }, (_, n) =>
      report(noon + n, clean, { producer_id: `many-${n}`, application_id: `many-${n}` }),
    );
    await receive([report(noon - 179 * minute, lossy(1)), ...others]);
    await become([first, second], ["partial", "success"]);
    await receive([report(noon - 119 * minute, lossy(1), other), ...others.slice(0, 1)]);
    await become([first, second], ["partial", "partial"]);
  });

  test("the word of a producer that is not trusted keeps nobody back", async () => {
    await open();
    const root = rootOf(17);
    const untrusted = { ingest_trusted: false, ingest_principal: "guest" };
    await receive([
      ...turnAt(root, noon - 60 * minute),
      report(noon - 58 * minute, lossy(4), untrusted),
    ]);
    await become([root], ["success"]);
    expect(await requested(root)).toEqual(["success", []]);
  });
});
