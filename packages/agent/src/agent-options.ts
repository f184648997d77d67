/** @module AgentOptions: options of an agent and of each call. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { EvidenceSink, ObservabilityContext } from "@turnproof/instrumentation";
import type { CacheOptions, Embedder, Fingerprint, MemoryPolicy } from "@turnproof/memory";
import type { IdentityOptions, OptionalIdentity } from "@turnproof/semconv";
import type { EvidenceReader, MemoryStore } from "@turnproof/store";

import type { AnyLanguageModel } from "./older-model.ts";
import type { SharedOptions } from "./shared-options.ts";
import type { ToolServerOptions } from "./shared-options.ts";
import type { RoutingOptions } from "./tool-router.ts";
import type { AnyTool } from "./tools.ts";
import type { EventCallback } from "./turn-events.ts";

/** Instructions for the agent's tone and role. */
export interface Persona {
  readonly instructions: string;
}

/** The semantic cache of an agent. */
export interface AgentCacheOptions extends CacheOptions {
  /**
   * Version of the data behind tools and instructions; cached answers of other versions are not
   * used.
   */
  readonly dataVersion?: string;
  /**
   * `bypass` (default): a question in a thread with other messages is not answered from the cache,
   * because the answer may depend on them. `ignore`: it may be.
   */
  readonly conversation?: "bypass" | "ignore";
}

/** Summaries of long threads, written by the model after a turn. */
export interface SummarizeOptions {
  /** Messages of a thread after which a summary is written, at least 4. */
  readonly everyMessages: number;
}

/** Settings of every model call. */
export type ModelSettings = Pick<
  LanguageModelV4CallOptions,
  | "maxOutputTokens"
  | "temperature"
  | "topP"
  | "topK"
  | "seed"
  | "stopSequences"
  | "presencePenalty"
  | "frequencyPenalty"
  | "reasoning"
  | "headers"
  | "providerOptions"
>;

/** An agent. It has no user: one agent serves all users (requirements: Scope hierarchy). */
export interface AgentOptions {
  /** Any language model of AI SDK 5, 6 or 7. */
  readonly model: AnyLanguageModel;
  /** Where memory is stored: any provider of `@turnproof/store`. */
  readonly store: MemoryStore;
  /** Identity of the agent; default `agent`. */
  readonly agentId?: IdentityOptions["agentId"];
  /** Display name; default the id. */
  readonly name?: string;
  readonly applicationId?: IdentityOptions["applicationId"];
  readonly instructions?: string;
  /** A persona, or the id of a stored one. */
  readonly persona?: Persona | string;
  readonly tools?: readonly AnyTool[];
  /** Tools that are offered only with an entry in the stored toolbox under the tool's name. */
  readonly toolbox?: readonly AnyTool[];
  /** Opens stored tool servers; without it they are not used. */
  readonly toolServers?: ToolServerOptions;
  /** Skills and shared memory in the instructions; both by default. */
  readonly shared?: SharedOptions;
  /**
   * Memory of turns that name none; default the agent's id. Shared deployments set it per call.
   */
  readonly memoryId?: IdentityOptions["memoryId"];
  /** Any embedding model of the AI SDK; default: lexical and offline. */
  readonly embedder?: Embedder;
  readonly memoryPolicy?: MemoryPolicy;
  /** Default: no summaries. Each one costs a model call in the turn that completes it. */
  readonly summarize?: SummarizeOptions;
  /** Default: no semantic cache. */
  readonly cache?: AgentCacheOptions;
  readonly routing?: RoutingOptions;
  readonly settings?: ModelSettings;
  /** Most rounds of the model and tool loop; default 12. */
  readonly iterationsMax?: number;
  /** Retries of a model call whose error the adapter marks as retryable; default 2. */
  readonly retriesMax?: number;
  /** False: the agent does not look for recurring workflows. */
  readonly learning?: boolean;
  /** Destination of evidence; default the global OpenTelemetry provider. */
  readonly sink?: EvidenceSink;
  /** True: a failed write of evidence fails the turn. */
  readonly strict?: boolean;
  /** Coverage profile that the agent's turns must meet, e.g. `chat_response`. */
  readonly coverageProfile?: string;
  /** Reader of the evidence, for `observabilitySummary`. */
  readonly evidence?: Pick<EvidenceReader, "page">;
  /** Keyed hash for references and comments; default SHA-256. */
  readonly fingerprint?: Fingerprint;
}

/**
 * One call. A missing, undefined or null `userId` is the anonymous scope; an empty one an error.
 * Without `threadId` the call has a new thread, named in the result.
 */
export interface RunOptions
  extends
    OptionalIdentity<"userId" | "memoryId" | "threadId">,
    Partial<Pick<IdentityOptions, "runId" | "turnId">> {
  /** Passed to the model beside the question, e.g. `{ current_page: { type, id } }`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Recorded as provenance, sanitized; never passed to the model. */
  readonly observabilityContext?: ObservabilityContext | Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of this call alone. */
  readonly eventCallback?: EventCallback;
  /** `bypass`: neither read nor write the semantic cache. */
  readonly cache?: "bypass";
}
