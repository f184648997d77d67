/**
 * @module Ci: the commands of a pipeline alone. `packages/ci` bundles this file, so that a pipeline
 * installs no server and no engine.
 */
import { CommanderError } from "commander";

import { version } from "../version.ts";
import { surviveBrokenPipes } from "./broken-pipe.ts";
import { addCheckCommand } from "./check.ts";
import { addExportCommand } from "./export.ts";
import { addGateCommand } from "./gate.ts";
import { addReconcileCommand } from "./reconcile.ts";
import { HelpCommand } from "./help-command.ts";
import { exitCodes } from "./terminal.ts";

const program = new HelpCommand("turnproof-ci")
  .description("Contracts and the release gate over evidence of agents' turns.")
  .version(version)
  .exitOverride();
for (const add of [addCheckCommand, addGateCommand, addExportCommand, addReconcileCommand]) {
  add(program);
}
surviveBrokenPipes(program);
try {
  await program.parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
}
