/** @module Stage: what a turn of the week is made from, and what makes it. */
import type { EvidenceSink, Turn } from "@turnproof/instrumentation";

import type { StoryClock } from "../briefing/story-clock.ts";
import type { Role } from "./cast.ts";
import type { Dice } from "./dice.ts";

/** What is special about a turn. */
export type Plot =
  | "plain"
  /** Plain, and the cache has no answer to it. */
  | "worked"
  | "unconfirmed"
  | "not_owned"
  | "fallback"
  | "stale_cache"
  | "crashed"
  | "clock_jump"
  | "parse_failed"
  | "recovered"
  | "disliked"
  | "tool_down";

/** One turn: who, for whom, what, and the chance of its details. */
export interface Scene {
  readonly role: Role;
  readonly person: string | null | undefined;
  readonly thread: string;
  readonly number: number;
  readonly plot: Plot;
  /** Version of what the answer must rest on. */
  readonly sourceVersion: string;
  readonly dice: Dice;
}

/** A scene while it is played. */
export interface Stage extends Scene {
  readonly turn: Turn;
  readonly clock: StoryClock;
  readonly sink: EvidenceSink;
}
