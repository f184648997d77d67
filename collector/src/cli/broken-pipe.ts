/**
 * @module Broken pipe: a closed output (`turnproof export
 * head`) ends a command as it ends any other program, but never the collector, which continues
 * without its output.
 */
import type { Command } from "commander";

/** Exit code that a shell reports for a program ended by SIGPIPE. */
const brokenPipe = 141;

/** Listens on both outputs of the process; any other error of theirs is thrown as before. */
export function surviveBrokenPipes(program: Command): void {
  let serving = false;
  program.hook("preAction", (_program, command) => {
    serving = command.name() === "ui";
  });
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (!serving) process.exit(brokenPipe);
    });
  }
}
