/** @module Block worker: the other side of the block thread. */
import { parentPort } from "node:worker_threads";

import { prepareFrames } from "@turnproof/journal";
import { blockMemory, BlockPreparer, RowPreparer } from "@turnproof/store/prepare";

import type { BlockAnswer, BlockTask } from "./block-thread.ts";
import { decodeFrame } from "./frame-codec.ts";

parentPort?.on("message", (task: BlockTask) => {
  void answer(task);
});

async function answer({ id, form, frames }: BlockTask): Promise<void> {
  let prepared: BlockAnswer["prepared"] = null;
  try {
    const decode = (payload: Uint8Array) => ({ events: decodeFrame(payload) });
    prepared = await prepareFrames(frames, decode, () =>
      form === "rows" ? new RowPreparer() : new BlockPreparer(),
    );
  } catch {
    // The drain processes these frames itself and finds the faulty one.
  }
  const blocks = form === "blocks" ? (prepared?.parts ?? []).flatMap(blockMemory) : [];
  parentPort?.postMessage({ id, prepared } satisfies BlockAnswer, blocks);
}
