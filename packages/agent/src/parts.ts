/** @module Parts: what an agent is made of. Nothing here belongs to a turn or a user. */
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Turn } from "@turnproof/instrumentation";
import type { Embedder, Memory, SemanticCache } from "@turnproof/memory";
import type { IdentityOptions } from "@turnproof/semconv";

import type { AgentOptions } from "./agent-options.ts";
import type { AnyTool } from "./tools.ts";
import type { TurnState } from "./turn-state.ts";

/** The tools of each turn: the agent's own, and those that operators approved. */
export interface TurnTools {
  of(parts: AgentParts, state: TurnState): Promise<readonly AnyTool[]>;
  /** Closes the connections to tool servers. */
  close(): Promise<void>;
}

/** The fixed parts of an agent. */
export interface AgentParts extends Pick<IdentityOptions, "agentId"> {
  readonly options: AgentOptions;
  readonly model: LanguageModelV4;
  readonly memory: Memory;
  readonly embedder: Embedder;
  readonly cache: SemanticCache | undefined;
  readonly tools: readonly AnyTool[];
  readonly sharedTools: TurnTools;
  readonly callFingerprint: (text: string) => string;
  /** Instructions of the persona; reading a stored one is recorded in the turn. */
  readonly personaInstructions: (turn: Turn) => Promise<string | undefined>;
}
