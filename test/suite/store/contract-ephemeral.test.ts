/** @module The reference store under its own contract. */
import { ephemeral } from "@turnproof/store";
import { contract, evidenceClauses, isolationClauses } from "@turnproof/store/testing";

import { effort } from "./effort.ts";

contract("ephemeral", [...evidenceClauses, ...isolationClauses], {
  open: async () => ephemeral(),
  effort,
});
