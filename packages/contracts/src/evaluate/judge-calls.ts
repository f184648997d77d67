/** @module JudgeCalls: how often something is called, by which tools, and how each call went. */
import type { ClauseOf } from "../language/clauses.ts";
import { matchesName } from "../language/names.ts";
import type { Call } from "./call.ts";
import { callMeasures } from "./call-measures.ts";
import { callCount } from "./judge-budgets.ts";
import { counted, judged, listed } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { candidates, described, find, fingerprinted, named, selects } from "./matching.ts";
import { allOf, known, within } from "./three-values.ts";
import type { Outcome } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** A number of calls within its limits. */
export function judgeCalls(clause: ClauseOf<"calls">, facts: TurnFacts): ClauseJudgement {
  const { exactly, never, at_least, at_most } = clause;
  const limits =
    never === true
      ? { at_most: 0 }
      : exactly === undefined
        ? { at_least, at_most }
        : { at_least: exactly, at_most: exactly };
  const found = find(clause, facts);
  const result = within(found.range, limits);
  const wanted = [
    ...(never === true ? ["none"] : []),
    ...(exactly === undefined ? [] : [`exactly ${exactly}`]),
    ...(at_least === undefined ? [] : [`at least ${at_least}`]),
    ...(at_most === undefined ? [] : [`at most ${at_most}`]),
  ].join(", ");
  const { certain, open, range } = found;
  const more = Number.isFinite(range.high) ? 0 : certain.length + open.length - range.low;
  const others =
    more === 0 ? "" : `; ${more} more ${more === 1 ? "is" : "are"} recorded that may not count`;
  const sentence = `${callCount(range)} (${described(clause)}${others}); the contract allows ${wanted}.`;
  const byCertain = result === "holds" && certain.length >= range.low;
  const evidence = [...certain, ...(byCertain ? [] : open)];
  return judged(result, sentence, eventsOf(evidence));
}

/** Tools that may be called, and tools that may not. */
export function judgeTools(
  { allowed, forbidden }: ClauseOf<"tools">,
  facts: TurnFacts,
): ClauseJudgement {
  const calls = facts.calls.filter(({ kind }) => kind === "tool");
  const allows = ({ name }: Call): boolean | undefined => {
    if (name === undefined) return undefined;
    if (forbidden?.some((pattern) => matchesName(pattern, name)) === true) return false;
    return allowed?.some((pattern) => matchesName(pattern, name)) ?? true;
  };
  const wrong = calls.filter((call) => call.counts && allows(call) === false);
  if (wrong.length > 0) {
    const names = [...new Set(wrong.flatMap(({ name }) => name ?? []))];
    const sentence = `Called although it is not allowed: ${listed(names.slice(0, 5), "and")}.`;
    return judged("violated", sentence, eventsOf(wrong));
  }
  const nameless = calls.filter(({ name }) => name === undefined);
  if (nameless.length > 0) {
    return judged("not_established", "A tool call has no known name.", eventsOf(nameless));
  }
  const repeated = calls.filter((call) => allows(call) !== true);
  if (repeated.length > 0) {
    const sentence = mayRepeat(counted(repeated.length, "call"));
    return judged("not_established", sentence, eventsOf(repeated));
  }
  return facts.closed
    ? judged("holds", "Only allowed tools were called.", eventsOf(calls))
    : judged("not_established", "The tool calls that are recorded may not be all.");
}

/** Every call of the tool has one of these fingerprints. */
export function judgeArguments(clause: ClauseOf<"arguments">, facts: TurnFacts): ClauseJudgement {
  const { tool, any_of: wanted } = clause;
  return forEach({ tool }, facts, ({ event: { attributes: stated } }) =>
    known(fingerprinted(wanted, stated.call_fingerprint)),
  );
}

/** Predicates that every selected call meets. */
export function judgeEachCall(clause: ClauseOf<"each_call">, facts: TurnFacts): ClauseJudgement {
  return forEach(clause, facts, (call) => callMeets(clause, call, facts.whole));
}

function callMeets(clause: ClauseOf<"each_call">, call: Call, whole: boolean): Outcome {
  const { event } = call;
  const { attributes: stated } = event;
  const failed = call.outcome === "error" || call.outcome === "provider_error";
  const outcome = whole || failed ? call.outcome : undefined;
  const reasons = stated.finish_reason;
  const { duration_ms: duration, first_token_ms: token, tokens } = callMeasures(call);
  return allOf([
    atMost(duration, clause.duration_at_most_ms),
    atMost(token, clause.first_token_at_most_ms),
    atMost(tokens, clause.tokens_at_most),
    atMost(stated.result_count, clause.results_at_most),
    atLeast(stated.result_count, clause.results_at_least),
    known(named(clause.outcome_in, outcome)),
    known(named(clause.provider_in, stated.tool_provider ?? stated.provider)),
    clause.finish_reason_in === undefined
      ? "holds"
      : known(reasons?.every((reason) => named(clause.finish_reason_in, reason) === true)),
  ]);
}

function atMost(value: number | undefined, limit: number | undefined): Outcome {
  if (limit === undefined) return "holds";
  return known(value === undefined ? undefined : value <= limit);
}

function atLeast(value: number | undefined, limit: number | undefined): Outcome {
  if (limit === undefined) return "holds";
  return known(value === undefined ? undefined : value >= limit);
}

/** A statement about every selected call: one that breaks it decides, absence needs the whole. */
function forEach(
  selector: Parameters<typeof candidates>[0],
  facts: TurnFacts,
  meets: (call: Call) => Outcome,
): ClauseJudgement {
  const broken: Call[] = [];
  const repeated: Call[] = [];
  const open: Call[] = [];
  const met: Call[] = [];
  for (const call of candidates(selector, facts)) {
    const match = selects(selector, call, facts);
    if (match === false) continue;
    // The missing end of a call may record other values than its start.
    const result = call.finished || facts.whole ? meets(call) : "not_established";
    if (result === "holds") met.push(call);
    else if (result !== "violated" || match !== true) open.push(call);
    else if (call.certain) broken.push(call);
    else repeated.push(call);
  }
  const words = (number: number): string => `${number} ${described(selector, number)}`;
  if (broken.length > 0) {
    const all = broken.length + repeated.length + met.length + open.length;
    const verb = broken.length === 1 ? "breaks" : "break";
    const sentence = `${broken.length} of ${words(all)} ${verb} the rule.`;
    return judged("violated", sentence, eventsOf(broken));
  }
  if (repeated.length > 0) {
    const sentence = mayRepeat(words(repeated.length));
    return judged("not_established", sentence, eventsOf([...repeated, ...open]));
  }
  if (open.length > 0) {
    const sentence = `What the rule needs is not recorded on ${words(open.length)}.`;
    return judged("not_established", sentence, eventsOf(open));
  }
  if (!facts.closed) {
    return judged("not_established", "The calls that are recorded may not be all.", eventsOf(met));
  }
  const sentence =
    met.length === 0
      ? `No ${described(selector)} is recorded.`
      : met.length === 1
        ? `The ${described(selector)} meets the rule.`
        : `All ${words(met.length)} meet the rule.`;
  return judged("holds", sentence, eventsOf(met));
}

/** Of nested and repeated calls one counts, and a missing event may show that it is another one. */
function mayRepeat(calls: string): string {
  return `${calls} may repeat a call that is missing: the window is not known to be whole.`;
}

function eventsOf(calls: readonly Call[]): Call["event"][] {
  return calls.map(({ event }) => event);
}
