/**
 * @module FreeText: the condition of a word of the filter bar without a key. It matches a turn by
 * an id of it, exactly, by a part of its thread's or its agent's id, by the first characters of its
 * trace's id, and by its readable names, findings and insights, in part and in any case. The names
 * are those of the principal's own turns.
 */
import { findingTexts, insightCodes } from "@turnproof/evidence";
import { insightValue, turnName } from "@turnproof/store";
import type {
  EvidenceScope,
  ListField,
  TextField,
  TurnCondition,
  TurnReader,
} from "@turnproof/store";

import type { TypedIdentity } from "../access/typed-identity.ts";
import { textKey } from "../ui/display/filter-keys.ts";
import { readTerms } from "../ui/display/filter-terms.ts";
import { reasonText } from "../ui/display/kind-texts.ts";

/** A name in the turns of a scope. */
export interface KnownName {
  readonly field: TextField | ListField;
  readonly value: string;
}

/** Fields with readable names; ids are compared whole. */
const named = [
  "agent_id",
  "tool_name",
  "model",
  "release",
  "service",
  "producer",
  "dialect",
  "application",
  "environment",
  "event_kind",
] as const satisfies readonly (TextField | ListField)[];
const texts: ReadonlySet<string> = new Set<TextField>(["agent_id"]);

/** Most names of a field; a name beyond them is found by its whole text only. */
const namesMax = 1_000;

/** The names in a scope, where a word of `q` has no key; else none. */
export async function knownNames(
  ledger: TurnReader,
  scope: EvidenceScope,
  q: string | undefined,
): Promise<readonly KnownName[]> {
  if (!readTerms(q ?? "").terms.some(({ key }) => key === textKey)) return [];
  const facets = await ledger.turnFacets({ scope, where: [] }, named, namesMax);
  return facets.flatMap(({ field, values }) =>
    values.flatMap(({ value }) => (value === null ? [] : [{ field, value }])),
  );
}

const codes = [
  ...Object.keys(findingTexts).map((code) => ({ code, value: code })),
  ...insightCodes.map((code) => ({ code, value: insightValue(code) })),
];

/** Condition on a turn for free text. */
export function textCondition(
  text: string,
  names: readonly KnownName[],
  typed: TypedIdentity,
): TurnCondition {
  const part = text.toLowerCase();
  const id = (field: string): string => typed(text, field);
  const found = names.filter(({ value }) => value.toLowerCase().includes(part));
  const matching = codes.filter(({ code }) =>
    `${code} ${reasonText(code)}`.toLowerCase().includes(part),
  );
  const whole = named.filter(
    (field) => !found.some((name) => name.value === text && name.field === field),
  );
  return {
    any: [
      ...(["root_trace_id", "turn_id", "thread_id"] as const).map((field) => ({
        text: field,
        is: id(field),
      })),
      ...(["thread_id", "agent_id"] as const).map((field) => ({ part: field, of: text })),
      ...rootPrefix(text),
      { text: "tenant", is: `id:${id("user_id")}` },
      ...(["run", "task", "memory", "ref"] as const).map((kind) => ({
        list: "name" as const,
        has: turnName(kind, kind === "ref" ? text : id(`${kind}_id`)),
      })),
      ...whole.map((field) => condition({ field, value: text })),
      ...found.map(condition),
      ...matching.map(({ value }) => ({ list: "code" as const, has: value })),
    ],
  };
}

/**
 * The beginning of a trace's id, as logs and other tools show it. Fewer characters, or a part in
 * the middle, would compare every turn without an index.
 */
function rootPrefix(text: string): readonly TurnCondition[] {
  if (!/^[0-9a-f]{8}[0-9a-f-]*$/i.test(text)) return [];
  return [{ prefix: "root_trace_id", of: text.toLowerCase() }];
}

function condition({ field, value }: KnownName): TurnCondition {
  return texts.has(field)
    ? { text: field as TextField, is: value }
    : { list: field as ListField, has: value };
}
