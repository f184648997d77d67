/**
 * @module PreviewLag: when the judge would have been too late, by the minutes that this collector
 * recorded. The ledger has when a turn was judged last, and not when it was judged first.
 */
import type { AlertRule } from "../config/alert-rules.ts";
import { readMinutes } from "../receive/history/history-file.ts";
import type { IngestHistory } from "../receive/history/history.ts";
import { passEnds } from "./preview-windows.ts";
import type { PassedWindows, PreviewPart } from "./preview-windows.ts";

const minuteMs = 60_000;

/** The past of a rule on the judge's lag. */
interface PastLag {
  readonly passed: PassedWindows;
  /** Minutes of which no lag is recorded. */
  readonly unclear: number;
}

/** Passes the rule over whole minutes from `first` to before `last`, counted from the epoch. */
export async function pastLag(
  { folder, recent }: Pick<IngestHistory, "folder" | "recent">,
  rule: AlertRule,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<PastLag> {
  const weekAgo = (7 * 86_400_000) / minuteMs;
  const from = first - (rule.change === undefined ? 0 : weekAgo);
  // The present minutes come first: one that is stored meanwhile is then in both.
  const present = recent();
  const stored = await readMinutes(folder, from * minuteMs, last * minuteMs);
  const lags = new Map<number, number>();
  for (const { from_ms: fromMs, peaks } of [...present, ...stored]) {
    const minute = Math.floor(fromMs / minuteMs);
    const { judge_behind_ms: lag } = peaks;
    if (lag !== null) lags.set(minute, Math.max(lag, lags.get(minute) ?? 0));
  }
  const at = (end: number): PreviewPart => {
    const value = lags.get(end - 1) ?? null;
    return { value, count: value === null ? 0 : 1 };
  };
  const ends = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index + 1);
  const perWindow = Math.max(1, Math.round(rule.window_ms / minuteMs));
  const passed = passEnds(rule, ends, at, { perWindow, weekAgo });
  return { passed, unclear: ends.filter((end) => at(end).value === null).length };
}
