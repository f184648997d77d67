/**
 * @module Guide: where to look for what went wrong in the week, one line and one address each.
 */
import { isoTime } from "@turnproof/semconv";

import { parcelThread } from "./incidents.ts";
import type { Stretch } from "./incidents.ts";
import { orderDesk } from "./cast.ts";
import type { Week } from "./week.ts";

/** A place worth a look. */
export interface Sight {
  readonly name: string;
  readonly words: string;
  /** Path and query below the collector's address. */
  readonly path: string;
}

/** The sights of a week that was sent. */
export function sightsOf(week: Week): readonly Sight[] {
  const { incidents, found, lossy } = week;
  const turn = (name: keyof typeof found): string => `/traces/${found[name].root}`;
  return [
    {
      name: "fallback storm",
      words: "a policy provider was away for 85 minutes; the stand-in answered",
      path: turnsOf(orderDesk.agentId, incidents.storm),
    },
    {
      name: "got nothing",
      words: `thread ${parcelThread}: the last answer was emitted and never acknowledged`,
      path: `/traces?thread_id=${parcelThread}`,
    },
    {
      name: "ownership",
      words: "a briefing was made from a note of somebody else",
      path: turn("ownership"),
    },
    {
      name: "poisoned cache",
      words: "after the release the semantic cache went on with last week's prices",
      path: turn("stale"),
    },
    { name: "crash", words: "a turn that began and never ended", path: turn("crashed") },
    {
      name: "lost telemetry",
      words: `producer ${lossy.producer} was cut off: ${lossy.lost} events never arrived`,
      path: "/traces/health#losses",
    },
    {
      name: "clock",
      words: "a clock was set back by 95 seconds between saving and delivering",
      path: turn("clock"),
    },
    {
      name: "release",
      words: "the same desk before and after the release: another model, another tool",
      path: `/traces/compare?${new URLSearchParams({
        agent_id: orderDesk.agentId,
        baseline_root: found.before_release.root,
        candidate_root: found.after_release.root,
      })}`,
    },
  ];
}

function turnsOf(agentId: string, { fromMs, toMs }: Stretch): string {
  return `/traces?${new URLSearchParams({
    agent_id: agentId,
    start_time: isoTime(fromMs),
    end_time: isoTime(toMs),
  })}`;
}

/** Counts on one line of a terminal, and on a line for each 10,000 elsewhere. */
export function countOn(
  stream: NodeJS.WriteStream,
  words: string,
): { readonly count: (done: number) => void; readonly end: () => void } {
  let written = -1;
  const write = (done: number): boolean =>
    stream.write(
      `${stream.isTTY ? "\r" : ""}${words}: ${done.toLocaleString("en-US")}${
        stream.isTTY ? "" : "\n"
      }`,
    );
  return {
    count(done) {
      const step = stream.isTTY ? done : Math.floor(done / 10_000);
      if (step === written) return;
      written = step;
      write(done);
    },
    end() {
      if (stream.isTTY) stream.write("\n");
    },
  };
}

/** A line that grows on a terminal, and a line now and then elsewhere. */
export function progressOn(
  stream: NodeJS.WriteStream,
  words: string,
): (done: number, total: number) => void {
  let tenth = -1;
  return (done, total) => {
    const share = total === 0 ? 1 : done / total;
    const counted = `${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}`;
    if (stream.isTTY) {
      const full = Math.round(share * 30);
      stream.write(`\r${words} ${"█".repeat(full)}${"░".repeat(30 - full)} ${counted}`);
      if (done === total) stream.write("\n");
    } else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10);
      stream.write(`${words}: ${counted}\n`);
    }
  };
}
