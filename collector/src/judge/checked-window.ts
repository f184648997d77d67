/**
 * @module CheckedWindow: how a collector's answer about a root was read, for a judge outside of it,
 * such as contracts in a command or in a tool.
 */
import type { Verdict } from "@turnproof/evidence";

import type { WindowModel } from "../turns/window.ts";

/** An open turn stays open for that judge: only the collector has its producers' reports. */
const farMs = 1e13;

/** What a judge outside of the collector knows about the reading. */
export interface CheckedMetadata {
  readonly window_complete: boolean;
  readonly truncated: boolean;
  readonly normalization_errors: WindowModel["errors"];
  readonly read_completeness: Verdict["window"]["read_completeness"];
  readonly as_of: string;
  /** 1 where something was lost; 0 where nothing is known to be. */
  readonly known_loss: number;
  /** 1 where turns were left out by sampling. */
  readonly sampled_out: number;
  /** Only where a turn is open, so that it stays open for that judge. */
  readonly turn_limits?: { readonly default_ms: number };
}

/** The window in the collector's own verdict, known losses included. */
export function checkedWindow(
  window: WindowModel,
  verdict: Pick<Verdict, "window" | "open_until">,
): CheckedMetadata {
  const { complete, read_completeness: read, reasons } = verdict.window;
  const has = (reason: string): number => ((reasons as readonly string[]).includes(reason) ? 1 : 0);
  return {
    // A contested event is marked itself, and concerns its own turn alone.
    window_complete: complete || reasons.every((reason) => reason === "contested"),
    truncated: window.bounded,
    normalization_errors: window.errors,
    read_completeness: read,
    as_of: window.mark,
    known_loss: has("known_loss") + has("write_failures"),
    sampled_out: has("sampled_out"),
    ...(verdict.open_until === null ? {} : { turn_limits: { default_ms: farMs } }),
  };
}
