/**
 * @module AgentMount: agents behind a collector's hook for runs (requirements: Endpoints). The
 * shape is the hook's own, met structurally: a collector never imports an agent, nor the other way
 * round.
 */
import type { Agent } from "./agent.ts";
import { resultRecord } from "./result-record.ts";
import type { ResultRecord } from "./result-record.ts";
import type { TurnEvent } from "./turn-events.ts";

/** A run as the collector asks for it; the tenant was decided there. */
export interface MountedInput {
  readonly query: string;
  readonly tenant?: string | null;
  readonly memoryId?: string;
  readonly threadId?: string;
}

/** Who asks; only the signal matters here. */
export interface MountContext {
  readonly signal: AbortSignal;
}

/** An event of a run as JSON. */
export type MountedEvent = { readonly type: string; readonly [field: string]: unknown };

/** What a collector mounts. */
export interface MountedAgents {
  list(context: MountContext): Promise<readonly string[]>;
  /** Undefined for an agent that is not there. */
  run(
    agentId: string,
    input: MountedInput,
    context: MountContext,
  ): Promise<ResultRecord | undefined>;
  /** Nothing for an agent that is not there. */
  stream(
    agentId: string,
    input: MountedInput,
    context: MountContext,
  ): AsyncGenerator<MountedEvent, void, undefined>;
}

/** Agents by their ids, as a collector's hook. */
export function mountAgents(agents: Readonly<Record<string, Agent>>): MountedAgents {
  const find = (id: string): Agent | undefined =>
    Object.hasOwn(agents, id) ? agents[id] : undefined;
  const scopeOf = ({ tenant, memoryId, threadId }: MountedInput, { signal }: MountContext) => ({
    userId: tenant ?? null,
    memoryId,
    threadId,
    signal,
  });
  return {
    list: async () => Object.keys(agents),
    run: async (id, input, context) => {
      const agent = find(id);
      if (agent === undefined) return undefined;
      return resultRecord(await agent.run(input.query, scopeOf(input, context)));
    },
    stream: async function* stream(id, input, context) {
      const agent = find(id);
      if (agent === undefined) return;
      for await (const event of agent.runStream(input.query, scopeOf(input, context))) {
        yield eventRecord(event);
      }
    },
  };
}

/** An event as JSON: its fields as they are, a result as a record. */
function eventRecord(event: TurnEvent): MountedEvent {
  if (event.type !== "run.done" || event.result === undefined) return event;
  const { result, ...rest } = event;
  return { ...rest, result: resultRecord(result) };
}
