/** @module TypicalCall: how long a tool usually takes, and its words. */
import { countText, durationText } from "./figures.ts";

/** A tool's usual duration. */
export interface TypicalCall {
  readonly tool_name: string;
  /** Calls of a known duration; the percentiles are over them. */
  readonly calls: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
}

/** `usually 120 ms, p95 900 ms, over 2,312 calls of the week before` */
export function typicalText({ p50_ms: half, p95_ms: most, calls }: TypicalCall): string {
  return (
    `usually ${durationText(half)}, p95 ${durationText(most)}, ` +
    `over ${countText(calls)} calls of the week before`
  );
}

/** Usual durations by tool. */
export function typicalByTool(
  calls: readonly TypicalCall[],
): ReadonlyMap<string | null | undefined, TypicalCall> {
  return new Map(calls.map((call) => [call.tool_name, call]));
}
