/** @module IdTexts: the kind of an opaque id, from the fields in which the evidence has it. */
import { wordsOf } from "../../ui/display/figures.ts";

/** Fields of ids, with the name of their kind; the first match is used. */
const kinds: readonly (readonly [name: string, fields: readonly string[]])[] = [
  ["tenant", ["user_id"]],
  ["thread", ["thread_id"]],
  ["root trace", ["root_trace_id"]],
  ["turn", ["turn_id"]],
  ["run", ["run_id"]],
  ["agent", ["agent_id"]],
  ["application", ["application_id"]],
  ["memory", ["memory_id"]],
  ["job", ["task_id", "job_id", "external_id"]],
  ["span", ["span_id", "parent_span_id", "links"]],
  ["event", ["event_id", "caused_by_event_id"]],
  ["artifact", ["output_refs"]],
  ["source", ["input_refs", "selection_ledger"]],
  ["error", ["error_type", "error_code", "error_id"]],
  ["producer", ["producer_id"]],
];

/** Kinds of an id, most certain first; empty when no field determines one. */
export function idKinds(matchedBy: readonly string[]): readonly string[] {
  const fields = new Set(matchedBy);
  const named = kinds.filter(([, of]) => of.some((field) => fields.has(field)));
  return named.map(([name]) => name);
}

/** The kind of an id with its article. */
export function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

const fieldNames: { readonly [field: string]: string } = {
  input_refs: "input",
  output_refs: "output",
  selection_ledger: "candidate",
  user_id: "tenant",
  root_trace_id: "root",
};

/** A field in words: where in an event the id occurs. */
export function fieldTexts(field: string): string {
  return fieldNames[field] ?? wordsOf(field.replace(/_id$/, ""));
}
