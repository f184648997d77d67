/**
 * @module Role world: principals of every role and binding, and evidence of owners that are marked.
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { MemoryStore } from "@turnproof/store";
import type { AgentPort, Hooks } from "turnproof";

import { turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

/** The token of a principal. */
export const token = (name: string): string => `${name}-q7KxZt4Wm9Rc2Yd8`;
/** Principals, unbound by role and bound to an owner each. */
const accounts = {
  viewer: { role: "viewer" },
  analyst: { role: "analyst" },
  operator: { role: "operator" },
  admin: { role: "admin" },
  alice: { role: "admin", user_id: "alice" },
  shop: { role: "admin", application_id: "shop" },
  anonymous: { role: "admin", user_id: null },
} as const;
/** The token that sends telemetry and reads nothing. */
export const ingestToken = "producer-q7KxZt4Wm9Rc2Yd8";
/** Variables of a collector that knows them all. */
export const roleEnv = {
  TURNPROOF_UI_ACCOUNTS: JSON.stringify(
    Object.fromEntries(
      Object.entries(accounts).map(([name, row]) => [name, { token: token(name), ...row }]),
    ),
  ),
  TURNPROOF_UI_TRACE_CONTENT_MODE: "full",
  TURNPROOF_INGEST_TOKENS: `producer:${ingestToken}`,
};

/** Whose evidence there is: its marker stands in fields that no request names. */
export const owners = {
  alice: { user: "alice", application: "desk" },
  bob: { user: "bob", application: "desk" },
  dora: { user: "dora", application: "shop" },
  null: { user: null, application: "desk" },
  unrecorded: { user: undefined, application: "desk" },
} as const;
export type Owner = keyof typeof owners;
/** Stands in what an owner has. */
export const marker = (owner: Owner): string => `mk-${owner}-mk`;

/** One turn of an owner. */
export function evidenceOf(owner: Owner, root = `root-${owner}`): TurnEvent[] {
  const { user, application } = owners[owner];
  return turnEvents({
    root,
    agent: `agent-${owner}`,
    thread: `thread-${owner}`,
    application,
    ...(user === undefined ? {} : { user }),
  }).map((event) => ({
    ...event,
    task_id: marker(owner),
    run_id: `${marker(owner)}-run`,
    ...(event.event_kind === "tool_call"
      ? {
          status: "error" as const,
          attributes: { tool_name: marker(owner), tool_outcome: "error" as const },
        }
      : {}),
    output_refs: [{ resource_type: "letter", ref: `letter-${owner}`, version: "1" }],
  }));
}

const agents: AgentPort = {
  list: async () => ["mounted"],
  run: async (id) => (id === "mounted" ? { text: "done" } : undefined),
  async *stream() {
    yield { type: "run.done" };
  },
};
/** Hooks that know the owners. */
export const hooks: Hooks = {
  agents,
  resolveAccount: async (email) => email.split("@")[0] ?? null,
  resolveArtifact: async ({ ref }) => {
    const owner = Object.keys(owners).find((name) => ref === `letter-${name}`) as Owner | undefined;
    const user = owner === undefined ? undefined : owners[owner].user;
    return owner === undefined
      ? null
      : { exists: true, ...(user === undefined ? {} : { user_id: user }) };
  },
};

/** Puts the evidence and the memory of all owners. */
export async function fillWorld(desk: Desk, memory: MemoryStore): Promise<void> {
  for (const owner of Object.keys(owners) as Owner[]) await desk.put(evidenceOf(owner));
  // One root in which two tenants and two applications have turns.
  for (const owner of ["alice", "bob", "dora", "null"] as const) {
    const shared = evidenceOf(owner, "root-shared").map((event) => ({
      ...event,
      agent_id: "agent-shared",
      turn_id: `turn-${owner}`,
      event_id: `${owner}-${event.event_id}`,
      span_id: `${owner}-${event.span_id ?? ""}`,
    }));
    await desk.put(shared);
  }
  for (const owner of ["alice", "bob", "null"] as const) {
    const agentId = `agent-${owner}`;
    const threadId = `thread-${owner}`;
    await memory.put({ tenant: owners[owner].user, agentId, threadId }, "conversation", {
      id: `msg-${owner}`,
      agent_id: agentId,
      thread_id: threadId,
      text: `words of ${marker(owner)}`,
      created_at: "2026-11-21T09:59:01.000Z",
      data: { role: "user", turn_id: `root-${owner}-turn` },
    });
  }
}
