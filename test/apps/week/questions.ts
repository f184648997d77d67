/**
 * @module Questions: twelve questions of an operator about the week, where to look, and their true
 * answers, computed from the raw evidence one event at a time. The pages count in the store.
 */
import type { TurnEvent, TurnRow } from "@turnproof/evidence";

import { orderDesk } from "./cast.ts";
import type { RawEvidence } from "./evidence.ts";
import { parcelThread } from "./incidents.ts";
import type { Week } from "./week.ts";

/** Names of the questions. */
export type QuestionName =
  | "empty tool"
  | "most called model"
  | "verdicts"
  | "agent with errors"
  | "release duration"
  | "release model"
  | "storm"
  | "got nothing"
  | "losses"
  | "cache"
  | "slow turns"
  | "slowest model";

/** One question. */
export interface OperatorQuestion {
  readonly name: QuestionName;
  readonly question: string;
  /** Keys and clicks from the home. */
  readonly steps: string;
  readonly answer: string;
}

/** How the pages write numbers. */
export interface Wording {
  readonly duration: (ms: number) => string;
  /** The longest pause inside one incident, in milliseconds. */
  readonly pauseMs: number;
}

/** Turns that took longer than this are slow. */
export const slowSeconds = 20;

/** The questions with their answers. */
export function weekQuestions(
  { events, rows }: RawEvidence,
  week: Week,
  wording: Wording,
): readonly OperatorQuestion[] {
  const results = (kind: TurnEvent["event_kind"]): readonly TurnEvent[] =>
    events.filter((one) => one.event_kind === kind && one.phase === "result");
  const models = results("model_call");
  const desk = rows.filter(({ agent_id: agent }) => agent === orderDesk.agentId);
  const ofRelease = (release: string): readonly TurnRow[] =>
    desk.filter(({ releases }) => releases.includes(release));
  const took = (some: readonly TurnRow[]): string =>
    wording.duration(percentile(some.flatMap(lasted), 0.5));
  const using = (some: readonly TurnRow[], model: string): string => {
    const roots = new Set(
      models.filter((one) => modelOf(one) === model).map(({ root_trace_id: root }) => root),
    );
    return `${some.filter(({ root_trace_id: root }) => roots.has(root)).length} of ${some.length}`;
  };
  const isPartial = ({ verdict }: TurnRow): boolean => verdict === "partial";
  const verdicts = (is: string): number => rows.filter(({ verdict }) => verdict === is).length;
  const [calledModel, called] = most(models, modelOf);
  const broken = rows.filter(({ has_error: failed }) => failed);
  const [agent, failed] = most(broken, ({ agent_id: id }) => id ?? "");
  const parcel = rows.filter(({ thread_id: thread }) => thread === parcelThread);
  return [
    {
      name: "empty tool",
      question: "Which tool succeeds without a result most often?",
      steps: "g o, then the head Empty",
      answer: emptyTool(results("tool_call")),
    },
    {
      name: "most called model",
      question: "Which model is called most?",
      steps: "g o, then Models",
      answer: `${calledModel}: ${called} calls`,
    },
    {
      name: "verdicts",
      question: "How many turns are partial, and how many failed?",
      steps: "the facet Verdict of the home",
      answer: `${verdicts("partial")} partial, ${verdicts("failed")} failed`,
    },
    {
      name: "agent with errors",
      question: "How many turns have an error, and which agent has most of them?",
      steps: "/ has:error Enter, then the facet Agent",
      answer: `${broken.length} turns, ${failed} of ${agent}`,
    },
    {
      name: "release duration",
      question: "How long does half of the order desk's turns take, before and after the release?",
      steps: "g c, Two releases, order-desk",
      answer: `${took(ofRelease("3.2.0"))} and ${took(ofRelease("3.3.0"))}`,
    },
    {
      name: "release model",
      question: "How many turns of the order desk use gpt-4.1-mini, before and after it?",
      steps: "g c, Two releases, order-desk",
      answer: ["3.2.0", "3.3.0"]
        .map((release) => using(ofRelease(release), "gpt-4.1-mini"))
        .join(" and "),
    },
    {
      name: "storm",
      question: "When did the policy search get by with a fallback, and in how many turns?",
      steps: "g i",
      answer: storm({ events, rows }, wording.pauseMs),
    },
    {
      name: "got nothing",
      question: `How many turns has thread ${parcelThread}, and how many of them are partial?`,
      steps: `/ thread:${parcelThread} Enter`,
      answer: `${parcel.length} turns, ${parcel.filter(isPartial).length} partial`,
    },
    {
      name: "losses",
      question: "Is telemetry being lost?",
      steps: "g h",
      answer: `Yes: ${week.lossy.lost} events are known to be lost.`,
    },
    {
      name: "cache",
      question: "How many turns did the semantic cache answer?",
      steps: "the facet Cache of the home",
      answer: `${cacheHits(events)} turns`,
    },
    {
      name: "slow turns",
      question: `How many turns took longer than ${slowSeconds} seconds?`,
      steps: `/ latency:>${slowSeconds}s Enter`,
      answer: `${rows.flatMap(lasted).filter((ms) => ms > slowSeconds * 1_000).length} turns`,
    },
    {
      name: "slowest model",
      question: "Which model has the longest p95?",
      steps: "g o, Models, then the head p95",
      answer: slowestModel(models, wording),
    },
  ];
}

/** Nearest-rank percentile. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

function lasted({ duration_ms: ms, timing_state: state }: TurnRow): readonly number[] {
  return ms === null || state === "missing_completion" || state === "instantaneous" ? [] : [ms];
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function modelOf({ attributes: { response_model: answered, model } }: TurnEvent): string {
  return answered ?? model ?? "";
}

function most<T>(all: readonly T[], of: (one: T) => string): readonly [string, number] {
  const counts = [...Map.groupBy(all, of)].map(([name, some]) => [name, some.length] as const);
  // Of values with equal counts the pages list the first by name.
  return counts.toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? ["", 0];
}

function emptyTool(calls: readonly TurnEvent[]): string {
  const shares = [...Map.groupBy(calls, ({ attributes: of }) => of.tool_name ?? "")].map(
    ([name, own]) => {
      const empty = own.filter(({ attributes: of }) => of.tool_outcome === "empty").length;
      return { name, calls: own.length, share: empty / own.length };
    },
  );
  // Of equal shares the page lists the one of the most calls first, then by name.
  const [top] = shares.toSorted((a, b) => b.share - a.share || b.calls - a.calls || byName(a, b));
  return `${top?.name}: ${Number(((top?.share ?? 0) * 100).toFixed(1))} % of ${top?.calls} calls`;
}

function cacheHits(events: readonly TurnEvent[]): number {
  const decided = events.filter(({ attributes: of }) => of.cache_decision === "hit");
  return new Set(decided.map(({ root_trace_id: root }) => root)).size;
}

function slowestModel(models: readonly TurnEvent[], wording: Wording): string {
  const timed = [...Map.groupBy(models, modelOf)].map(([name, own]) => ({
    name,
    calls: own.length,
    p95: percentile(
      own.flatMap(({ duration_ms: ms }) => ms ?? []),
      0.95,
    ),
  }));
  const [top] = timed.toSorted((a, b) => b.p95 - a.p95 || b.calls - a.calls || byName(a, b));
  return `${top?.name}: ${wording.duration(top?.p95 ?? NaN)}`;
}

/** The largest group of order-desk turns with a fallback of the policy search and nothing worse. */
function storm({ events, rows }: RawEvidence, pauseMs: number): string {
  const calls = events.filter(
    ({ event_kind: kind, phase }) => kind === "tool_call" && phase === "result",
  );
  const roots = (outcomes: readonly string[]): ReadonlySet<string | undefined> =>
    new Set(
      calls
        .filter(({ attributes: of }) => outcomes.includes(of.tool_outcome ?? ""))
        .filter(({ attributes: of }) => of.tool_name === "search_policies")
        .map(({ root_trace_id: root }) => root),
    );
  const [got, failed] = [roots(["fallback", "degraded"]), roots(["error", "provider_error"])];
  const times = rows
    .filter(({ agent_id: agent }) => agent === orderDesk.agentId)
    .filter(({ root_trace_id: root }) => got.has(root) && !failed.has(root))
    .filter(({ finding_codes: codes, has_error: error }) => !error && !codes?.length)
    .map(({ ended_at: at }) => at)
    .toSorted();
  const runs: string[][] = [];
  for (const at of times) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (before === undefined || Date.parse(at) - Date.parse(before) > pauseMs) runs.push([at]);
    else run?.push(at);
  }
  const [largest = []] = runs.toSorted((a, b) => b.length - a.length);
  const moment = (at = ""): string => `${at.slice(5, 10)} ${at.slice(11, 19)}`;
  return `${largest.length} turns from ${moment(largest[0])} to ${moment(largest.at(-1))}`;
}
