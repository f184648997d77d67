/** @module Receiver process: starts `receiver-child.ts` and exchanges messages with it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ChildMeasures, ChildOptions } from "./receiver-child.ts";

/** A receiver in its own process. */
export interface ReceiverProcess {
  readonly url: string;
  request(what: "measures" | "reset" | "idle"): Promise<ChildMeasures>;
  readonly directory: string;
  /** Ends the process; its directory goes with it unless it is kept. */
  close(options?: { readonly keep?: boolean }): Promise<void>;
  /** Removes the directory that was kept. */
  remove(): Promise<void>;
}

const file = fileURLToPath(new URL("receiver-child.ts", import.meta.url));

/** Starts a receiver over a fresh directory. */
export async function startReceiver(
  options: Omit<ChildOptions, "directory">,
): Promise<ReceiverProcess> {
  const directory = await mkdtemp(join(tmpdir(), "receiver-"));
  const argument = JSON.stringify({ ...options, directory } satisfies ChildOptions);
  const child = fork(file, [argument], {
    execArgv: ["--conditions=@turnproof/source", "--expose-gc"],
  });
  const exited = once(child, "exit");
  const [hello] = (await once(child, "message")) as [{ readonly url: string }];
  const request = async (what: string): Promise<ChildMeasures> => {
    const answer = once(child, "message") as Promise<[ChildMeasures]>;
    child.send({ request: what });
    return (await answer)[0];
  };
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  return {
    url: hello.url,
    request,
    directory,
    async close(closing = {}) {
      await request("close");
      await exited;
      if (closing.keep !== true) await remove();
    },
    remove,
  };
}
