/**
 * @module Matching: whether a selector matches a call or an event. An attribute that is not
 * recorded gives undefined: it may match or not.
 */
import { parentKey, spanKey, toolOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

import { listOf, matchesName } from "../language/names.ts";
import { hasRecorded, recordedWords } from "../language/recorded.ts";
import type { Selector } from "../language/selector.ts";
import type { Call } from "./call.ts";
import { listed } from "./judgement.ts";
import type { TurnFacts } from "./turn-facts.ts";
import type { Range } from "./three-values.ts";

/** What a selector found. */
export interface Matched {
  /** Match for certain, and are calls or events of their own. */
  readonly certain: readonly Call[];
  /** May match: an attribute is not recorded, or they may repeat another call. */
  readonly open: readonly Call[];
  /** How many there are, of which a part may be missing. */
  readonly range: Range;
}

/** The calls or events that a selector may mean, in order. */
export function candidates(selector: Selector, facts: TurnFacts): readonly Call[] {
  if (selector.tool !== undefined || selector.kind === "tool_call" || usesToolFields(selector)) {
    return facts.calls.filter(({ kind }) => kind === "tool");
  }
  if (selector.model !== undefined || selector.kind === "model_call") {
    return facts.calls.filter(({ kind }) => kind === "model");
  }
  return eventCalls(selector.kind === undefined ? facts.events : facts.of(selector.kind));
}

function usesToolFields({ kind, operation, outcome, fingerprint }: Selector): boolean {
  return (
    kind === undefined &&
    operation === undefined &&
    (outcome !== undefined || fingerprint !== undefined)
  );
}

/** Whether nothing but kind and tool select: then a call that counts instead matches, too. */
function isByName(selector: Selector): boolean {
  const { model, operation, outcome, provider, status } = selector;
  const { fingerprint, attributes, inside } = selector;
  const narrowing = [model, operation, outcome, provider, status, fingerprint];
  return [...narrowing, attributes, inside].every((field) => field === undefined);
}

/** Whether it selects every model call or every tool call. */
function isAnyCall({ kind, tool }: Selector): boolean {
  return tool === undefined && (kind === "model_call" || kind === "tool_call");
}

/** Events of other kinds, one per span; a point is one of its own. */
function eventCalls(events: readonly TurnEvent[]): Call[] {
  const spans = new Map<string, TurnEvent>();
  for (const event of events) {
    const key =
      event.phase === "event"
        ? `event ${event.event_id}`
        : `${event.event_kind} ${spanKey(event) ?? event.event_id}`;
    const before = spans.get(key);
    if (before === undefined || before.phase === "start") spans.set(key, event);
  }
  return [...spans.values()].map((event) => ({
    kind: event.event_kind === "model_call" ? "model" : "tool",
    event,
    name: event.operation,
    outcome:
      event.event_kind === "tool_call" && event.phase !== "start" ? toolOutcome(event) : undefined,
    certain: true,
    counts: true,
    finished: event.phase !== "start",
    start: event.started_at ?? (event.phase === "result" ? undefined : event.timestamp),
    end: event.phase === "start" ? undefined : event.timestamp,
  }));
}

/** What the selector matches. */
export function find(selector: Selector, facts: TurnFacts): Matched {
  const certain: Call[] = [];
  const open: Call[] = [];
  const byName = isByName(selector);
  for (const call of candidates(selector, facts)) {
    const match = selects(selector, call, facts);
    if (match === false) continue;
    if (match === true && (byName ? call.counts : call.certain)) certain.push(call);
    else open.push(call);
  }
  // Of calls that repeat each other one counts, so of the recorded ones at least one does.
  const some = open.length > 0 && byName && isAnyCall(selector) ? 1 : 0;
  const low = Math.max(certain.length, some);
  const high = facts.closed ? certain.length + open.length : Number.POSITIVE_INFINITY;
  return { certain, open, range: { low, high } };
}

/** True, false, or undefined where it is not recorded. */
export function selects(selector: Selector, call: Call, facts: TurnFacts): boolean | undefined {
  const { event } = call;
  const { attributes } = event;
  // The missing end of a call may record other values than its start.
  const final = call.finished || facts.whole ? attributes : {};
  // A failure is final; a success may be that of a call whose repetition failed.
  const outcome = facts.whole || isFailure(call.outcome) ? call.outcome : undefined;
  const answers = [
    named(selector.tool, attributes.tool_name),
    modelNamed(selector.model, event, call.finished),
    named(selector.operation, event.operation),
    named(selector.outcome, outcome),
    named(selector.status, call.finished ? event.status : undefined),
    named(selector.provider, final.tool_provider ?? final.provider),
    fingerprinted(selector.fingerprint, final.call_fingerprint),
    // What the end of a call adds or changes is not known before it.
    hasRecorded(selector.attributes, call.finished ? attributes : {}),
  ];
  if (selector.inside !== undefined) answers.push(isInside(selector.inside, event, facts));
  return every(answers);
}

function every(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

/** Whether a span above the event matches; undefined where a span between is not recorded. */
function isInside(
  { tool, model, kind, operation }: NonNullable<Selector["inside"]>,
  event: TurnEvent,
  { spans }: TurnFacts,
): boolean | undefined {
  const passed = new Set<string>();
  let open = false;
  for (let at = parentKey(event); at !== undefined;) {
    const above = spans.get(at);
    if (above === undefined || passed.has(at)) return undefined;
    const match = every([
      kind === undefined || above.event_kind === kind,
      named(tool, above.attributes.tool_name),
      modelNamed(model, above, above.phase !== "start"),
      named(operation, above.operation),
    ]);
    if (match === true) return true;
    // Only a call of that kind can have a name that is not recorded.
    if (match === undefined && mayHave(above, { tool, model })) open = true;
    if (above.event_kind === "turn") break;
    passed.add(at);
    at = parentKey(above);
  }
  return open ? undefined : false;
}

function mayHave(
  { event_kind: kind }: TurnEvent,
  { tool, model }: Pick<Selector, "tool" | "model">,
): boolean {
  if (tool !== undefined) return kind === "tool_call";
  return model === undefined || kind === "model_call";
}

function isFailure(outcome: string | undefined): boolean {
  return outcome === "error" || outcome === "provider_error";
}

/** The request and the response may name different models: either name may match. */
function modelNamed(
  wanted: string | readonly string[] | undefined,
  { attributes }: TurnEvent,
  finished: boolean,
): boolean | undefined {
  const { response_model: response, model } = attributes;
  const given = named(wanted, response ?? model);
  if (given === true || response === undefined) {
    // The response may name another model than the request.
    return given === false && !finished && response === undefined ? undefined : given;
  }
  return model === undefined ? given : named(wanted, model) === true;
}

/** True where a pattern matches; undefined without a name. */
export function named(
  wanted: string | readonly string[] | undefined,
  name: string | undefined,
): boolean | undefined {
  if (wanted === undefined) return true;
  if (name === undefined) return undefined;
  return listOf(wanted).some((pattern) => matchesName(pattern, name));
}

/** Fingerprints of different keys cannot be compared. */
export function fingerprinted(
  wanted: string | readonly string[] | undefined,
  value: string | undefined,
): boolean | undefined {
  if (wanted === undefined) return true;
  if (value === undefined) return undefined;
  const all = listOf(wanted);
  if (all.includes(value)) return true;
  const kid = keyId(value);
  return all.every((one) => keyId(one) === kid) ? false : undefined;
}

/** The id of the key of a fingerprint. */
export function keyId(value: string): string {
  return value.slice(0, value.indexOf("_"));
}

/** The selector in a sentence, for one or for several. */
export function described(selector: Selector, number = 1): string {
  const { tool, model, kind, operation, outcome, provider, status } = selector;
  const s = number === 1 ? "" : "s";
  const what =
    tool !== undefined
      ? `call${s} of ${listed(tool)}`
      : model !== undefined
        ? `call${s} of model ${listed(model)}`
        : operation !== undefined
          ? `operation${s} ${listed(operation)}`
          : kind === undefined
            ? `call${s}`
            : `event${s} of kind ${kind}`;
  return [
    what,
    outcome === undefined ? "" : ` with outcome ${listed(outcome)}`,
    status === undefined ? "" : ` with status ${listed(status)}`,
    provider === undefined ? "" : ` by ${listed(provider)}`,
    selector.fingerprint === undefined ? "" : " with these arguments",
    selector.attributes === undefined ? "" : ` with ${recordedWords(selector.attributes)}`,
    selector.inside === undefined ? "" : ` inside ${described(selector.inside)}`,
  ].join("");
}
