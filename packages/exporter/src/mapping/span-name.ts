/**
 * @module Span name: an agent's or a tool's name where a library writes it nowhere else. Semconv's
 * tables list these spans; the name of any other foreign span is content and is never read.
 */
import { dialectTables, genAiOperations } from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";

import { statedUnder } from "./coded-attributes.ts";
import type { Attributed } from "./coded-attributes.ts";
import type { KindDecision } from "./kind-decision.ts";

/** A subject that a span's own name contains. */
export interface StatedName {
  readonly to: "agent_name" | "tool_name";
  readonly text: string;
}

/** The part of a span that is read for its name. */
export type NamedSpan = Attributed & { readonly name?: string | undefined };

/** The subject in the span's own name, unscreened, or undefined when it has none. */
export function statedByName(
  span: NamedSpan,
  { kind, plan }: KindDecision,
): StatedName | undefined {
  const { name } = span;
  if (name === undefined || plan.spanNames.length === 0) return undefined;
  for (const { source, words, to, prefix, beside, except } of plan.spanNames) {
    if (kind !== (to === "agent_name" ? "turn" : "tool_call")) continue;
    const word = statedUnder(span, source);
    if (typeof word !== "string" || !words.includes(word)) continue;
    if (beside !== undefined && statedUnder(span, beside) === undefined) continue;
    if (prefix !== undefined) {
      return name.startsWith(prefix) ? { to, text: name.slice(prefix.length) } : undefined;
    }
    return isStandard(name) || except?.includes(name) === true ? undefined : { to, text: name };
  }
  return undefined;
}

/** Prefixes of subjects in span names. */
const prefixes: readonly string[] = dialectTables.flatMap(({ spanNames = [] }) =>
  spanNames.flatMap(({ prefix }) => prefix ?? []),
);

/**
 * A span name that is too long to be kept, with the subject that it may contain as its digest, so
 * that different ones stay distinct; undefined for a name that begins with an operation.
 */
export function keyedSpanName(name: string): string | undefined {
  const prefix = prefixes.find((each) => name.startsWith(each));
  if (prefix === undefined && isStandard(name)) return undefined;
  return `${prefix ?? ""}${nameDigest(name.slice(prefix?.length ?? 0))}`;
}

/**
 * True for a name that begins with an operation: a gate wrote it, and its parts are attributes.
 */
function isStandard(name: string): boolean {
  const space = name.indexOf(" ");
  return Object.hasOwn(genAiOperations, space === -1 ? name : name.slice(0, space));
}
