/**
 * @module A collector of this process on a real port, over any store, with everything that it wrote
 * to its log.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { serve } from "@hono/node-server";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import type { AgentPort, CollectorOptions } from "turnproof";

/** A running collector. */
export interface PortedCollector extends AsyncDisposable {
  readonly url: string;
  readonly dataDir: string;
  /** Its log so far, as one text. */
  log(): string;
}

/** Starts it, without judging in the background by default. The caller closes the store. */
export async function openCollector(options: {
  readonly store: EvidenceStore;
  readonly agents?: AgentPort;
  readonly memory?: MemoryStore;
  readonly env?: Readonly<Record<string, string>>;
  /** The background judge, which is off otherwise, and the collector's clock. */
  readonly judge?: CollectorOptions["judge"];
  readonly now?: () => number;
}): Promise<PortedCollector> {
  const { store, agents, memory, env, judge = false, now } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "turnproof-on-port-"));
  const lines: string[] = [];
  const note = (...line: unknown[]): void => void lines.push(JSON.stringify(line));
  const collector = await createCollector({
    config: parseConfig({ TURNPROOF_BACKEND: "ephemeral", TURNPROOF_DATA_DIR: dataDir, ...env }),
    log: { info: note, warn: note, error: note },
    store,
    judge,
    ...(now === undefined ? {} : { now }),
    ...(memory === undefined ? {} : { memory }),
    ...(agents === undefined ? {} : { hooks: { agents } }),
  });
  const server = serve({ fetch: collector.app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    log: () => lines.join("\n"),
    async [Symbol.asyncDispose]() {
      collector.endStreams();
      server.close();
      await collector.close(1_000);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
