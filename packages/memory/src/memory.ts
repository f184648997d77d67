/**
 * @module Memory: the façade. Every operation takes a place first, and a place has one tenant:
 * nothing here reads across users (requirements: Scope hierarchy).
 */
import type { ScopedKind } from "@turnproof/semconv";
import type { MemoryStore } from "@turnproof/store";

import { assembleContext } from "./assemble-context.ts";
import type { AssembledContext, MemoryPolicy } from "./assemble-context.ts";
import { Conversation } from "./conversation.ts";
import { countMemory } from "./counts.ts";
import type { KindCount } from "./counts.ts";
import { EntityMemory } from "./entity-memory.ts";
import { FeedbackMemory } from "./feedback-memory.ts";
import { Learning } from "./learning.ts";
import type { MemoryPlace } from "./place.ts";
import { SemanticCache } from "./semantic-cache.ts";
import type { CacheOptions } from "./semantic-cache.ts";
import { SharedMemory } from "./shared-memory.ts";
import { Summaries } from "./summaries.ts";
import { ToolLog } from "./tool-log.ts";
import { WatchedStore } from "./watched-store.ts";
import type { MemoryOptions } from "./watched-store.ts";
import { WorkflowMemory } from "./workflow-memory.ts";

/** Scoped memory over any provider. */
export class Memory {
  readonly conversation: Conversation;
  readonly summaries: Summaries;
  readonly entities: EntityMemory;
  readonly workflow: WorkflowMemory;
  readonly toolLog: ToolLog;
  readonly feedback: FeedbackMemory;
  readonly learning: Learning;
  /** Kinds without a tenant, by design. */
  readonly shared: SharedMemory;
  readonly #store: WatchedStore;

  constructor(store: MemoryStore, options: MemoryOptions = {}) {
    const shared = new WatchedStore(store, options);
    this.#store = shared;
    this.conversation = new Conversation(shared);
    this.summaries = new Summaries(shared);
    this.entities = new EntityMemory(shared);
    this.workflow = new WorkflowMemory(shared);
    this.toolLog = new ToolLog(shared);
    this.feedback = new FeedbackMemory(shared);
    this.learning = new Learning(shared);
    this.shared = new SharedMemory(store, shared.now);
  }

  /** True when similarity is of spelling only, because no embedder was given. */
  get lexical(): boolean {
    return this.#store.lexical;
  }

  /** A semantic cache in this memory. */
  cache(options?: CacheOptions): SemanticCache {
    return new SemanticCache(this.#store, options);
  }

  /** Context for a question, within the policy; see {@link assembleContext}. */
  assembleContext(
    place: MemoryPlace,
    question: { readonly text: string; readonly signal?: AbortSignal },
    policy?: MemoryPolicy,
  ): Promise<AssembledContext> {
    return assembleContext(this.#store, place, question, policy);
  }

  /** How much there is of each scoped kind at a place, and how fresh; no row. */
  counts(place: MemoryPlace): Promise<{ readonly [K in ScopedKind]: KindCount }> {
    return countMemory(this.#store, place);
  }
}
