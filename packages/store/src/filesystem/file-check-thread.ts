/** @module FileCheckThread: the other side of the check of an evidence file. */
import { parentPort, workerData } from "node:worker_threads";

import { codeOf } from "@turnproof/semconv";

import { checkEvidenceFile } from "./evidence-check.ts";
import type { FileCheckResult } from "./file-check.ts";

if (typeof workerData === "string") {
  const answer = await checkEvidenceFile(workerData).then(
    (look): FileCheckResult => ({ look }),
    (error: unknown): FileCheckResult => ({
      code: codeOf(error),
    }),
  );
  parentPort?.postMessage(answer);
}
