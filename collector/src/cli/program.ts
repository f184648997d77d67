/** @module Program: the commands of `turnproof` and their help. */
import { Command, CommanderError } from "commander";

import { version } from "../version.ts";
import { addAuditCommand } from "./audit.ts";
import { addBackfillCommands } from "./backfill.ts";
import { addBackupCommand } from "./backup.ts";
import { surviveBrokenPipes } from "./broken-pipe.ts";
import { addCanaryCommand } from "./canary.ts";
import { addCheckCommand } from "./check.ts";
import { addDeleteUserCommand } from "./delete-user.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addEvidencePackCommand } from "./evidence-pack.ts";
import { addExportCommand } from "./export.ts";
import { addFindCommand } from "./find.ts";
import { addGateCommand } from "./gate.ts";
import { addImportCommand } from "./import.ts";
import { addJournalCommand } from "./journal.ts";
import { addMcpCommand } from "./mcp.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addReconcileCommand } from "./reconcile.ts";
import { addRestoreCommand } from "./restore.ts";
import { addRetentionCommand } from "./retention.ts";
import { addTailCommand } from "./tail.ts";
import { exitCodes } from "./terminal.ts";
import { addTokenCommand } from "./token.ts";
import { addUiCommand } from "./ui.ts";
import { addVerifyCommand } from "./verify.ts";

/** The whole command line. */
export function createProgram(): Command {
  const program = new Command("turnproof")
    .description("The OpenTelemetry-native evidence layer for AI agents.")
    .version(version)
    .showHelpAfterError("(turnproof --help shows the commands)")
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      "after",
      `
Start the collector, then point any OpenTelemetry app at it:
  turnproof
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node app.js

Commands that call a running collector take --url and --token; all commands take --json.
Exit codes: 0 success, 1 failure or a negative result, 2 wrong arguments or configuration,
3 partial result, 4 unknown.`,
    );
  for (const add of [
    addUiCommand,
    addCanaryCommand,
    addReconcileCommand,
    addCheckCommand,
    addGateCommand,
    addVerifyCommand,
    addFindCommand,
    addTailCommand,
    addExportCommand,
    addEvidencePackCommand,
    addMcpCommand,
    addDoctorCommand,
    addTokenCommand,
    addAuditCommand,
    addJournalCommand,
    addImportCommand,
    addMigrateCommand,
    addBackfillCommands,
    addRetentionCommand,
    addDeleteUserCommand,
    addBackupCommand,
    addRestoreCommand,
  ]) {
    add(program);
  }
  return program;
}

/** Runs the command line; sets the exit code and returns when the command is done. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = createProgram();
  surviveBrokenPipes(program);
  try {
    const [, , word = ""] = argv;
    const known = program.commands.map((command) => command.name());
    // The default command would take a mistyped command name for its own argument.
    if (/^[a-z]/.test(word) && word !== "help" && !known.includes(word)) {
      const meant = known.filter((name) => isNear(name, word));
      const which = meant.length > 0 ? `did you mean ${meant.join(" or ")}?` : known.join(", ");
      program.error(`error: there is no command of that name; ${which}`);
    }
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}

/** True when the words differ by one inserted, missing, wrong or swapped letter. */
function isNear(name: string, word: string): boolean {
  if (name.startsWith(word) || word.startsWith(name)) return true;
  let same = 0;
  while (same < name.length && name[same] === word[same]) same += 1;
  const [rest, given] = [name.slice(same), word.slice(same)];
  const swapped = `${given[1] ?? ""}${given[0] ?? ""}${given.slice(2)}`;
  return (
    rest === given.slice(1) ||
    rest.slice(1) === given ||
    rest.slice(1) === given.slice(1) ||
    rest === swapped
  );
}
