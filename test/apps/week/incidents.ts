/**
 * @module Incidents: what goes wrong in the week, when, and where an operator looks for it.
 */
import { briefingWriter, invoiceIntake, orderDesk, researcher } from "./cast.ts";
import type { Role } from "./cast.ts";
import { daysBefore } from "./calendar.ts";
import type { Plot } from "./stage.ts";

const minuteMs = 60_000;

/** Names under which operators know the incidents of single turns. */
export type SingleIncident =
  | "ownership"
  | "undelivered"
  | "crashed"
  | "clock"
  | "stale"
  | "before_release"
  | "after_release";

/** A turn that has its place in the week, independent of chance. */
export interface Appointed {
  readonly atMs: number;
  readonly role: Role;
  readonly person: string | null;
  readonly thread: string;
  readonly plot: Plot;
  readonly name?: SingleIncident;
}

/** A stretch of time. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The week's incidents. */
export interface Incidents {
  readonly storm: Stretch;
  readonly staleCache: Stretch;
  /** When the release goes out. */
  readonly releaseMs: number;
  /** A second process of the research service, and when nothing of it arrives. */
  readonly secondPod: Stretch;
  readonly cutOff: Stretch;
  readonly appointed: readonly Appointed[];
}

/** Thread of the customer who got nothing. */
export const parcelThread = "thr_parcel_4471";

const stretch = (fromMs: number, minutes: number): Stretch => ({
  fromMs,
  toMs: fromMs + minutes * minuteMs,
});

/** True when the time lies in the stretch. */
export function within({ fromMs, toMs }: Stretch, atMs: number): boolean {
  return atMs >= fromMs && atMs < toMs;
}

/** The incidents of the week that ends then. */
export function incidentsOf(endMs: number): Incidents {
  const at = (days: number, hour: number): number => daysBefore(endMs, days, hour);
  const releaseMs = at(3, 9);
  const pods = stretch(at(5, 10), 150);
  const cutOff = stretch(at(5, 11.5), 25);
  const order = { role: orderDesk, person: "usr_maren" } as const;
  const parcel = { ...order, thread: parcelThread } as const;
  const appointed: Appointed[] = [
    { ...order, atMs: releaseMs - 40 * minuteMs, thread: "thr_maren_1", plot: "worked" },
    { ...order, atMs: releaseMs + 40 * minuteMs, thread: "thr_maren_1", plot: "worked" },
    { ...parcel, atMs: at(1, 15.2), plot: "plain" },
    { ...parcel, atMs: at(1, 15.4), plot: "plain" },
    { ...parcel, atMs: at(1, 15.7), plot: "unconfirmed", name: "undelivered" },
    {
      atMs: at(2, 17.4),
      role: briefingWriter,
      person: "usr_noor",
      thread: "thr_noor_7",
      plot: "not_owned",
      name: "ownership",
    },
    {
      ...order,
      atMs: at(2, 10.3),
      thread: "thr_maren_2",
      plot: "stale_cache",
      name: "stale",
    },
    // Whatever else happens in the storm, one customer meets it again and again.
    ...[0, 1, 2, 3].map((turn) => ({
      ...order,
      atMs: at(4, 13.3) + turn * 9 * minuteMs,
      thread: "thr_maren_0",
      plot: "fallback" as const,
    })),
    {
      atMs: at(1, 11.1),
      role: researcher,
      person: "usr_otto",
      thread: "thr_otto_2",
      plot: "crashed",
      name: "crashed",
    },
    {
      atMs: at(3, 20.2),
      role: invoiceIntake,
      person: null,
      thread: "thr_intake_clock",
      plot: "clock_jump",
      name: "clock",
    },
    // Enough research to lose some of it.
    ...Array.from({ length: 9 }, (_, index) => ({
      atMs: pods.fromMs + (index * 16 + 3) * minuteMs,
      role: researcher,
      person: "usr_pia",
      thread: "thr_pia_4",
      plot: "plain" as const,
    })),
  ];
  const named = appointed.map((turn) =>
    turn.thread === "thr_maren_1"
      ? { ...turn, name: turn.atMs < releaseMs ? "before_release" : "after_release" }
      : turn,
  ) as readonly Appointed[];
  return {
    storm: stretch(at(4, 13.2), 85),
    staleCache: stretch(at(2, 10), 55),
    releaseMs,
    secondPod: pods,
    cutOff,
    appointed: named.toSorted((a, b) => a.atMs - b.atMs),
  };
}
