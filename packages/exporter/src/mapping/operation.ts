/**
 * @module Operation: the operation name of an event. Span names are content, so a foreign one is
 * never read: the registry's name for the kind is built from screened attributes (vocabulary: Event
 * kinds; vocabulary: Attributes).
 */
import {
  limits,
  ownPrefix,
  ownSpanNames,
  screenOperation,
  structuralFamilies,
} from "@turnproof/semconv";

import { statedUnder } from "./coded-attributes.ts";
import type { KindDecision } from "./kind-decision.ts";
import type { CurrentSpan } from "./span-record.ts";
import { rowAt, workflowOperation } from "./sources.ts";

/** OTLP span kinds by number, as used in the names of families. */
const sides: readonly string[] = ["", "", "server", "client", "producer", "consumer"];

/** Lookup of a span's row values, by row index. */
export interface RowValues {
  text(at: number): string | undefined;
  drop(code: string): void;
}

/** The part of a span that its operation is built from. */
export type OperationSource = Pick<CurrentSpan, "kind" | "coded"> & {
  readonly name?: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
};

const ownNames: Readonly<Record<string, string>> = ownSpanNames;

/** The operation of an event. */
export function operationOf(
  span: OperationSource,
  decision: KindDecision,
  reading: RowValues,
): string {
  switch (decision.kind) {
    case "turn":
      return named(turnOperation(decision, reading), reading.text(rowAt.agent_name));
    case "model_call":
      return named(
        reading.text(rowAt.genai_operation) ?? decision.operation ?? "chat",
        reading.text(rowAt.model),
      );
    case "tool_call":
      return named("execute_tool", reading.text(rowAt.tool_name));
    case "plan":
      return named("plan", reading.text(rowAt.agent_name));
    case "memory_operation":
      return (
        reading.text(rowAt.genai_operation) ?? reading.text(rowAt.memory_operation) ?? decision.kind
      );
    case "span":
      return decision.isOwn === true && ownFamilies.has(span.name ?? "")
        ? (span.name ?? "")
        : familyOf(span);
    default:
      return hostOperation(span, decision, reading);
  }
}

/** A conversation turn is an agent's too; only a workflow has another operation. */
function turnOperation(decision: KindDecision, reading: RowValues): string {
  const named = reading.text(rowAt.genai_operation) ?? decision.operation;
  return named === workflowOperation ? workflowOperation : "invoke_agent";
}

/**
 * The operation with its subject. Each fits into a text of an event, both together may not; the
 * subject is an attribute of its own anyway, and no store would accept an operation that is too
 * long.
 */
function named(operation: string, subject: string | undefined): string {
  if (subject === undefined) return operation;
  const both = `${operation} ${subject}`;
  return both.length > limits.stringCharsMax ? operation : both;
}

/** Our own names lose their prefix; a host's own operation must have the form of one. */
function hostOperation(span: OperationSource, decision: KindDecision, reading: RowValues): string {
  const standard = ownNames[decision.kind]?.slice(ownPrefix.length) ?? decision.kind;
  const { name } = span;
  if (decision.isOwn !== true || name === undefined) return standard;
  const short = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name;
  if (screenOperation(short) === undefined) return short;
  reading.drop("operation_name_invalid");
  return standard;
}

const families = Object.entries(structuralFamilies);

/** Operations of structural spans: a forwarded one has it as its name, without the attributes. */
const ownFamilies: ReadonlySet<string> = new Set([
  "internal",
  "messaging",
  ...families.flatMap(([, family]) => [`${family}.server`, `${family}.client`]),
]);

/** Family of a structural span, from its kind and the presence of attributes. */
function familyOf(span: OperationSource): string {
  const side = sides[span.kind] ?? "";
  for (const [name, family] of families) {
    if (statedUnder(span, name) === undefined) continue;
    if (family === "messaging") return family;
    return side === "server" ? `${family}.server` : `${family}.client`;
  }
  return side === "producer" || side === "consumer" ? "messaging" : "internal";
}
