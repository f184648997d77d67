/**
 * @module WindowWords: how far a list reaches, in words that claim no more than is known. What was
 * received and cannot be read yet is neither counted nor denied.
 */
import { countText } from "./figures.ts";

/** What a list says of its reach. */
export interface WindowReach {
  readonly window_complete: boolean;
  readonly next_cursor: string | null;
  /** Batches that were acknowledged and were not readable when the list was read. */
  readonly pending_frames: number;
}

/** The state of a window: whole, whole but for what is still coming, or a page of it. */
export interface WindowState {
  readonly tone: "ok" | "warn";
  readonly icon: "success" | "clock" | "partial";
  readonly word: string;
}

/** The state; `paged` where the list does not begin at the newest. */
export function windowState(of: WindowReach, paged: boolean): WindowState {
  if (of.window_complete) return { tone: "ok", icon: "success", word: "Window complete" };
  const part = of.next_cursor !== null || paged;
  return part || of.pending_frames === 0
    ? { tone: "warn", icon: "partial", word: "One page" }
    : { tone: "warn", icon: "clock", word: "Window still open" };
}

/** What is still on its way, as a sentence without its full stop; undefined where nothing is. */
export function pendingText(frames: number): string | undefined {
  if (frames === 0) return undefined;
  const batches = frames === 1 ? "batch is" : "batches are";
  return `${countText(frames)} received ${batches} not readable yet and not counted`;
}

/** How many of the turns had not ended when they were read; undefined where all had. */
export function runningText(running: number): string | undefined {
  if (running === 0) return undefined;
  return `${countText(running)} still running, or never said ${running === 1 ? "its" : "their"} end`;
}
