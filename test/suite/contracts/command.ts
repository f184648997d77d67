/** @module Command: runs `turnproof` inside this process, with what it printed and its exit code. */
import { run } from "../../../collector/src/cli/program.ts";

/** What a command left. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command. */
export async function turnproof(...args: readonly string[]): Promise<Ran> {
  const written = { out: "", err: "" };
  const before = process.exitCode;
  const { stdout, stderr } = process;
  const write = { out: stdout.write.bind(stdout), err: stderr.write.bind(stderr) };
  const into = (name: "out" | "err") => (text: string | Uint8Array) => {
    written[name] += String(text);
    return true;
  };
  stdout.write = into("out");
  stderr.write = into("err");
  process.exitCode = undefined;
  try {
    await run(["node", "turnproof", ...args]);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    stdout.write = write.out;
    stderr.write = write.err;
    process.exitCode = before;
  }
}
