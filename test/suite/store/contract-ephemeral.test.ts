/** @module The reference store under its own contract. */
import { ephemeral } from "@turnproof/store";
import { contract, evidenceClauses } from "@turnproof/store/testing";

contract("ephemeral", evidenceClauses, { open: async () => ephemeral() });
