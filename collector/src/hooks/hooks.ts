/**
 * @module Hooks: what a host can plug in (design 6.2, issue of the collector's host). Typed, timed
 * out, and contained: what a hook throws or how long it sleeps never shows more than a code.
 */
import { CodedError } from "@turnproof/semconv";
import type { MemoryScope } from "@turnproof/semconv";

/** Who asks a hook, and for whom. */
export interface HookContext {
  readonly principal: string;
  readonly role: string;
  readonly applicationId?: string;
  /** The tenant the asker is bound to; absent for one that is bound to nobody. */
  readonly userId?: string | null;
  readonly signal: AbortSignal;
}

/** What a host says of a resource; other fields of its answer are left out. */
export interface ResolvedArtifact {
  readonly exists: boolean;
  readonly version?: string;
  readonly state?: string;
  readonly user_id?: string | null;
}

/** One run of an agent, as its caller asked for it. */
export interface AgentRunInput extends Partial<MemoryScope> {
  readonly query: string;
}

/** The agents that a host mounts. Identity comes from the collector, never from the form alone. */
export interface AgentPort {
  list(context: HookContext): Promise<readonly string[]>;
  /** An answer that can be written as JSON; `not_found` is undefined. */
  run(agentId: string, input: AgentRunInput, context: HookContext): Promise<unknown>;
  /** Events of a streaming run, in order. */
  stream(agentId: string, input: AgentRunInput, context: HookContext): AsyncIterable<AgentChunk>;
}

/** One event of a streaming run: a name and what can be written as JSON. */
export interface AgentChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Hooks of a host; each is optional, and its route answers 501 without it. */
export interface Hooks {
  /** From an e-mail to the opaque user id of the host's directory; null when there is none. */
  readonly resolveAccount?: (email: string, context: HookContext) => Promise<string | null>;
  readonly resolveArtifact?: (
    resource: { readonly type?: string; readonly ref: string; readonly version?: string },
    context: HookContext,
  ) => Promise<ResolvedArtifact | null>;
  /** A last word on whether this principal may ask about this resource. */
  readonly authorizeResource?: (ref: string, context: HookContext) => Promise<boolean>;
  readonly agents?: AgentPort;
}

const hookMsMax = 10_000;

/**
 * Calls a hook within its time, and as long as whoever asked is there: the hook's signal aborts with
 * any of `ends` as well.
 *
 * @throws CodedError `not_configured` without the hook, `overloaded` when it takes too long,
 * `internal_error` when it throws anything that is no code of ours
 */
export async function callHook<T>(
  call: ((signal: AbortSignal) => Promise<T>) | undefined,
  timeoutMs: number = hookMsMax,
  ...ends: readonly AbortSignal[]
): Promise<T> {
  if (call === undefined) throw new CodedError("not_configured");
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...ends]);
  const late = new Promise<never>((_, reject) => {
    const give = (): void => reject(new CodedError("overloaded"));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
  try {
    // A hook that throws before it is asynchronous is contained like any other.
    return await Promise.race([(async () => call(signal))(), late]);
  } catch (error) {
    throw CodedError.is(error) ? error : new CodedError("internal_error");
  }
}
