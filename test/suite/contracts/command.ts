/**
 * @module Command: runs `turnproof` inside this process, with what it printed and its exit code.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import { run } from "../../../collector/src/cli/program.ts";

/** What a command left. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const commands = new AsyncLocalStorage<symbol>();

/** Runs a command. What others of this process write meanwhile is not the command's. */
export async function turnproof(...args: readonly string[]): Promise<Ran> {
  const written = { out: "", err: "" };
  const before = process.exitCode;
  const { stdout, stderr } = process;
  const write = { out: stdout.write.bind(stdout), err: stderr.write.bind(stderr) };
  const here = Symbol("command");
  const into = (name: "out" | "err") => (text: string | Uint8Array) => {
    if (commands.getStore() !== here) return write[name](text);
    written[name] += String(text);
    return true;
  };
  stdout.write = into("out");
  stderr.write = into("err");
  process.exitCode = undefined;
  const forget = [stdout, stderr].map(listenersFrom);
  try {
    await commands.run(here, () => run(["node", "turnproof", ...args]));
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    stdout.write = write.out;
    stderr.write = write.err;
    process.exitCode = before;
    for (const one of forget) one();
  }
}

/** Removes what listens to errors of a stream since; a command is usually one in its process. */
function listenersFrom(stream: NodeJS.WriteStream): () => void {
  const before = new Set(stream.listeners("error"));
  return () => {
    for (const listener of stream.listeners("error"))
      if (!before.has(listener)) stream.off("error", listener);
  };
}
