/**
 * @module Hooks: extension points of a host (collector: Answer).
 * Typed, with a timeout, and contained: an error or a timeout of a hook is reported as a code only.
 */
import { CodedError } from "@turnproof/semconv";
import type { Identity, IdentityOptions, MemoryScope } from "@turnproof/semconv";

/** Caller of a hook, and its tenant. */
export interface HookContext {
  readonly principal: string;
  readonly role: string;
  readonly applicationId?: IdentityOptions["applicationId"];
  /** The caller's tenant; absent for an unbound caller. */
  readonly userId?: IdentityOptions["userId"];
  readonly signal: AbortSignal;
}

/** A host's description of a resource; other fields of its answer are ignored. */
export interface ResolvedArtifact {
  readonly exists: boolean;
  readonly version?: string;
  readonly state?: string;
  readonly user_id?: Identity["user_id"];
}

/** One run of an agent, as its caller requested it. */
export interface AgentRunInput extends Partial<MemoryScope> {
  readonly query: string;
}

/** The agents that a host mounts. Identity comes from the collector, never from the form alone. */
export interface AgentPort {
  list(context: HookContext): Promise<readonly string[]>;
  /** An answer that can be written as JSON; undefined means not found. */
  run(agentId: string, input: AgentRunInput, context: HookContext): Promise<unknown>;
  /** Events of a streaming run, in order. */
  stream(agentId: string, input: AgentRunInput, context: HookContext): AsyncIterable<AgentChunk>;
}

/** One event of a streaming run: a name and data that can be written as JSON. */
export interface AgentChunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Hooks of a host; each is optional, and its route answers 501 without it. */
export interface Hooks {
  /** Maps an e-mail to the opaque user id in the host's directory; null without one. */
  readonly resolveAccount?: (email: string, context: HookContext) => Promise<string | null>;
  readonly resolveArtifact?: (
    resource: { readonly type?: string; readonly ref: string; readonly version?: string },
    context: HookContext,
  ) => Promise<ResolvedArtifact | null>;
  /** Final check whether this principal may read this resource. */
  readonly authorizeResource?: (ref: string, context: HookContext) => Promise<boolean>;
  readonly agents?: AgentPort;
}

const hookMsMax = 10_000;

/**
 * Calls a hook with a timeout; the hook's signal also aborts with any of `ends`, such as the
 * caller's disconnect.
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
    // A synchronous throw of a hook is contained like any other.
    return await Promise.race([(async () => call(signal))(), late]);
  } catch (error) {
    throw CodedError.is(error) ? error : new CodedError("internal_error");
  }
}
