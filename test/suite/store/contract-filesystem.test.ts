/** @module The filesystem under the whole contract: evidence, memory, isolation of both. */
import { filesystem } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";
import { afterAll } from "vitest";

import { effort } from "./effort.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

certifyEvidence("filesystem", {
  open: async () => (await filesystem({ directory: await directories.make() })).evidence,
  openMemory: async () => (await filesystem({ directory: await directories.make() })).memory,
  async lasting() {
    const directory = await directories.make();
    return async () => (await filesystem({ directory })).evidence;
  },
  effort,
});
