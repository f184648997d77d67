/**
 * @module AgentParts: the parts of an agent, built from its options. Nothing here belongs to a
 * turn or a user.
 */
import { randomBytes } from "node:crypto";

import { lexicalEmbedder, Memory } from "@turnproof/memory";
import { CodedError, keyedCalls } from "@turnproof/semconv";
import type { CallFingerprint } from "@turnproof/semconv";
import { callPurpose, keyedFingerprint } from "@turnproof/semconv/fingerprint";

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
  return {
    options,
    model: currentModel(options.model),
    agentId: options.agentId ?? "agent",
    memory,
    embedder,
    tools,
    sharedTools: new SharedTools(),
    cache: options.cache === undefined ? undefined : memory.cache(options.cache),
    callFingerprint: fingerprint ?? callFingerprint(),
    personaInstructions: async (turn) => {
      const { persona } = options;
      if (typeof persona !== "string") return persona?.instructions;
      const stored = await memory.shared.of("persona").get(persona, turn);
      if (stored === undefined) throw new CodedError("not_found", { field: "persona" });
      const reported = stored.data["instructions"];
      return typeof reported === "string" ? reported : stored.text;
    },
  };
}

/**
 * Fingerprints by the configured key of the process, whose results of several runs can be compared;
 * else by one of this agent, whose name no other has. Tool inputs are short and guessable: a hash
 * without a key would reveal them.
 */
function callFingerprint(): CallFingerprint {
  const key = { kid: `p${randomBytes(5).toString("hex")}`, secret: randomBytes(32) };
  const own: CallFingerprint = (text) => keyedFingerprint(text, { key, purpose: callPurpose });
  return (text) => (keyedCalls() ?? own)(text);
}
