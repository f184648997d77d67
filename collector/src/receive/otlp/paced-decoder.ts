/** @module PacedDecoder: decodes frames on the event loop, between requests. */
import { setImmediate } from "node:timers/promises";

import type { DecodeFrame } from "@turnproof/journal";

import { decodeFrame } from "./frame-codec.ts";

/** Longest time for which the drain's decoding blocks the event loop. */
const holdMsMax = 4;

/** Decodes frames and lets requests run in between: a batch of the drain has many frames. */
export function createPacedDecoder(): DecodeFrame {
  let since = 0;
  return async (payload) => {
    if (performance.now() - since > holdMsMax) {
      await setImmediate();
      since = performance.now();
    }
    return { events: decodeFrame(payload) };
  };
}
