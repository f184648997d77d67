/** @module The reference memory under its own contract. */
import { ephemeralMemory } from "@turnproof/store";
import { contract, memoryClauses, memoryIsolationClauses } from "@turnproof/store/testing";

import { effort } from "./effort.ts";

contract("ephemeral memory", [...memoryClauses, ...memoryIsolationClauses], {
  openMemory: async () => ephemeralMemory(),
  effort,
});
