/**
 * @module ScreenedFacts: the attributes of an event that the guard admits. A refused name is
 * replaced by its digest, so that different names stay distinct.
 */
import {
  attribute,
  attributeBySpanName,
  CodedError,
  limits,
  mayCarry,
  screenValue,
} from "@turnproof/semconv";
import type { AttributeValue, EventKind, EventPhase } from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";
import { externalEventId } from "@turnproof/semconv/external-id";

import type { TraceContext } from "./trace-context.ts";
import { version } from "./version.ts";
import type { Observation, Facts } from "./observation.ts";

function identityFacts(turn: TraceContext, observation: Observation): Facts {
  const { identity, causedBy } = turn;
  return {
    [attribute.application_id.span]: identity.applicationId,
    [attribute.agent_id.span]: identity.agentId,
    [attribute.user_id.span]: identity.userId ?? undefined,
    [attribute.scope.span]: identity.userId === null ? "anonymous" : undefined,
    [attribute.memory_id.span]: identity.memoryId,
    [attribute.thread_id.span]: identity.threadId,
    [attribute.run_id.span]: identity.runId,
    [attribute.turn_id.span]: identity.turnId,
    [attribute.caused_by_event_id.span]: causedBy,
    [attribute.task_id.span]: observation.taskId,
    [attribute.external_id.span]: observation.externalId,
    [attribute.instrumentation_version.span]: version,
  };
}

/** The id of an event that is recorded again, the same each time. */
function eventIdOf(
  turn: TraceContext,
  { kind, name, externalId, eventId }: Observation,
  phase: EventPhase,
): string | undefined {
  if (externalId === undefined) return eventId;
  const { applicationId, agentId, userId, threadId, turnId } = turn.identity;
  return externalEventId([
    applicationId ?? null,
    agentId,
    userId === undefined ? ["unattributed"] : userId,
    threadId,
    turn.rootTraceId,
    turnId,
    externalId,
    `${kind}:${name}`,
    phase,
  ]);
}

/** The attributes of an event: identity, kind, phase, and the facts that the guard admits. */
export function draftAttributes(
  turn: TraceContext,
  observation: Observation,
  phase: EventPhase,
  refused: (error: CodedError) => void,
): Record<string, AttributeValue> {
  const own = {
    ...identityFacts(turn, observation),
    [attribute.event_kind.span]: observation.kind,
    [attribute.phase.span]: phase,
    [attribute.event_id.span]: eventIdOf(turn, observation, phase),
  };
  const { kind, facts } = observation;
  return { ...screened(kind, own, refused), ...screened(kind, facts, refused) };
}

/**
 * Facts that the guard admits, with names keyed; each refusal goes to `refused` as an error with
 * the field's name.
 */
export function screened(
  kind: EventKind,
  facts: Facts,
  refused: (error: CodedError) => void,
): Record<string, AttributeValue> {
  const kept: Record<string, AttributeValue> = {};
  let count = 0;
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined) continue;
    const refusal =
      count === limits.attributesMax
        ? new CodedError("attribute_limit")
        : refusalOf(kind, name, value);
    if (refusal === undefined) {
      kept[name] = value;
      count += 1;
      continue;
    }
    refused(refusal);
    const keyed = count < limits.attributesMax ? keyedNameOf(kind, name, value) : undefined;
    if (keyed === undefined) continue;
    kept[name] = keyed;
    count += 1;
  }
  return kept;
}

/** A name that the guard refuses, as its digest, so that different names stay distinct. */
function keyedNameOf(kind: EventKind, name: string, value: AttributeValue): string | undefined {
  const row = attributeBySpanName.get(name);
  if (row?.keyed !== "name" || !mayCarry(row, kind)) return undefined;
  return typeof value === "string" && value !== "" ? nameDigest(value) : undefined;
}

function refusalOf(kind: EventKind, name: string, value: AttributeValue): CodedError | undefined {
  const row = attributeBySpanName.get(name);
  if (row === undefined) return new CodedError("attribute_unknown");
  if (!mayCarry(row, kind)) return new CodedError("attribute_kind", { field: row.event });
  const code = screenValue(row, value);
  return code === undefined ? undefined : new CodedError(code, { field: row.event });
}
