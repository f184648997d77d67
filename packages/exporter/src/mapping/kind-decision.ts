/**
 * @module Kind decision: the kind of a span and the dialect that determines it. Precedence is
 * fixed: our own mark, then the dialects in the order of semconv's tables (more specific marks
 * first, since a bridge writes its names on top of GenAI's), then none: structure only.
 */
import {
  attribute,
  dialectOfScope,
  dialectTables,
  entryIntegrations,
  eventKinds,
  forwardedOrigins,
  forwardedScope,
  kindOf,
  metadataAttribute,
} from "@turnproof/semconv";
import type { Dialect, EventKind, ForwardedOrigin } from "@turnproof/semconv";

import { statedUnder, sourceCode } from "./coded-attributes.ts";
import { metadataTexts } from "./source-values.ts";
import { planFor, workflowOperation } from "./sources.ts";
import type { DialectPlan } from "./sources.ts";
import type { CurrentSpan } from "./span-record.ts";

/** The kind of a span. */
export interface KindDecision {
  readonly kind: EventKind;
  readonly plan: DialectPlan;
  /** Decided by our own mark, so that the span has our names: also a forwarded one of a dialect. */
  readonly isOwn?: true;
  /** False for a forwarded span that an untrusted principal sent to the collector before. */
  readonly isTrusted?: boolean;
  /** GenAI operation that the dialect's value stands for, when the dialect uses another word. */
  readonly operation: string | undefined;
}

/** The part of a span that the decision reads. */
export type KindSource = Pick<
  CurrentSpan,
  "attributes" | "coded" | "statusCode" | "parentSpanId" | "parentRemote"
> & {
  readonly scopeName?: string | undefined;
};

const ownKind = attribute.event_kind.span;
const ownCode = sourceCode.get(ownKind) ?? -1;
const structuralPlan = planFor("structural");
const ownPlan = planFor("turnproof");

/** Scope names per process are few; the memo is bounded all the same. */
const scopes: Map<string, Dialect | undefined> = new Map();
const scopesMax = 1_000;

function scopeDialect(name: string): Dialect | undefined {
  if (scopes.has(name)) return scopes.get(name);
  if (scopes.size >= scopesMax) scopes.clear();
  const dialect = dialectOfScope(name);
  scopes.set(name, dialect);
  return dialect;
}

type OwnDecisions = ReadonlyMap<string, KindDecision>;

/**
 * Decisions of our own mark, one per kind: needed several times for every span. A forwarded span
 * has our names, and keeps the dialect that it was received in.
 */
function ownDecisionsOf({ dialect, isTrusted }: ForwardedOrigin): OwnDecisions {
  const decision = {
    plan: { ...ownPlan, dialect },
    operation: undefined,
    isOwn: true as const,
    isTrusted,
  };
  return new Map(eventKinds.map((kind) => [kind, { kind, ...decision }]));
}

const ownDecisions = ownDecisionsOf({ dialect: "turnproof", isTrusted: true });
const forwardedDecisions: ReadonlyMap<string, OwnDecisions> = new Map(
  forwardedOrigins.map((origin) => [forwardedScope(origin), ownDecisionsOf(origin)]),
);

function ownDecision(word: string, scopeName: string | undefined): KindDecision | undefined {
  const decisions =
    (scopeName === undefined ? undefined : forwardedDecisions.get(scopeName)) ?? ownDecisions;
  const known = decisions.get(word);
  if (known !== undefined) return known;
  const kind = kindOf(word);
  return kind === undefined ? undefined : decisions.get(kind);
}

/** Decides by the attributes and the scope alone; the span's name is never read. */
export function decideKind(span: KindSource): KindDecision {
  const own = span.coded === undefined ? span.attributes[ownKind] : span.coded.get(ownCode);
  const decided = typeof own === "string" ? ownDecision(own, span.scopeName) : undefined;
  if (decided !== undefined) return decided;
  const dialect = dialectOf(span);
  if (dialect === undefined) return { kind: "span", plan: structuralPlan, operation: undefined };
  const plan = planFor(dialect);
  for (const rule of plan.rules) {
    const word = statedUnder(span, rule.source);
    if (typeof word !== "string") continue;
    const choice = rule.kinds.get(word) ?? (isEntry(span) ? rule.atEntry.get(word) : undefined);
    if (choice === undefined) break;
    if (repeatsInner(span, dialect)) break;
    const named = choice.operation === workflowOperation && namesAgent(span);
    return { kind: choice.kind, plan, operation: named ? undefined : choice.operation };
  }
  return { kind: "span", plan, operation: undefined };
}

/**
 * True where a request enters: without a parent in the same process, or, under a web server's
 * span, by the metadata of a graph that is not inside another one.
 */
function isEntry(span: KindSource): boolean {
  if (span.parentSpanId === undefined || span.parentRemote === true) return true;
  const metadata = statedUnder(span, metadataAttribute);
  if (typeof metadata !== "string") return false;
  const { integration, ofNode, texts } = metadataTexts(metadata);
  if (ofNode) return false;
  const threaded = texts.some(([, to]) => to === "thread_id");
  return threaded || (integration !== undefined && entryIntegrations.includes(integration));
}

/** True for a chain that belongs to an agent: its metadata names the agent. */
function namesAgent(span: KindSource): boolean {
  const metadata = statedUnder(span, metadataAttribute);
  if (typeof metadata !== "string") return false;
  return metadataTexts(metadata).texts.some(([, to]) => to === "agent_name");
}

/** The first table whose mark or scope the span has. */
function dialectOf(span: KindSource): Dialect | undefined {
  const { scopeName } = span;
  const scope = scopeName === undefined ? undefined : scopeDialect(scopeName);
  for (const table of dialectTables) {
    if (table.dialect === scope) return scope;
    for (const mark of table.marks) {
      if (statedUnder(span, mark) !== undefined) return table.dialect;
    }
  }
  return undefined;
}

const statusError = 2;
const operationName = attribute.genai_operation.span;
const inputTokens = attribute.input_tokens.span;

/**
 * AI SDK 7 reports an embedding twice, an outer span without usage around the call itself, also
 * where a bridge renames it. A call is counted on one level only, so the outer span is structure.
 */
function repeatsInner(span: KindSource, dialect: Dialect): boolean {
  if (dialect !== "vercel_ai" && dialect !== "openinference") return false;
  if (statedUnder(span, operationName) !== "embeddings") return false;
  return span.statusCode !== statusError && statedUnder(span, inputTokens) === undefined;
}
