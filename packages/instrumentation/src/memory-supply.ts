/**
 * @module Memory: operations on memory and the three stages of its supply: retrieved, supplied,
 * referenced (requirements: Memory supply). Counts, scores, names and hashed references; no value.
 */
import { attribute } from "@turnproof/semconv";

import type { OpenStep } from "./open-step.ts";
import { refAttributes } from "./resource-ref.ts";
import type { ResourceRef } from "./resource-ref.ts";
import type { Facts } from "./observation.ts";

/** A GenAI memory operation. */
export interface MemoryOperationOptions {
  readonly operation:
    | "search_memory"
    | "create_memory"
    | "update_memory"
    | "upsert_memory"
    | "delete_memory"
    | "create_memory_store"
    | "delete_memory_store";
  readonly storeId?: string;
  readonly recordId?: string;
  /** Scope that the store applied: proof that the read was scoped. */
  readonly scopeApplied?: "user" | "anonymous" | "shared" | "admin";
}

/** Candidates that retrieval considered. */
export interface RetrievedMemory {
  readonly count: number;
  readonly scores?: readonly number[];
  readonly refs?: readonly ResourceRef[];
  readonly scopeApplied?: MemoryOperationOptions["scopeApplied"];
  /** Rows of another scope that were found and refused: anything but 0 is a finding. */
  readonly foreignRows?: number;
  readonly degraded?: boolean;
  readonly fallbackUsed?: boolean;
  /** Code of why it was degraded, e.g. `memory_search_bounded`. */
  readonly degradedReason?: string;
}

/** What was placed in the model's context, by source. Absent counts are unknown. */
export interface SuppliedMemory {
  readonly count: number;
  readonly retrievedCount?: number;
  readonly historyCount?: number;
  readonly profileCount?: number;
  readonly preferenceCount?: number;
  readonly crossThreadCount?: number;
  readonly summaryCount?: number;
  readonly writingSampleCount?: number;
  readonly profileAttributeNames?: readonly string[];
  readonly preferenceNames?: readonly string[];
  readonly refs?: readonly ResourceRef[];
  readonly degraded?: boolean;
  readonly fallbackUsed?: boolean;
  readonly degradedReason?: string;
}

/** Exact source overlap that was found in the final text. */
export interface ReferencedMemory {
  readonly count: number;
  readonly refs?: readonly ResourceRef[];
}

/** Attributes of a memory operation. */
export function memoryOperationFacts(options: MemoryOperationOptions): Facts {
  return {
    [attribute.genai_operation.span]: options.operation,
    [attribute.memory_operation.span]: options.operation,
    [attribute.store_id.span]: options.storeId,
    [attribute.record_id.span]: options.recordId,
    [attribute.scope_applied.span]: options.scopeApplied,
  };
}

/** Attributes of the first stage. */
export function retrievedFacts(retrieved: RetrievedMemory): Facts {
  return {
    [attribute.retrieved_count.span]: retrieved.count,
    [attribute.retrieved_scores.span]: retrieved.scores?.slice(0, 32),
    [attribute.scope_applied.span]: retrieved.scopeApplied,
    [attribute.foreign_rows.span]: retrieved.foreignRows,
    [attribute.memory_degraded.span]: retrieved.degraded,
    [attribute.memory_fallback_used.span]: retrieved.fallbackUsed,
    [attribute.fallback_reason.span]: retrieved.degradedReason,
    ...refAttributes("output", retrieved.refs?.slice(0, 32)),
  };
}

/** Attributes of the second stage. */
export function suppliedFacts(supplied: SuppliedMemory): Facts {
  return {
    [attribute.supplied_count.span]: supplied.count,
    [attribute.retrieved_count.span]: supplied.retrievedCount,
    [attribute.history_count.span]: supplied.historyCount,
    [attribute.profile_count.span]: supplied.profileCount,
    [attribute.preference_count.span]: supplied.preferenceCount,
    [attribute.cross_thread_count.span]: supplied.crossThreadCount,
    [attribute.summary_count.span]: supplied.summaryCount,
    [attribute.writing_sample_count.span]: supplied.writingSampleCount,
    [attribute.profile_attribute_names.span]: supplied.profileAttributeNames,
    [attribute.preference_names.span]: supplied.preferenceNames,
    [attribute.memory_degraded.span]: supplied.degraded,
    [attribute.memory_fallback_used.span]: supplied.fallbackUsed,
    [attribute.fallback_reason.span]: supplied.degradedReason,
    ...refAttributes("input", supplied.refs?.slice(0, 32)),
  };
}

/** Attributes of the third stage. */
export function referencedFacts(referenced: ReferencedMemory): Facts {
  return {
    [attribute.referenced_count.span]: referenced.count,
    ...refAttributes("input", referenced.refs?.slice(0, 32)),
  };
}

/** A memory operation while it runs. */
export class MemoryOperation {
  readonly step: OpenStep;

  constructor(step: OpenStep) {
    this.step = step;
  }

  /** Ends it as a success, with the number of records when that is known. */
  succeed(recordCount?: number): Promise<void> {
    return this.step.end("success", { [attribute.record_count.span]: recordCount });
  }

  /** Ends it as failed, with the error's class, never its text. */
  fail(errorType?: string): Promise<void> {
    return this.step.end("error", {}, errorType);
  }
}
