/**
 * A request to Health waits once for what was acknowledged before it, though it reads several
 * windows: while spans arrive, each wait takes as long as a drain (faults R17).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral, recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { parseConfig } from "turnproof";
import { afterAll, expect, test } from "vitest";

import { localAdmin } from "../../../collector/src/access/credentials.ts";
import { openParts } from "../../../collector/src/opening.ts";
import type { Close } from "../../../collector/src/opening-options.ts";
import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import type { Parts } from "../../../collector/src/parts.ts";
import { createFollowingBodies } from "../../../collector/src/reading/following-bodies.ts";
import { createReadingApp } from "../../../collector/src/reading/reading-app.ts";
import { quiet, turnEvents } from "../collector/desk.ts";

const dataDir = mkdtempSync(join(tmpdir(), "turnproof-one-wait-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** The receiving side; each wait of more than a look is counted. */
function counting(ingest: Parts["ingest"], waits: number[]): Parts["ingest"] {
  return new Proxy(ingest, {
    get(of, name, self) {
      if (name !== "settled") return Reflect.get(of, name, self) as unknown;
      return (waitMs: number, roots?: readonly string[]): Promise<number> => {
        if (waitMs > 0) waits.push(waitMs);
        return of.settled(waitMs, roots);
      };
    },
  });
}

test.each(["", "?agent_id=helper"])("Health%s waits once", async (query) => {
  const opened: Close[] = [];
  const sound = ephemeral();
  const seen = { together: 0, alone: 0 };
  // A root that no read of many roots returns is read alone.
  const roots: EvidenceStore["roots"] = async () => {
    seen.together += 1;
    return new Map();
  };
  const root: EvidenceStore["root"] = (...requested) => {
    seen.alone += 1;
    return sound.root(...requested);
  };
  const env = { TURNPROOF_BACKEND: "ephemeral", TURNPROOF_DATA_DIR: dataDir };
  const parts = await openParts({
    config: parseConfig(env),
    log: quiet,
    options: { store: { ...sound, roots, root }, judge: false },
    opened,
    closing: new AbortController().signal,
  });
  // A parent that is nowhere: whether its trace was read whole is looked up by root.
  const events = turnEvents({ root: "a" }).map((event) => ({ ...event, parent_span_id: "gone" }));
  await sound.append({ batchId: "one", receivedAt: "2026-11-21T10:00:00.000000Z", events });
  await recordStored(sound, allTenants, ["a"]);
  const waits: number[] = [];
  const answer = createReadingApp(
    { ...parts, ingest: counting(parts.ingest, waits) },
    createFollowingBodies(),
  );
  const { status, body } = await answer({
    url: `http://localhost:4318/traces/health.json${query}`,
    method: "GET",
    headers: [],
    requestId: "one",
    route: "GET /traces/health.json",
    principal: localAdmin,
  });
  expect(status).toBe(200);
  const health = JSON.parse(new TextDecoder().decode(body as ArrayBuffer)) as HealthModel;
  expect(health).toMatchObject({ window_complete: true, source_rows: events.length });
  if (query !== "") expect(seen).toEqual({ together: 1, alone: 1 });
  expect(waits).toEqual([2_000]);
  for (const close of opened.toReversed()) await close(1_000);
});
