/** @module Program: the commands of `turnproof` and their help. */
import { CommanderError } from "commander";
import type { Command } from "commander";

import { version } from "../version.ts";
import { surviveBrokenPipes } from "./broken-pipe.ts";
import { HelpCommand } from "./help-command.ts";
import { exitCodes } from "./terminal.ts";

type AddCommand = (program: Command) => void;

/**
 * The commands in the order of the help, each with its module. A start evaluates the modules of
 * its command alone, which is half of its time.
 */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  ui: async () => (await import("./ui.ts")).addUiCommand,
  canary: async () => (await import("./canary.ts")).addCanaryCommand,
  reconcile: async () => (await import("./reconcile.ts")).addReconcileCommand,
  check: async () => (await import("./check.ts")).addCheckCommand,
  gate: async () => (await import("./gate.ts")).addGateCommand,
  verify: async () => (await import("./verify.ts")).addVerifyCommand,
  find: async () => (await import("./find.ts")).addFindCommand,
  tail: async () => (await import("./tail.ts")).addTailCommand,
  export: async () => (await import("./export.ts")).addExportCommand,
  "evidence-pack": async () => (await import("./evidence-pack.ts")).addEvidencePackCommand,
  mcp: async () => (await import("./mcp.ts")).addMcpCommand,
  doctor: async () => (await import("./doctor.ts")).addDoctorCommand,
  token: async () => (await import("./token.ts")).addTokenCommand,
  audit: async () => (await import("./audit.ts")).addAuditCommand,
  journal: async () => (await import("./journal.ts")).addJournalCommand,
  import: async () => (await import("./import.ts")).addImportCommand,
  migrate: async () => (await import("./migrate.ts")).addMigrateCommand,
  backfill: async () => (await import("./backfill.ts")).addBackfillCommands,
  parity: async () => (await import("./backfill.ts")).addBackfillCommands,
  retention: async () => (await import("./retention.ts")).addRetentionCommand,
  "delete-user": async () => (await import("./delete-user.ts")).addDeleteUserCommand,
  backup: async () => (await import("./backup.ts")).addBackupCommand,
  restore: async () => (await import("./restore.ts")).addRestoreCommand,
};

/** The command line, with these commands; by default with all. */
export async function createProgram(
  names: readonly string[] = Object.keys(commands),
): Promise<Command> {
  const program = new HelpCommand("turnproof")
    .description("The OpenTelemetry-native evidence layer for AI agents.")
    .version(version)
    .showSuggestionAfterError()
    .exitOverride()
    .addHelpText(
      "after",
      `
Start the collector, then point any OpenTelemetry app at it:
  turnproof
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 node app.js

Commands that call a running collector take --url and --token; all commands except ui and
mcp take --json.
Exit codes: 0 success, 1 failure or a negative result, 2 wrong arguments or configuration,
3 partial result, 4 unknown; of verify also 5 and 6 (verify --help); 141 closed output.`,
    );
  // A module with two commands adds them once.
  const adding = new Set(await Promise.all(names.flatMap((name) => commands[name]?.() ?? [])));
  for (const add of adding) add(program);
  return program;
}

/** Runs the command line; sets the exit code and returns when the command is done. */
export async function run(argv: readonly string[]): Promise<void> {
  const known = Object.keys(commands);
  const [, , word = ""] = argv;
  const program = await createProgram(neededFor(argv.slice(2)));
  surviveBrokenPipes(program);
  try {
    // The default command would take a mistyped command name for its own argument.
    if (isMistyped(word)) {
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

/** The commands that these words can mean; the help needs all of them. */
function neededFor(words: readonly string[]): readonly string[] | undefined {
  const [word = ""] = words;
  // A word that is no command is refused before any command parses its options.
  if (word === "--version" || word === "-V" || isMistyped(word)) return [];
  if (Object.hasOwn(commands, word)) return [word];
  const isDefault = (word === "" || word.startsWith("-")) && !words.some(isOfProgram);
  return isDefault ? ["ui"] : undefined;
}

function isMistyped(word: string): boolean {
  return /^[a-z]/.test(word) && word !== "help" && !Object.hasOwn(commands, word);
}

/** True for a command, and for the flags of the program itself. */
function isOfProgram(word: string): boolean {
  return Object.hasOwn(commands, word) || ["help", "-h", "--help"].includes(word);
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
