/**
 * @module HealthTimeline: the events of a window over their own time, in slices of a round length.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";

import { isPlausibleTime } from "../../ui/display/plausible-time.ts";

/** Events of the window over one slice of time, by their own time. */
export interface HealthSlice {
  readonly from: string;
  readonly events: number;
  readonly errors: number;
  /** Attributes refused on entry. */
  readonly refused: number;
}

/** Events over their own time. */
export interface HealthTimeline {
  readonly step_ms: number;
  readonly slices: readonly HealthSlice[];
  /** Events with an implausible clock, by the time of their receipt; they are in no slice. */
  readonly implausible: number;
}

const slicesMax = 60;
const sliceSteps = [1, 5, 15, 60, 300, 900, 3_600, 10_800, 43_200, 86_400].map((s) => s * 1_000);

function isPlausible(at: number, { received_at: received }: TurnEvent): boolean {
  const receivedMs = received === undefined ? Number.NaN : Date.parse(received);
  return Number.isNaN(receivedMs) || isPlausibleTime(at, receivedMs);
}

/** One broken clock would stretch the axis over decades and leave a single bar for all others. */
export function timelineOf(events: readonly TurnEvent[]): HealthTimeline {
  const timed = events
    .map((event) => [Date.parse(event.timestamp), event] as const)
    .filter(([at, event]) => Number.isFinite(at) && isPlausible(at, event));
  const implausible = events.length - timed.length;
  if (timed.length === 0) return { step_ms: 0, slices: [], implausible };
  const first = timed.reduce((least, [at]) => Math.min(least, at), Infinity);
  const last = timed.reduce((most, [at]) => Math.max(most, at), -Infinity);
  const span = last - first;
  const days = Math.ceil(span / slicesMax / 86_400_000) * 86_400_000;
  const step = sliceSteps.find((size) => span / size < slicesMax) ?? days;
  const from = Math.floor(first / step) * step;
  const slices = Array.from({ length: Math.floor((last - from) / step) + 1 }, (_, index) => ({
    from: isoTime(from + index * step),
    events: 0,
    errors: 0,
    refused: 0,
  }));
  for (const [at, event] of timed) {
    const slice = slices[Math.floor((at - from) / step)];
    if (slice === undefined) continue;
    slice.events += 1;
    if (event.status === "error") slice.errors += 1;
    for (const count of Object.values(event.dropped ?? {})) slice.refused += count;
  }
  return { step_ms: step, slices, implausible };
}
