/**
 * @module RuleBeginnings: when each rule was first evaluated as it stands. Windows that had ended
 * before are never evaluated: the rule was not there yet. The alerts keep it, so that it holds over
 * restarts and for each collector of a store.
 */
import type { AlertRule } from "../config/alert-rules.ts";
import type { AlertDocument, RuleBeginning } from "./alert-state.ts";

/** What makes a rule another one; how urgent it is, and where it is sent, does not. */
function definitionOf(rule: AlertRule): string {
  const { measure, verdict, finding, insight, contract, where, by } = rule;
  const { window_ms, above, below, change, min_count } = rule;
  const counts = { measure, verdict, finding, insight, contract, where, by };
  return JSON.stringify({ ...counts, window_ms, above, below, change, min_count });
}

/** The document with the beginning of each of these rules, and of no other. */
export function withBeginnings(
  document: AlertDocument,
  rules: readonly AlertRule[],
  now: number,
): AlertDocument {
  const begun = rules.map((rule): [string, RuleBeginning] => {
    const { name } = rule;
    const of = definitionOf(rule);
    const known = document.begun === undefined ? earlier(document, name) : document.begun[name];
    const same = known !== undefined && (known.of === undefined || known.of === of);
    return [name, { of, at_ms: same ? known.at_ms : now }];
  });
  return { ...document, begun: Object.fromEntries(begun) };
}

/** When the rule of a name began, epoch milliseconds. */
export function beganMs({ begun }: AlertDocument, name: string): number {
  return begun?.[name]?.at_ms ?? -Infinity;
}

/** In a document of an earlier version a rule began no later than what it has passed. */
function earlier(
  { looked_ms, passed_ms }: AlertDocument,
  name: string,
): { readonly of?: undefined; readonly at_ms: number } | undefined {
  const at = passed_ms?.[name] ?? looked_ms;
  return at === null ? undefined : { at_ms: at };
}
