/**
 * @module Extent: how far an audit log reaches at a start, and how far it reached before by what
 * lies beside it: the newest checkpoint, and the kept state of the tree. Both are written after the
 * lines that they cover, so that a log which is shorter than one of them was cut.
 */
import { open } from "node:fs/promises";

import type { CheckpointSigner } from "./checkpoint.ts";
import { openNote } from "./note.ts";

/** What lies in the log and its checkpoints at a start; more is appended meanwhile. */
export interface LogExtent {
  readonly records: number;
  readonly checkpointBytes: number;
}

/** A note is shorter, with signatures of several witnesses too. */
const tailBytes = 8_192;

/** The newest checkpoint beside a log: its size, and the length of the file in bytes. */
export async function newestCheckpoint(
  file: string,
  { origin, publicKey }: Pick<CheckpointSigner, "origin" | "publicKey">,
): Promise<{ readonly size: number; readonly bytes: number }> {
  const handle = await open(`${file}.checkpoints`, "r").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return { size: 0, bytes: 0 };
  try {
    const { size: bytes } = await handle.stat();
    const from = Math.max(0, bytes - tailBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes - from), { position: from });
    const tail = buffer.subarray(0, bytesRead).toString();
    // Its own name follows the mark in its signature; the note begins with the name and a newline.
    const note = tail.slice(Math.max(0, tail.lastIndexOf(`${origin}\n`)));
    const opened = openNote(note, origin, publicKey);
    return { size: opened.found === "head" ? opened.head.size : 0, bytes };
  } finally {
    await handle.close();
  }
}
