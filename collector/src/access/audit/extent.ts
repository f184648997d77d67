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

/** The newest checkpoint beside a log, and the length of its file in bytes. */
export interface NewestCheckpoint {
  /** 0 without one. */
  readonly size: number;
  readonly bytes: number;
  /** The note itself; undefined without one. */
  readonly note?: string;
}

/** Finds the newest whole checkpoint beside a log. */
export async function newestCheckpoint(
  file: string,
  { origin, publicKey }: Pick<CheckpointSigner, "origin" | "publicKey">,
): Promise<NewestCheckpoint> {
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
    const parts = tail.split(`${origin}\n`);
    // A part that a crash left after it is none.
    for (const part of parts.slice(1).toReversed()) {
      const note = `${origin}\n${part}`;
      const opened = openNote(note, origin, publicKey);
      if (opened.found === "head") return { size: opened.head.size, bytes, note: whole(note) };
    }
    return { size: 0, bytes };
  } finally {
    await handle.close();
  }
}

/** A note without what a crash left after its last signature. */
function whole(note: string): string {
  const end = note.indexOf("\n", note.lastIndexOf("\n\u2014 ") + 1);
  return end < 0 ? `${note}\n` : note.slice(0, end + 1);
}
