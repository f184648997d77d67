/**
 * @module WindowTexts: the coverage of a list in words that claim no more than is known. Received
 * events that are not readable yet are neither counted nor denied.
 */
import { countText } from "./figures.ts";

/** Coverage of a list. */
export interface WindowReach {
  readonly window_complete: boolean;
  readonly next_cursor: string | null;
  /** Batches that were acknowledged and not readable when the list was read. */
  readonly pending_frames: number;
}

/** State of a window: complete, a page of more, open for pending events, or incomplete. */
export interface WindowState {
  readonly tone: "ok" | "plain" | "warn";
  readonly icon: "success" | "info" | "clock" | "partial";
  readonly word: string;
}

/** The state; `paged`: the list does not begin at the newest. */
export function windowState(of: WindowReach, paged: boolean): WindowState {
  if (of.window_complete) return { tone: "ok", icon: "success", word: "Window complete" };
  // A page of a longer list is nothing to warn of: the link beside it leads on.
  if (of.next_cursor !== null) return { tone: "plain", icon: "info", word: "More pages" };
  if (paged) return { tone: "plain", icon: "info", word: "Last page" };
  return of.pending_frames === 0
    ? { tone: "warn", icon: "partial", word: "Incomplete" }
    : { tone: "warn", icon: "clock", word: "Window still open" };
}

/** Pending events, as a sentence without its full stop; undefined without any. */
export function pendingText(frames: number): string | undefined {
  if (frames === 0) return undefined;
  const batches = frames === 1 ? "batch is" : "batches are";
  return `${countText(frames)} received ${batches} not readable yet and not counted`;
}

/** Number of turns that had not ended when they were read, in words; undefined when all had. */
export function runningText(running: number): string | undefined {
  if (running === 0) return undefined;
  return `${countText(running)} still running, or without a recorded end`;
}
