/** @module Forwarding: a collector of the tests whose stored batches go on to another endpoint. */
import { join } from "node:path";

import { startForward } from "../../../collector/src/receive/forward/forward.ts";
import type { Forward } from "../../../collector/src/receive/forward/forward.ts";
import { quiet } from "../collector/desk.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openHarness } from "./harness.ts";
import type { Harness } from "./harness.ts";

/** How long a forward is waited for. */
export const wait = { timeout: 30_000, interval: 20 };

/** A collector whose stored batches are forwarded. */
export async function openForwarding(
  url: string,
  more: { readonly bytesMax?: number; readonly directory?: string } = {},
): Promise<{ harness: Harness; forward: Forward; close(): Promise<void> }> {
  const directories = temporaryDirectories();
  const directory = more.directory ?? (await directories.make());
  const forward = await startForward({
    directory: join(directory, "forward"),
    target: { url, headers: { "x-key": "k" } },
    bytesMax: more.bytesMax ?? 1 << 26,
    log: quiet,
    retryMs: 5,
    timeoutMs: 5_000,
  });
  const harness = await openHarness({
    receiver: { onStored: (batch) => forward.stored(batch), forwarded: () => forward.state() },
  });
  return {
    harness,
    forward,
    async close() {
      await harness.close();
      await forward.close();
      await directories.remove();
    },
  };
}
