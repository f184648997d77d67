/**
 * @module AgentParts: the parts of an agent, built from its options. Nothing here belongs to a
 * turn or a user.
 */
import { randomBytes } from "node:crypto";

import { lexicalEmbedder, Memory } from "@turnproof/memory";
import { CodedError } from "@turnproof/semconv";
import { keyedFingerprint } from "@turnproof/semconv/fingerprint";

import type { AgentOptions } from "./agent-options.ts";
import { currentModel } from "./older-model.ts";
import { SharedTools } from "./shared-tools.ts";
import type { AgentParts } from "./parts.ts";

/**
 * Builds the parts.
 * @throws CodedError record_invalid when two tools have one name, model_unsupported for anything
 * but a model of AI SDK 5, 6 or 7
 */
export function agentParts(options: AgentOptions): AgentParts {
  const tools = options.tools ?? [];
  if (new Set(tools.map(({ name }) => name)).size < tools.length) {
    throw new CodedError("record_invalid", { field: "tools" });
  }
  const embedder = options.embedder ?? lexicalEmbedder();
  const { fingerprint } = options;
  const memory = new Memory(options.store, {
    embedder,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  // Tool inputs are short and guessable: a hash without a key of this process would reveal them.
  const key = { kid: "k1", secret: randomBytes(32) };
  return {
    options,
    model: currentModel(options.model),
    agentId: options.agentId ?? "agent",
    memory,
    embedder,
    tools,
    sharedTools: new SharedTools(),
    cache: options.cache === undefined ? undefined : memory.cache(options.cache),
    callFingerprint:
      fingerprint ?? ((text) => keyedFingerprint(text, { key, purpose: "tool-call" })),
    personaInstructions: async (turn) => {
      const { persona } = options;
      if (typeof persona !== "string") return persona?.instructions;
      const stored = await memory.shared.of("persona").get(persona, turn);
      if (stored === undefined) throw new CodedError("not_found", { field: "persona" });
      const told = stored.data["instructions"];
      return typeof told === "string" ? told : stored.text;
    },
  };
}
