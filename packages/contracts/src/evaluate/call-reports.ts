/**
 * @module CallReports: a number that spans of calls report, once for each call. A client and a
 * server, or a wrapper and the call inside of it, report the same: the highest one counts.
 */
import { modelCallGroups, repeatedCalls } from "@turnproof/evidence";
import type { ModelCallGroup, TurnEvent } from "@turnproof/evidence";

import type { TurnFacts } from "./turn-facts.ts";

/** The sum over the calls that ended. */
export interface ReportedSum {
  readonly low: number;
  /** Calls of which no span reports the number, or more of them may be missing. */
  readonly open: boolean;
}

type Read = (event: TurnEvent) => number | undefined;

/** Sums what is reported of each call that ended. */
export function sumReported(facts: TurnFacts, read: Read): ReportedSum {
  return facts.whole ? sumOfWhole(facts, read) : sumOfPart(facts, read);
}

function sumOfWhole({ events, modelCalls }: TurnFacts, read: Read): ReportedSum {
  const sums = [
    ...modelCallGroups(events, modelCalls).map((group) => sumOfModels(group, read)),
    ...toolCallGroups(events).map((spans): ReportedSum => {
      const value = highest(spans.map(read));
      return { low: value ?? 0, open: value === undefined };
    }),
  ];
  return {
    low: sums.reduce((sum, { low }) => sum + low, 0),
    open: sums.some(({ open }) => open),
  };
}

/** Calls inside of one wrapper add up, and what the wrapper reports contains them. */
function sumOfModels({ counted, others }: ModelCallGroup, read: Read): ReportedSum {
  const own = counted.map(read);
  const outer = highest(others.map(read));
  const inner = own.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return {
    low: Math.max(inner, outer ?? 0),
    open: outer === undefined && own.includes(undefined),
  };
}

/** The results of tool calls, by the call that they describe. */
function toolCallGroups(events: readonly TurnEvent[]): readonly (readonly TurnEvent[])[] {
  const groups = new Map<TurnEvent, TurnEvent[]>();
  const repeated = repeatedCalls(events);
  for (const event of events) {
    if (event.event_kind !== "tool_call" || event.phase === "start") continue;
    const call = repeated.get(event) ?? event;
    const spans = groups.get(call);
    if (spans === undefined) groups.set(call, [event]);
    else spans.push(event);
  }
  return [...groups.values()];
}

/**
 * What is missing may only add to a call. Tool calls that count are different ones; model calls may
 * all be inside of one wrapper, or one inside of another.
 */
function sumOfPart(facts: TurnFacts, read: Read): ReportedSum {
  const tools = facts.calls.filter(
    ({ kind, counts, finished }) => kind === "tool" && counts && finished,
  );
  const models = facts.of("model_call").filter(({ phase }) => phase !== "start");
  const low = tools.reduce((sum, { event }) => sum + (read(event) ?? 0), 0);
  return { low: low + (highest(models.map(read)) ?? 0), open: true };
}

function highest(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce(
    (a, b) => (a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)),
    undefined,
  );
}
