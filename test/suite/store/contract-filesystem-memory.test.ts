/** @module Memory on the filesystem under the contract, and mutants of it. */
import { filesystem } from "@turnproof/store";
import { contract, memoryClauses, memoryIsolationClauses } from "@turnproof/store/testing";
import { afterAll } from "vitest";

import { effort } from "./effort.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

contract("filesystem memory", [...memoryClauses, ...memoryIsolationClauses], {
  openMemory: async () => (await filesystem({ directory: await directories.make() })).memory,
  effort,
});
