/** @module AgentOptions: what an agent is built with, and what each call of it says. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { EvidenceSink, ObservabilityContext } from "@turnproof/instrumentation";
import type { CacheOptions, Embedder, Fingerprint, MemoryPolicy } from "@turnproof/memory";
import type { EvidenceReader, MemoryStore } from "@turnproof/store";

import type { AnyLanguageModel } from "./older-model.ts";
import type { SharedOptions } from "./shared-context.ts";
import type { ToolServerOptions } from "./shared-tools.ts";
import type { RoutingOptions } from "./tool-router.ts";
import type { AnyTool } from "./tools.ts";
import type { EventCallback } from "./turn-events.ts";

/** How the agent speaks. */
export interface Persona {
  readonly instructions: string;
}

/** The semantic cache of an agent. */
export interface AgentCacheOptions extends CacheOptions {
  /** Version of the data behind tools and instructions: another version, another answer. */
  readonly dataVersion?: string;
  /**
   * `bypass` (default): a question in a thread that has said other things is not answered from the
   * cache, because the answer may depend on them. `ignore`: it may be.
   */
  readonly conversation?: "bypass" | "ignore";
}

/** Summaries of long threads, written by the model after a turn. */
export interface SummarizeOptions {
  /** Messages of a thread after which a summary is written, at least 4. */
  readonly everyMessages: number;
}

/** Settings that every model call is made with. */
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

/** An agent. The user is never here: one agent serves all users (requirements: Scope hierarchy). */
export interface AgentOptions {
  /** Any language model of AI SDK 5, 6 or 7. */
  readonly model: AnyLanguageModel;
  /** Where memory lies: any provider of `@turnproof/store`. */
  readonly store: MemoryStore;
  /** Identity of the agent; default `agent`. */
  readonly agentId?: string;
  /** Display name; default the id. */
  readonly name?: string;
  readonly applicationId?: string;
  readonly instructions?: string;
  /** A persona, or the id of a stored one. */
  readonly persona?: Persona | string;
  readonly tools?: readonly AnyTool[];
  /** Tools that are offered as the stored toolbox says: an entry by the tool's name switches it on. */
  readonly toolbox?: readonly AnyTool[];
  /** Opens stored tool servers; without it they are not asked. */
  readonly toolServers?: ToolServerOptions;
  /** Skills and shared memory in the instructions; both by default. */
  readonly shared?: SharedOptions;
  /**
   * Memory of turns that name none; default the agent's id. Shared deployments name it per call.
   */
  readonly memoryId?: string;
  /** Any embedding model of the AI SDK; default: lexical and offline. */
  readonly embedder?: Embedder;
  readonly memoryPolicy?: MemoryPolicy;
  /** Default: no summaries are written. Each costs a model call of the turn that completes it. */
  readonly summarize?: SummarizeOptions;
  /** Default: no semantic cache. */
  readonly cache?: AgentCacheOptions;
  readonly routing?: RoutingOptions;
  readonly settings?: ModelSettings;
  /** Rounds of the model and tool loop at most; default 12. */
  readonly iterationsMax?: number;
  /** Repeats of a model call that its adapter calls retryable; default 2. */
  readonly retriesMax?: number;
  /** False: recurring workflows are not looked for. */
  readonly learning?: boolean;
  /** Where evidence goes; default the global OpenTelemetry provider. */
  readonly sink?: EvidenceSink;
  /** True: a failed write of evidence fails the turn. */
  readonly strict?: boolean;
  /** Stages that the agent's turns must show, e.g. `chat_response`. */
  readonly coverageProfile?: string;
  /** Where evidence can be read back, for `observabilitySummary`. */
  readonly evidence?: Pick<EvidenceReader, "page">;
  /** Keyed hash for references and comments; default SHA-256. */
  readonly fingerprint?: Fingerprint;
}

/**
 * One call. A missing, undefined or null `userId` is the anonymous scope; an empty one an error.
 */
export interface RunOptions {
  readonly userId?: string | null | undefined;
  readonly memoryId?: string | undefined;
  /** Default: a new thread, named in the result. */
  readonly threadId?: string | undefined;
  readonly runId?: string;
  readonly turnId?: string;
  /** Given to the model beside the question, e.g. `{ current_page: { type, id } }`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Recorded as provenance, sanitized; never given to the model. */
  readonly observabilityContext?: ObservabilityContext | Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of this call alone. */
  readonly eventCallback?: EventCallback;
  /** `bypass`: neither ask nor fill the semantic cache. */
  readonly cache?: "bypass";
}
