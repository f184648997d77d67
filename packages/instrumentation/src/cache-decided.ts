/** @module CacheDecided: what a semantic cache decided, as attributes. */
import { attribute } from "@turnproof/semconv";
import type { CacheDecision } from "@turnproof/semconv";

import type { Facts } from "./observation.ts";

/** Decision of a semantic cache. The provider's own cached tokens are recorded elsewhere. */
export interface CacheDecided {
  readonly decision: CacheDecision;
  readonly reason?: string;
  /** Fingerprint of the request: model, instructions, tools, data version, context. */
  readonly fingerprint?: string;
  readonly similarity?: number;
}

/** A decision as attributes. */
export function cacheFacts({ decision, reason, fingerprint, similarity }: CacheDecided): Facts {
  return {
    [attribute.cache_decision.span]: decision,
    [attribute.cache_bypass_reason.span]: reason,
    [attribute.cache_fingerprint.span]: fingerprint,
    [attribute.cache_similarity.span]: similarity,
  };
}
