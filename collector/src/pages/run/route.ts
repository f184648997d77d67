/**
 * @module Agent runs: runs the agents that a host mounted, for the principal's own tenant
 * (requirements: Endpoints; collector: Answer).
 */
import { Hono } from "hono";
import { z } from "zod";
import { CodedError } from "@turnproof/semconv";
import type { Identity, NullableIdentity } from "@turnproof/semconv";

import type { Principal } from "../../access/principal.ts";
import { readBody } from "../../http/body.ts";
import { principalOf, wantsPage } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { eventStream, holderOf } from "../../http/event-stream.ts";
import { id } from "../../http/parameters.ts";
import { respond, respondJson } from "../../http/respond.tsx";
import { callHook } from "../../hooks/hooks.ts";
import type { AgentPort, AgentRunInput } from "../../hooks/hooks.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { contextOf } from "../../hooks/hook-context.ts";
import { runPage } from "./page.tsx";
import { idOfSegment } from "../../ui/display/page-address.ts";

/** Form of a run. */
const runForm = z.strictObject({
  query: z.string().min(1).max(100_000),
  user_id: id.optional(),
  memory_id: id.optional(),
  thread_id: id.optional(),
});

/**
 * Model of the page for a posted form; an API client receives `answer` only. `user_id` is the
 * tenant of the run, null for the anonymous scope.
 */
export interface RunModel
  extends Pick<Identity, "agent_id" | "user_id">, NullableIdentity<"memory_id" | "thread_id"> {
  /** The host agent's answer, in any form. */
  readonly answer: unknown;
}

const bodyBytesMax = 1_048_576;
const runMsMax = 120_000;
/** Proxies close a stream that is idle for longer. */
const heartbeatMs = 15_000;

/** Run: what each route needs, records and answers. */
export const runGroup: RouteGroup = {
  tag: "Agents",
  endpoints: {
    "POST /agents/:agent_id/run": {
      needs: "agent.run",
      lasts: true,
      audit: "agent.run",
      mutates: true,
      id: "runAgent",
      summary: "Run an agent",
      text: "A bound principal runs for itself; another `user_id` is refused.",
      body: { type: "application/x-www-form-urlencoded", schema: runForm },
      returns: "What the agent answered: JSON, or a page when `text/html` is accepted.",
      failures: [
        "not_configured",
        "not_found",
        "scope_forbidden",
        "store_read_only",
        "body_invalid",
        "streams_full",
      ],
    },
    "POST /agents/:agent_id/playground/stream": {
      needs: "agent.run",
      lasts: true,
      audit: "agent.streamed",
      mutates: true,
      id: "streamAgentRun",
      summary: "Run an agent and stream its events",
      text: "A bound principal runs for itself; another `user_id` is refused.",
      body: { type: "application/x-www-form-urlencoded", schema: runForm },
      returns: "Server-sent events of the run, with ids and heartbeats.",
      failures: [
        "not_configured",
        "not_found",
        "scope_forbidden",
        "store_read_only",
        "body_invalid",
        "streams_full",
      ],
      answers: "text/event-stream",
    },
  },
  routes: agentRunRoutes,
};

/** POST `/agents/{agent_id}/run` and `/agents/{agent_id}/playground/stream`. */
function agentRunRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();

  app.post("/agents/:agent_id/run", async (c) => {
    const { agents, input, principal } = await runOf(c, parts);
    const agent = idOfSegment(c.req.param("agent_id"));
    const held = parts.streams.hold(holderOf(c));
    const answer = await callHook(
      (signal) => agents.run(agent, input, contextOf(principal, signal)),
      runMsMax,
      // The caller disconnected: the turn is cancelled.
      c.req.raw.signal,
      held.signal,
    ).finally(() => held.release());
    if (answer === undefined) throw new CodedError("not_found");
    if (!wantsPage(c)) return respondJson(c, answer);
    const model: RunModel = {
      agent_id: agent,
      user_id: input.tenant ?? null,
      memory_id: input.memoryId ?? null,
      thread_id: input.threadId ?? null,
      answer,
    };
    return respond(c, { model, view: runPage });
  });

  app.post("/agents/:agent_id/playground/stream", async (c) => {
    const { agents, input, principal } = await runOf(c, parts);
    const agent = idOfSegment(c.req.param("agent_id"));
    return eventStream(c, parts, async (stream, ended) => {
      const signal = AbortSignal.any([ended, AbortSignal.timeout(runMsMax)]);
      const beat = setInterval(
        () => void stream.writeSSE({ event: "heartbeat", data: "{}" }),
        heartbeatMs,
      );
      let number = 0;
      try {
        for await (const chunk of agents.stream(agent, input, contextOf(principal, signal))) {
          if (ended.aborted) return;
          number += 1;
          const data = JSON.stringify(chunk);
          await stream.writeSSE({ id: String(number), event: chunk.type, data });
        }
      } finally {
        clearInterval(beat);
      }
    });
  });
  return app;
}

/** A bound principal runs for its own tenant; a form with another one is refused. */
async function runOf(
  c: AppContext,
  parts: Parts,
): Promise<{
  readonly agents: AgentPort;
  readonly input: AgentRunInput;
  readonly principal: Principal;
}> {
  const { agents } = parts.hooks;
  const principal = principalOf(c);
  const { data } = await readBody(c, runForm, bodyBytesMax);
  const bound = principal.userId;
  if (bound !== undefined && data.user_id !== undefined && data.user_id !== bound) {
    throw new CodedError("scope_forbidden", { field: "user_id" });
  }
  if (agents === undefined) throw new CodedError("not_configured");
  const input: AgentRunInput = {
    query: data.query,
    tenant: bound === undefined ? (data.user_id ?? null) : bound,
    ...(data.memory_id === undefined ? {} : { memoryId: data.memory_id }),
    ...(data.thread_id === undefined ? {} : { threadId: data.thread_id }),
  };
  return { agents, input, principal };
}
