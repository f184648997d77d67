/** @module The worker's process from the desk's side: jobs in, answers out. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import type { NoteDone, NoteJob } from "./note-worker.ts";

/** A running worker. */
export interface NoteWorker extends AsyncDisposable {
  work(job: NoteJob): Promise<NoteDone>;
}

const file = fileURLToPath(new URL("note-worker.ts", import.meta.url));

/** Starts a worker whose telemetry goes to `endpoint`. */
export function startNoteWorker(endpoint: string): NoteWorker {
  const child = fork(file, [], {
    execArgv: ["--conditions=@turnproof/source"],
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  });
  const gone = once(child, "exit");
  return {
    async work(job) {
      const answer = once(child, "message") as Promise<[NoteDone]>;
      child.send(job);
      const ended = gone.then(([code]): never => {
        throw new Error(`the worker ended with ${code}`);
      });
      const [done] = await Promise.race([answer, ended]);
      return done;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}
