/** @module OpeningOptions: what a collector is opened with, and what was opened so far. */
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import type { Config } from "./config/config.ts";
import type { Hooks } from "./hooks/hooks.ts";
import type { JudgeOptions } from "./judge/judge.ts";
import type { Log } from "./log.ts";

/** Options of a collector. All are optional; passed resources are not opened again. */
export interface CollectorOptions {
  /** Defaults to an empty environment: loopback, embedded store under `.turnproof`. */
  readonly config?: Config;
  /** A store that is already open; the collector does not close it. */
  readonly store?: EvidenceStore;
  /** A memory that is already open; the collector does not close it. */
  readonly memory?: MemoryStore;
  readonly log?: Log;
  readonly now?: () => number;
  /** Hooks that the host implements. */
  readonly hooks?: Hooks;
  /** The background judge of quiet turns; false leaves turns unjudged. */
  readonly judge?: JudgeOptions | false;
}

/** Closes one part within a deadline in milliseconds. */
export type Close = (deadlineMs: number) => Promise<void>;

/** Options and parts opened so far. */
export interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly options: CollectorOptions;
  /** Closed in reverse order, so that each part is closed before what it uses. */
  readonly opened: Close[];
  readonly closing: AbortSignal;
}

/** Names from the configuration: known names, and applications that tokens are bound to. */
export function namesOf({ knownNames, ingestTokens, accounts }: Config): readonly string[] {
  const bound = [...ingestTokens, ...accounts].flatMap(({ applicationId }) => applicationId ?? []);
  return [...knownNames, ...bound];
}
