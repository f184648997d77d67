/** What the threads load at a start: Node's client for `fetch` costs each of them 44 ms of CPU. */
import { Worker } from "node:worker_threads";

import { expect, test } from "vitest";

const program = new URL("../../../collector/dist/program/", import.meta.url);

/** Builtin modules of a new thread that imports an entry, which then ends without its data. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const source = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL(entry, program).href)})
      .catch(() => {})
      .then(() => parentPort.postMessage(process.moduleLoadList));`;
  const worker = new Worker(source, { eval: true });
  try {
    return await new Promise<readonly string[]>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  } finally {
    await worker.terminate();
  }
}

const threads = ["reading", "judging", "ingest", "file-check"].map((name) => `${name}-thread.js`);

test.each([...threads, "block-worker.js"])(
  "%s starts without Node's client for fetch",
  async (entry) => {
    const loaded = await loadedBy(entry);
    expect(loaded).toContain("NativeModule worker_threads");
    expect(loaded.filter((name) => name.endsWith("undici/undici"))).toEqual([]);
  },
);
