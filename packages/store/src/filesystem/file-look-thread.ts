/** @module FileLookThread: the other side of the look at an evidence file. */
import { parentPort, workerData } from "node:worker_threads";

import { codeOf } from "@turnproof/semconv";

import { lookAtEvidence } from "./evidence-look.ts";
import type { FileLookAnswer } from "./file-look.ts";

if (typeof workerData === "string") {
  const answer = await lookAtEvidence(workerData).then(
    (look): FileLookAnswer => ({ look }),
    (error: unknown): FileLookAnswer => ({
      code: codeOf(error),
    }),
  );
  parentPort?.postMessage(answer);
}
