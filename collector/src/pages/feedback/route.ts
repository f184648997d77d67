/**
 * @module Judgements: feedback and outcomes that an operator observed. Identity comes from the
 * stored turn and the principal, never from the form (collector: Answer; requirements: Feedback).
 */
import { createHash, randomUUID } from "node:crypto";

import { Hono } from "hono";
import { z } from "zod";
import { canonicalJson } from "@turnproof/evidence";
import type { EventAttributeMap, TurnEvent } from "@turnproof/evidence";
import { CodedError, identityFields, isoTime, screen, splitMetrics } from "@turnproof/semconv";
import type { Identity } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

import { readBody } from "../../http/body.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { id } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respondJson } from "../../http/respond.tsx";
import { memoryFilter } from "../../memory/memory-filter.ts";
import { formOrJson, orForm } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { selectRoot } from "../../turns/window.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((v) => v === "true")]);
/** A form sends a number as its digits; no other text becomes a number, and nothing becomes 0. */
const wholeNumber = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d{1,3}$/)
    .transform(Number),
]);
const target = { agent_id: id, root_trace_id: id, turn_id: id, external_id: id.optional() };

/** Body of a feedback. */
const feedbackBody = z.strictObject({
  ...target,
  rating: wholeNumber.pipe(z.number().int().min(-100).max(100)),
  label: id.optional(),
  comment: z.string().max(10_000).describe("Kept as a hash, unless it is to be kept.").optional(),
  include_comment: flag.describe("Keeps the words in memory, under the turn's tenant.").optional(),
});

/** Body of an outcome. */
const outcomeBody = z.strictObject({
  ...target,
  outcome: id,
  source: id.optional(),
  metrics: z.record(id, z.union([z.number(), z.boolean(), id])).optional(),
  verified: flag.describe("Whether the operator observed it; default true.").optional(),
  task_id: id.optional(),
});

/** An event that an operator recorded. */
export interface RecordedEvent {
  readonly event_id: string;
  readonly recorded_at: string;
}

/** Its JSON, by route. */
export interface FeedbackAnswers {
  readonly "POST /traces/feedback": RecordedEvent;
  readonly "POST /traces/outcomes": RecordedEvent;
}

/** Feedback: what each route needs, records and answers. */
export const feedbackGroup: RouteGroup<FeedbackAnswers> = {
  tag: "Traces",
  endpoints: {
    "POST /traces/feedback": {
      needs: "outcome.write",
      audit: "feedback.written",
      mutates: true,
      id: "recordFeedback",
      summary: "Record feedback that an operator received",
      body: formOrJson(feedbackBody),
      also: orForm,
      returns: "The event that was recorded.",
      status: 201,
      failures: ["body_invalid", "store_read_only", "trace_not_found_in_window"],
    },
    "POST /traces/outcomes": {
      needs: "outcome.write",
      audit: "outcome.written",
      mutates: true,
      id: "recordOutcome",
      summary: "Record an outcome that an operator observed",
      body: formOrJson(outcomeBody),
      also: orForm,
      returns: "The event that was recorded.",
      status: 201,
      failures: ["body_invalid", "store_read_only", "trace_not_found_in_window"],
    },
  },
  routes: judgementRoutes,
};

/** POST `/traces/feedback` and `/traces/outcomes`. */
function judgementRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.post("/traces/feedback", async (c) => {
    const { data, form } = await readBody(c, feedbackBody);
    const { rating, label, comment } = data;
    // The text is stored in the memory store's own record, under the turn's tenant.
    const kept = data.include_comment === true ? comment : undefined;
    if (kept !== undefined && parts.memory === undefined) {
      throw new CodedError("not_configured", { field: "include_comment" });
    }
    return record(c, parts, {
      ...(kept === undefined ? {} : { comment: kept }),
      kind: "feedback",
      target: data,
      form,
      attributes: {
        rating,
        verified: true,
        ...(label === undefined ? {} : { label }),
        ...(comment === undefined ? {} : { comment_hash: contentFingerprint(comment) }),
      },
    });
  });
  app.post("/traces/outcomes", async (c) => {
    const { data, form } = await readBody(c, outcomeBody);
    const { outcome, source, metrics = {}, verified = true, task_id } = data;
    return record(c, parts, {
      kind: "outcome",
      target: data,
      form,
      ...(task_id === undefined ? {} : { taskId: task_id }),
      attributes: {
        outcome,
        verified,
        ...(source === undefined ? {} : { source }),
        ...splitMetrics(metrics),
      },
    });
  });
  return app;
}

interface FeedbackCase {
  readonly kind: "feedback" | "outcome";
  readonly target: Pick<Identity, "agent_id" | "root_trace_id" | "turn_id"> & {
    readonly external_id?: string | undefined;
  };
  readonly form: boolean;
  readonly taskId?: string;
  /** Text to be stored. */
  readonly comment?: string;
  readonly attributes: EventAttributeMap;
}

/** The field of the body with the first refused attribute. */
function refusedField(attributes: EventAttributeMap, kept: object): string {
  const name = Object.keys(attributes).find((one) => !Object.hasOwn(kept, one));
  return name === undefined || name.startsWith("metric") ? "metrics" : name;
}

async function record(c: AppContext, parts: Parts, judgement: FeedbackCase): Promise<Response> {
  const { kind, target: of, attributes } = judgement;
  const screened = screen(attributes, { names: "event", kind });
  if (screened.refusedCount > 0) {
    throw new CodedError("body_invalid", { field: refusedField(attributes, screened.kept) });
  }
  const turn = await storedTurn(c, parts, of);
  const now = isoTime(parts.now());
  const typed = c.get("typed");
  const externalId = of.external_id === undefined ? undefined : typed(of.external_id);
  const identity = Object.fromEntries(
    identityFields.flatMap((field) => (turn[field] === undefined ? [] : [[field, turn[field]]])),
  );
  const event: TurnEvent = {
    ...identity,
    schema_version: 3,
    event_id: eventIdOf(kind, externalId, identity),
    ...(externalId === undefined ? {} : { external_id: externalId }),
    event_kind: kind,
    operation: kind,
    phase: "event",
    status: "success",
    timestamp: now,
    component: "operator",
    ...(judgement.taskId === undefined ? {} : { task_id: typed(judgement.taskId) }),
    attributes,
  };
  if (judgement.comment !== undefined) await keepComment(parts, event, judgement.comment);
  const batchId = createHash("sha256").update(canonicalJson(event)).digest("hex");
  const receivedAt = now.replace("Z", "000Z");
  await parts.store.append({ batchId, receivedAt, events: [event] });
  if (judgement.form) {
    const base = parts.config.basePath === "/" ? "" : parts.config.basePath;
    return c.redirect(`${base}${pageAddress("traces", of.root_trace_id)}`, 303);
  }
  return respondJson(c, { event_id: event.event_id, recorded_at: now }, 201);
}

/** An event of the turn with its identity: the turn's own, else any. */
async function storedTurn(
  c: AppContext,
  parts: Parts,
  of: FeedbackCase["target"],
): Promise<TurnEvent> {
  const { agent_id, root_trace_id, turn_id } = of;
  const reading = readingFor(c, { agent_id, turn_id });
  const { events } = await selectRoot(parts, reading, root_trace_id);
  const turn = events.find((event) => event.event_kind === "turn") ?? events[0];
  const { userId } = principalOf(c);
  if (userId !== undefined && turn.user_id !== userId) throw new CodedError("scope_forbidden");
  return turn;
}

/**
 * Stores the text where an agent's own feedback is stored too (a record of the kind `feedback`).
 * It is durable before the event with its hash.
 */
async function keepComment({ memory }: Parts, event: TurnEvent, comment: string): Promise<void> {
  const { user_id: tenant, agent_id, memory_id, thread_id, turn_id, root_trace_id } = event;
  if (memory === undefined) throw new CodedError("not_configured", { field: "include_comment" });
  if (tenant === undefined) throw new CodedError("identity_missing", { field: "user_id" });
  const { rating = null, label = null, comment_hash = null } = event.attributes;
  await memory.put(memoryFilter(tenant, event), "feedback", {
    id: `fb_${event.event_id}`,
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(memory_id === undefined ? {} : { memory_id }),
    ...(thread_id === undefined ? {} : { thread_id }),
    text: comment,
    created_at: event.timestamp,
    data: {
      turn_id: turn_id ?? null,
      root_trace_id: root_trace_id ?? null,
      rating,
      label,
      comment_hash,
      verified: true,
    },
  });
}

/** A stable external id gives the same event again; without one each call is its own. */
function eventIdOf(kind: string, externalId: string | undefined, identity: object): string {
  if (externalId === undefined) return randomUUID();
  const text = canonicalJson({
    identity,
    external_id: externalId,
    operation: kind,
    phase: "event",
  });
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
