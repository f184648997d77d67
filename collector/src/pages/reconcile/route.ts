/**
 * @module Reconcile: the strict verdict over the whole authorized window of a root, over posted
 * events, and as a signed statement (vocabulary: Event fields; evidence: Reconcile; collector:
 * Answer).
 */
import { Hono } from "hono";
import { z } from "zod";
import { isReceivedBy, judgeRules, reconcileOutcome } from "@turnproof/evidence";
import type { Verdict, WindowMetadata } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { Identity } from "@turnproof/semconv";

import { loggedHeader, loggedStatement } from "../../access/audit/logged-statement.ts";
import { isBound } from "../../access/principal.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { readBody } from "../../http/body.ts";
import { principalOf } from "../../http/environment.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond, respondJson } from "../../http/respond.tsx";
import { withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { KeySet } from "../../judge/statement.ts";
import type { Parts } from "../../parts.ts";
import { evidenceDigest, trustedAmong } from "../../judge/statement.ts";
import type { Statement } from "../../judge/statement.ts";
import { judgeWindow } from "../../judge/verdict.ts";
import type { Judged } from "../../judge/verdict.ts";
import { collectRoot, missingRootError } from "../../turns/window.ts";
import { windowModel } from "../../turns/window.ts";
import type { WindowModel } from "../../turns/window.ts";
import { downloadName } from "../../ui/display/download-name.ts";
import { reconcilePage } from "./page.tsx";

/** Parameters of the verdict. */
const reconcileParameters = z.strictObject({
  agent_id: filters.agent_id,
  root_trace_id: filters.root_trace_id.describe("Root trace to judge."),
  thread_id: filters.thread_id.optional(),
  turn_id: filters.turn_id.describe("One turn of the root.").optional(),
  task_id: filters.task_id.describe("Judges this task alone.").optional(),
  user_id: filters.user_id.optional(),
  scope: filters.scope.optional(),
});

/** Body of POST `/traces/reconcile`. */
const reconcileBody = z.strictObject({
  events: z
    .array(z.unknown().meta({ type: "object", description: "An event." }))
    .max(limits.rootEventsMax)
    .describe("Events as in `items` of a page."),
  task_id: z.string().min(1).max(limits.stringCharsMax).nullish(),
  normalization_metadata: z
    .looseObject({
      window_complete: z.boolean().optional(),
      truncated: z.boolean().optional(),
      normalization_errors: z
        .union([z.number(), z.array(z.unknown().describe("One error."))])
        .optional(),
      read_completeness: z.enum(["complete", "partial", "untrusted", "unknown"]).optional(),
    })
    .nullish()
    .describe(
      "How the events were read; without it the list is unverified. A success needs " +
        "`window_complete` true, `truncated` false, `normalization_errors` 0 or empty, and " +
        "`read_completeness` complete or the mark `as_of`.",
    ),
});

/** The verdict, with metadata of its window. */
export interface ReconcileModel extends Verdict, Pick<Identity, "root_trace_id" | "agent_id"> {
  readonly event_count: number;
  readonly read: WindowModel;
}

const bodyBytesMax = limits.otlpBodyBytesMax;

/** Its JSON, by route. */
export interface ReconcileAnswers {
  readonly "GET /traces/reconcile.json": ReconcileModel;
  readonly "POST /traces/reconcile": Verdict;
  readonly "GET /.well-known/jwks.json": KeySet;
}

/** Reconcile: what each route needs, records and answers. */
export const reconcileGroup: RouteGroup<ReconcileAnswers> = {
  tag: "Traces",
  endpoints: {
    ...withTwin("/traces/reconcile", {
      needs: "trace.read",
      audit: "reconcile.read",
      reads: true,
      id: "getVerdict",
      summary: "Strict verdict over the whole authorized window of a root",
      query: reconcileParameters,
      returns: "Status, findings, chain, and what was read for it.",
      failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
    }),
    "POST /traces/reconcile": {
      needs: "trace.read",
      audit: "reconcile.judged",
      reads: true,
      id: "judgeEvents",
      summary: "Verdict over posted events",
      text: "A plain list is unverified and at best `partial`; metadata states how it was read.",
      body: { type: "application/json", schema: reconcileBody },
      returns: "The verdict.",
      failures: ["body_invalid", "body_too_large", "media_type_unsupported", "bad_request"],
    },
    "GET /traces/reconcile.jws": {
      needs: "trace.read",
      audit: "reconcile.signed",
      reads: true,
      id: "getSignedVerdict",
      summary: "The verdict as a signed statement",
      query: reconcileParameters,
      returns: "A compact JWS (EdDSA) of status, findings, watermark and evidence digest.",
      failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
      answers: "application/jose",
    },
    "GET /traces/evidence.jsonl": {
      needs: "trace.read",
      audit: "reconcile.evidence",
      reads: true,
      id: "getJudgedEvents",
      summary: "The events that the verdict was computed from",
      text: "For `turnproof verify --events`: the digest of the signed statement is over them.",
      query: reconcileParameters,
      returns: "One normalized event per line.",
      failures: ["trace_not_found_in_window", "scope_forbidden", "store_unavailable"],
      answers: "application/jsonl",
    },
    "GET /.well-known/jwks.json": {
      needs: "open",
      id: "getSigningKeys",
      summary: "Public keys of signed statements",
      returns: "A JSON Web Key Set.",
    },
  },
  routes: reconcileRoutes,
};

/** GET and POST `/traces/reconcile`, its twin and its signed form; the public keys. */
function reconcileRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/traces/reconcile", "/traces/reconcile.json"], async (c) => {
    const { judged, window, parameters } = await judge(c, parts);
    const model: ReconcileModel = {
      ...judged.verdict,
      root_trace_id: parameters.root_trace_id,
      agent_id: parameters.agent_id,
      event_count: judged.events.length,
      read: windowModel(window),
    };
    return respond(c, { model, view: reconcilePage });
  });
  app.post("/traces/reconcile", async (c) => {
    readParameters(c, z.strictObject({}));
    const { data } = await readBody(c, reconcileBody, bodyBytesMax);
    const { events, task_id, normalization_metadata } = data;
    const verdict = reconcileOutcome(events, {
      ...(task_id === undefined || task_id === null ? {} : { taskId: task_id }),
      ...(normalization_metadata === undefined || normalization_metadata === null
        ? {}
        : { normalizationMetadata: normalization_metadata as WindowMetadata }),
    });
    return respondJson(c, verdict);
  });
  app.get("/traces/reconcile.jws", async (c) => {
    const { judged, window, parameters } = await judge(c, parts);
    const statement = statementOf(parts, c, { ...judged, bounded: window.bounded }, parameters);
    const jws = await parts.signer.sign(statement);
    return c.body(jws, 200, {
      "Content-Type": "application/jose",
      ...attached(parameters.root_trace_id, "jws"),
      [loggedHeader]: loggedStatement(jws, statement.identity["user_id"] ?? null, parts.keyring),
    });
  });
  app.get("/traces/evidence.jsonl", async (c) => {
    const { judged, parameters } = await judge(c, parts);
    const lines = judged.events.map((event) => `${JSON.stringify(event)}\n`);
    return c.body(lines.join(""), 200, {
      "Content-Type": "application/jsonl; charset=UTF-8",
      ...attached(parameters.root_trace_id, "jsonl"),
    });
  });
  app.get("/.well-known/jwks.json", (c) => respondJson(c, parts.signer.keys));
  return app;
}

function attached(root: string, extension: string): Record<string, string> {
  return {
    "Content-Disposition": `attachment; filename="${downloadName(root, extension)}"`,
  };
}

type ReconcileParameters = z.output<typeof reconcileParameters>;

async function judge(
  c: AppContext,
  parts: Parts,
): Promise<{
  readonly judged: Judged;
  readonly window: Awaited<ReturnType<typeof collectRoot>>;
  readonly parameters: ReconcileParameters;
}> {
  const parameters = readParameters(c, reconcileParameters);
  const reading = readingFor(c, parameters);
  const window = await collectRoot(parts, reading, parameters.root_trace_id);
  const judged = await judgeWindow(parts, window, reading.query);
  if (judged.events.length === 0)
    throw await missingRootError(parts, reading, parameters.root_trace_id, window);
  return { judged, window, parameters };
}

function statementOf(
  parts: Parts,
  c: AppContext,
  { verdict, events: read, metadata, bounded }: Judged & { readonly bounded: boolean },
  parameters: ReconcileParameters,
): Statement {
  // Events after the mark are not judged, so they are not signed either.
  const events = verdict.as_of === null ? read : read.filter(isReceivedBy(verdict.as_of));
  const { agent_id, root_trace_id, thread_id, turn_id } = parameters;
  const principal = principalOf(c);
  const users = [...new Set(events.map((event) => event.user_id))];
  const [user] = users;
  return {
    v: 2,
    iss: `turnproof:${parts.config.auditScope}`,
    iat: Math.floor(parts.now() / 1000),
    identity: {
      agent_id,
      root_trace_id,
      ...(thread_id === undefined ? {} : { thread_id }),
      ...(turn_id === undefined ? {} : { turn_id }),
      // A single tenant is named; a statement over several names none.
      ...(users.length === 1 && user !== undefined ? { user_id: user } : {}),
      scope: isBound(principal) ? "tenant" : "operator",
    },
    task_id: verdict.task_id,
    status: verdict.status,
    findings: [...new Set(verdict.findings.map((finding) => finding.code))].toSorted(),
    as_of: verdict.as_of,
    event_count: events.length,
    digest: evidenceDigest(events),
    judge: { version: parts.version, rules: judgeRules },
    trusted: trustedAmong(events, parts.config.trustedIngest),
    bounds: { events_max: limits.rootEventsMax, bounded },
    // In the form in which it is read: undefined fields are absent.
    window: JSON.parse(JSON.stringify(metadata)) as Record<string, unknown>,
  };
}
