/**
 * @module Program: the commands of `turnproof` and what their help teaches (design 6.5).
 */
import { Command, CommanderError } from "commander";

import { version } from "../collector.ts";
import { exitCodes } from "./terminal.ts";
import { addUiCommand } from "./ui.ts";

/** Runs the command line; sets the exit code and returns when the command is done. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command("turnproof")
    .description("The OpenTelemetry-native evidence layer for AI agents.")
    .version(version)
    .showHelpAfterError("(turnproof --help shows the commands)")
    .showSuggestionAfterError()
    .exitOverride();
  addUiCommand(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}
