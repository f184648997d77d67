/**
 * @module Stored rows that cannot be read keep every window from success, but for those of a
 * producer that is not trusted: malformed rows end no verdict of another producer.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { TurnEvent, Verdict } from "@turnproof/evidence";
import { filesystem } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

import { success, turn } from "../evidence/text-windows.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openDesk } from "./desk.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** A store in which an earlier release left one bundle with a child that cannot be read. */
async function verdictBeside(child: object): Promise<Verdict & { readonly complete: boolean }> {
  const directory = await directories.make();
  const folder = join(directory, "trace_bundles");
  await mkdir(folder, { recursive: true });
  const identity = { agent_id: "other", root_trace_id: "old-1", turn_id: "old-turn" };
  const bad = { event_id: "bad", event_kind: "?", timestamp: "2024-03-01T10:00:00Z", ...child };
  const payload = { type: "trace_bundle", version: 2, identity, event_count: 1, events: [bad] };
  await writeFile(join(folder, "old.json"), JSON.stringify({ record_id: "old", payload }));
  const index = { documents: [{ id: "old", file: "old.json", agent_id: "other" }] };
  await writeFile(join(folder, "index.json"), JSON.stringify(index));
  const provider = await filesystem({ directory });
  const desk = await openDesk({}, { store: provider.evidence, judge: false });
  try {
    await desk.put(success() as unknown as TurnEvent[]);
    const root = String(turn["root_trace_id"]);
    const path = `/traces/reconcile.json?agent_id=clerk&root_trace_id=${root}`;
    const page = await desk.json<{ window_complete: boolean }>(
      `/traces/events.json?root_trace_id=${root}`,
    );
    return { ...(await desk.json<Verdict>(path)), complete: page.window_complete };
  } finally {
    await desk.collector.close();
    await provider.close();
  }
}

test("a malformed row counts", async () => {
  const verdict = await verdictBeside({});
  expect(verdict).toMatchObject({ status: "partial", complete: false });
  expect(verdict.window.reasons).toContain("normalization_errors");
});

test("a malformed row of an untrusted producer is a note", async () => {
  const verdict = await verdictBeside({ ingest_trusted: false });
  expect(verdict).toMatchObject({ status: "success", complete: true });
  expect(verdict.findings).toMatchObject([{ code: "untrusted_contradiction", effect: "note" }]);
});
