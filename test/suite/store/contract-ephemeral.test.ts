/** @module The reference store under its own contract. */
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";

import { effort } from "./effort.ts";

certifyEvidence("ephemeral", {
  open: async () => ephemeral(),
  openMemory: async () => ephemeralMemory(),
  lasting: async () => async () => ephemeral(),
  effort,
});
