/** A store that answers and refuses what is written is not ready, in each place that shows it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import { expect, test, vi } from "vitest";

import { batches } from "../../bench/receive/payloads.ts";
import { quiet } from "./desk.ts";

test("a read-only store", async () => {
  let refuses = true;
  const sound = ephemeral();
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-refusing-"));
  const collector = await createCollector({
    config: parseConfig({ TURNPROOF_BACKEND: "ephemeral", TURNPROOF_DATA_DIR: dataDir }),
    store: {
      ...sound,
      append: async (batch) => {
        if (refuses) throw new CodedError("store_read_only");
        return sound.append(batch);
      },
    },
    log: quiet,
    judge: false,
  });
  const get = async (path: string): Promise<Response> =>
    collector.app.request(`http://localhost:4318${path}`);
  const up = async (): Promise<string | undefined> =>
    /^turnproof_store_up (\d)$/m.exec(await (await get("/metrics")).text())?.[1];
  expect((await get("/readyz/store")).status).toBe(200);
  const [body] = batches("small", 1, false, "identity").bodies;
  const sent = await collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: Uint8Array.from(body as Uint8Array),
  });
  expect(sent.status).toBe(200);
  await vi.waitFor(async () => {
    const refused = await get("/readyz/store");
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { ok: false, code: "store_read_only" },
    ]);
  });
  expect(await up()).toBe("0");
  // Spans are accepted all the same.
  expect((await get("/readyz")).status).toBe(200);
  refuses = false;
  await vi.waitFor(async () => expect((await get("/readyz/store")).status).toBe(200), {
    timeout: 30_000,
    interval: 100,
  });
  expect(await up()).toBe("1");
  await collector.close();
});
