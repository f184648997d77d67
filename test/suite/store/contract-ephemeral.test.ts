/** @module The reference store under its own contract. */
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import {
  capabilityClauses,
  contract,
  evidenceClauses,
  isolationClauses,
} from "@turnproof/store/testing";

import { effort } from "./effort.ts";

contract("ephemeral", [...capabilityClauses, ...evidenceClauses, ...isolationClauses], {
  open: async () => ephemeral(),
  openMemory: async () => ephemeralMemory(),
  lasting: async () => async () => ephemeral(),
  effort,
});
