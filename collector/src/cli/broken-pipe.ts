/**
 * @module Broken pipe: a reader that wants no more (`turnproof export | head`) ends a command as it
 * ends any other program of a shell, and never the collector, which serves on without its output.
 */
import type { Command } from "commander";

/** What a shell reports of a program that SIGPIPE ended. */
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
