/**
 * @module Mounted agents: agents of the host's own process behind the port for routes
 * (architecture: Packages); the collector never imports them. Anything that runs and streams like
 * `@turnproof/agent` fits. Their answers are written with wire names: snake_case, whatever names
 * the library uses.
 */
import { CodedError } from "@turnproof/semconv";
import type { IdentityOptions } from "@turnproof/semconv";

import type { AgentChunk, AgentPort, AgentRunInput, HookContext } from "./hooks.ts";

/** Methods that a host's agent needs; `@turnproof/agent`'s `Agent` has them. */
export interface MountableAgent {
  run(query: string, options: MountedRun): Promise<object>;
  runStream(query: string, options: MountedRun): AsyncIterable<{ readonly type: string }>;
}

/** One call; `userId` null is the anonymous scope. */
export interface MountedRun
  extends Pick<IdentityOptions, "userId">, Partial<Pick<IdentityOptions, "memoryId" | "threadId">> {
  readonly signal: AbortSignal;
}

/**
 * Mounts agents under their ids: `hooks: { agents: mountAgents({ desk: agent }) }`. The collector
 * sets the tenant of a run, never the form.
 */
export function mountAgents(agents: { readonly [agentId: string]: MountableAgent }): AgentPort {
  const find = (id: string): MountableAgent | undefined =>
    Object.hasOwn(agents, id) ? agents[id] : undefined;
  return {
    list: async () => Object.keys(agents),
    run: async (id, input, context) => {
      const agent = find(id);
      return agent === undefined
        ? undefined
        : wireOf(await agent.run(input.query, runOf(input, context)));
    },
    async *stream(id, input, context) {
      const agent = find(id);
      if (agent === undefined) throw new CodedError("not_found");
      for await (const event of agent.runStream(input.query, runOf(input, context))) {
        yield wireOf(event) as AgentChunk;
      }
    },
  };
}

function runOf(input: AgentRunInput, { signal }: HookContext): MountedRun {
  const { tenant = null, memoryId, threadId } = input;
  return {
    userId: tenant,
    signal,
    ...(memoryId === undefined ? {} : { memoryId }),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/** A value as JSON with snake_case names; private fields are left out. */
function wireOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wireOf);
  if (typeof value !== "object" || value === null) return value;
  // Of a trace context only the trace id; its carrier and its spans are not for a browser.
  if ("rootTraceId" in value && "identity" in value) {
    const { rootTraceId, identity } = value as { rootTraceId: unknown; identity: object };
    return { root_trace_id: rootTraceId, ...(wireOf(identity) as object) };
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined && typeof inner !== "function")
      .map(([name, inner]) => [snake(name), wireOf(inner)]),
  );
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
