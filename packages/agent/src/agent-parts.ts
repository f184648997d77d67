/**
 * @module AgentParts: the parts of an agent, built from its options. Nothing here belongs to a
 * turn or a user.
 */
import { randomBytes } from "node:crypto";

import { lexicalEmbedder, Memory } from "@turnproof/memory";
import { CodedError } from "@turnproof/semconv";
import { keyedFingerprint, parseKeyring } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

import type { AgentOptions } from "./agent-options.ts";
import { currentModel } from "./older-model.ts";
import { SharedTools } from "./shared-tools.ts";
import type { AgentParts } from "./parts.ts";

/**
 * Builds the parts.
 * @throws CodedError record_invalid when two tools have one name, model_unsupported for anything
 * but a model of AI SDK 5, 6 or 7, config_invalid for a key that is none
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
  const key = callKey();
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

/** Variable with the key under which inputs of tools are fingerprinted. */
const keyVariable = "TURNPROOF_FINGERPRINT_KEY";

/**
 * The configured key, by which fingerprints of several runs can be compared; else one of this
 * process, whose name no other process has. Tool inputs are short and guessable: a hash without a
 * key would reveal them.
 */
function callKey(): Key {
  const given = process.env[keyVariable]?.trim() ?? "";
  if (given === "") return { kid: `p${randomBytes(5).toString("hex")}`, secret: randomBytes(32) };
  try {
    return parseKeyring(given)[0];
  } catch (cause) {
    throw new CodedError("config_invalid", { field: keyVariable, cause });
  }
}
