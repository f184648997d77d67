/**
 * @module SelectedCall: the one tool or model that a filter names. Terms select turns, and these
 * have calls of other tools as well: figures of calls are of the named one alone.
 */
import { readCall } from "../ui/display/call-term.ts";
import { readTerms, valuesOf } from "../ui/display/filter-terms.ts";

/** Values of the selected calls; null is not recorded, an absent one is any. */
export interface SelectedCall {
  readonly name?: string | null;
  readonly provider?: string | null;
}

/** Filters that may name a tool or model. */
interface CallFilters {
  readonly tool_name?: string | undefined;
  readonly q?: string | undefined;
}

/**
 * The calls that the filters name; undefined where they name none, or several of which no figure
 * can be combined.
 */
export function selectedCall(
  kind: "tool" | "model",
  filters: CallFilters,
): SelectedCall | undefined {
  const named = namedCalls(kind, filters);
  const [names, providers] = (["name", "provider"] as const).map((field) => [
    ...new Set(named.flatMap((one) => (one[field] === undefined ? [] : [one[field]]))),
  ]) as [(string | null)[], (string | null)[]];
  if (names.length > 1 || providers.length > 1 || names.length + providers.length === 0) {
    return undefined;
  }
  const [name] = names;
  const [provider] = providers;
  return {
    ...(name === undefined ? {} : { name }),
    ...(provider === undefined ? {} : { provider }),
  };
}

function namedCalls(
  kind: "tool" | "model",
  { tool_name: tool, q = "" }: CallFilters,
): readonly SelectedCall[] {
  const terms = readTerms(q).terms.flatMap((term): SelectedCall[] => {
    if (term.negated) return [];
    if (term.key === kind) return valuesOf(term).map((name) => ({ name }));
    const calls = term.key === "call" ? valuesOf(term).map((value) => readCall(value)) : [];
    return calls.flatMap((call) => (call?.kind === kind ? [call] : []));
  });
  return kind === "tool" && tool !== undefined ? [{ name: tool }, ...terms] : terms;
}
