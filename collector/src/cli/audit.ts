/** @module `turnproof audit`: verifies the audit log, proves what it holds, and names its key. */
import { createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import type { Command } from "commander";

import { auditFileOf, retentionFileOf, retentionScopeOf } from "../access/audit/audit-file.ts";
import { checkpointKeyName, readPublicKey } from "../access/audit/checkpoint.ts";
import { findingAdvice, findingMeanings } from "../access/audit/finding-texts.ts";
import { originOf, readVerifierKey, signerFolder, verifierKey } from "../access/audit/note.ts";
import { proveConsistency, proveInclusion } from "../access/audit/proof.ts";
import { verifyAudit } from "../access/audit/verify.ts";
import { readKeyring, wasMade } from "../access/stable-secret.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { countedText } from "../ui/display/figures.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, fail, printJson, printTable, printable, write } from "./terminal.ts";

interface AuditFileFlags {
  readonly json?: boolean;
  readonly file?: string;
  readonly retention?: boolean;
  readonly dataDir?: string;
}

interface VerifyFlags extends AuditFileFlags {
  readonly checkpoints?: readonly string[];
  readonly pub?: string;
}

interface ProofFlags extends AuditFileFlags {
  readonly record?: string;
  readonly statement?: string;
  readonly size?: string;
  readonly from?: string;
}

const placed = (command: Command): Command =>
  withJson(command)
    .option("--file <path>", "audit file (default TURNPROOF_UI_AUDIT_LOG, else in the data dir)")
    .option("--retention", "the log of `turnproof retention` in the data directory instead")
    .option("--data-dir <dir>", "directory of the keys (default .turnproof)");

/** Adds the commands. */
export function addAuditCommand(program: Command): void {
  const audit = program.command("audit").description("the audit log");
  placed(audit.command("verify"))
    .description("check chain, seals, leaves and checkpoints of the audit log")
    .option("--checkpoints <paths...>", "shipped checkpoints: files, or folders of them")
    .option("--pub <path>", "public key of the checkpoints (PEM or verifier key), kept elsewhere")
    .addHelpText(
      "after",
      `
Exit code 0 when no record was changed or removed, 1 otherwise. A log that holds no record yet and
has no checkpoint was not cut; with a checkpoint it was. A cut of log, checkpoints and tree state
shows only against checkpoints that are kept elsewhere: set TURNPROOF_AUDIT_SHIP, and pass the
received ones with --checkpoints, in any order. Signed notes, lines of a syslog server and
checkpoints of earlier versions are read. A received one that is cut is named and changes no exit
code; where none is whole nothing was compared: exit code 2.`,
    )
    .action((flags: VerifyFlags) => attempt(flags, () => verify(flags)));
  placed(audit.command("key"))
    .description("print the verifier key of the checkpoints, for other tools")
    .action((flags: AuditFileFlags) => attempt(flags, async () => printKey(flags)));
  placed(audit.command("proof"))
    .description("print an inclusion proof of a record, or a consistency proof between two sizes")
    .option("--record <number>", "record to prove the inclusion of")
    .option("--statement <file>", "signed statement to prove the inclusion of")
    .option("--from <size>", "earlier size, to prove that the log continues it")
    .option("--size <size>", "size of the tree (default: the whole log)")
    .addHelpText("after", "\nHashes are SHA-256 in base64, as RFC 6962 orders them.")
    .action((flags: ProofFlags) => attempt(flags, () => prove(flags)));
}

interface AuditFiles {
  readonly config: Config;
  readonly file: string;
  /** Of the checkpoints. */
  readonly scope: string;
}

function auditFilesOf(flags: AuditFileFlags): AuditFiles {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const isRetention = flags.retention === true;
  const own = isRetention ? retentionFileOf(config) : auditFileOf(config);
  const scope = isRetention ? retentionScopeOf(config) : config.auditScope;
  return { config, file: flags.file ?? own, scope };
}

async function verify(flags: VerifyFlags): Promise<void> {
  const { config, file, scope } = auditFilesOf(flags);
  const publicKey = keyReader(flags.pub, config);
  const signer = (): string => signerFolder(originOf(scope), publicKey());
  const checkpoints = flags.checkpoints?.flatMap((path) => filesIn(path, signer));
  // A mistyped path must not count as an empty, unmodified log.
  const missing = checkpoints?.find((path) => !existsSync(path));
  if (missing !== undefined) {
    fail(`--checkpoints names ${printable(missing)}, where no file lies.`, exitCodes.usage);
    return;
  }
  const hasLog = ["", ".checkpoints", ".tree"].some((rest) => existsSync(`${file}${rest}`));
  // A checkpoint that was sent elsewhere contradicts a log that is gone.
  if (!hasLog && checkpoints === undefined) {
    fail(
      `No audit log or checkpoint lies at ${printable(file)}; name it with --file or --data-dir.`,
      exitCodes.usage,
    );
    return;
  }
  const result = await verifyAudit({
    file,
    keyring: () => readKeyring(config.sessionSecret, config.dataDir),
    origin: scope,
    publicKey,
    ...(checkpoints === undefined ? {} : { checkpoints }),
  });
  if (checkpoints !== undefined && result.checkpoints === 0) {
    // Such as a bucket that is not mounted: a cut would not show.
    const what = result.checkpoints_cut > 0 ? "Each checkpoint is cut" : "No checkpoint lies";
    fail(`${what} in what --checkpoints names; nothing was compared.`, exitCodes.usage);
    return;
  }
  if (flags.json === true) printJson(result);
  else {
    printTable(
      ["RECORD", "FINDING", "MEANS"],
      result.findings.map(({ code, record, checkpoints: count }) => [
        String(record),
        code,
        count === undefined
          ? findingMeanings[code]
          : `${findingMeanings[code]} (${count} checkpoints)`,
      ]),
      "No record was changed or removed.",
    );
    const more = result.findings_total - result.findings.length;
    if (more > 0) write(`${more} more findings.`);
    write(
      `${countedText(result.records, "record")}, ${countedText(result.checkpoints, "checkpoint")}.`,
    );
    const { checkpoints_cut: cut } = result;
    if (cut > 0) {
      write(
        `${countedText(cut, "received checkpoint")} ${cut === 1 ? "is" : "are"} there only in part, ` +
          "as a full disk or an interrupted copy leaves them: they cover no record, and are no sign " +
          "of a change.",
      );
    }
    for (const advice of new Set(result.findings.map(({ code }) => findingAdvice(code)))) {
      write(advice);
    }
    const isLost = result.findings.some(({ code }) => code === "audit_salts_missing");
    if (result.unsalted > 0 && !isLost) {
      write(
        `The salts of ${result.unsalted} records were removed, as a deletion of a user does: their ` +
          "contents rest on the seal alone.",
      );
    }
  }
  process.exitCode = result.ok ? exitCodes.ok : exitCodes.failed;
}

/**
 * The file itself, or the files of a folder by name, with those of its folder for this log's key: a
 * bucket has one for each key.
 */
function filesIn(path: string, signer: () => string): readonly string[] {
  if (!isFolder(path)) return [path];
  const entries = readdirSync(path)
    .toSorted()
    .map((name) => join(path, name));
  const files = entries.filter((entry) => statSync(entry).isFile());
  if (!entries.some(isFolder)) return files;
  const own = join(path, signer());
  return isFolder(own) ? [...files, ...filesIn(own, signer)] : files;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The named key, read at once; the data directory's is read when a checkpoint needs it. */
function keyReader(pub: string | undefined, config: Config): () => KeyObject {
  let key = pub === undefined ? undefined : readPub(pub);
  return () => (key ??= readPublicKey(config.dataDir));
}

/** @throws CodedError `config_invalid` when the file is no public key */
function readPub(pub: string): KeyObject {
  const text = readFileSync(pub, "utf8");
  try {
    return readVerifierKey(text)?.publicKey ?? createPublicKey(text);
  } catch (cause) {
    throw new CodedError("config_invalid", { field: "--pub", cause });
  }
}

function printKey(flags: AuditFileFlags): void {
  const { config, scope } = auditFilesOf(flags);
  if (!wasMade(config.dataDir, checkpointKeyName)) {
    const where = "it is made with the first record, when TURNPROOF_UI_AUDIT_LOG or sign-in is set";
    fail(`No audit log has a key in this data directory; ${where}.`, exitCodes.usage);
    return;
  }
  const key = verifierKey(originOf(scope), readPublicKey(config.dataDir));
  if (flags.json === true)
    printJson({ key, file: join(config.dataDir, "keys", checkpointKeyName) });
  else process.stdout.write(`${key}\n`);
}

async function prove(flags: ProofFlags): Promise<void> {
  const { file } = auditFilesOf(flags);
  const { record, statement, from, size } = flags;
  const numbers = [record, from, size].filter((text) => text !== undefined);
  const named = [record, statement, from].filter((text) => text !== undefined).length;
  if (named !== 1 || !numbers.every((text) => /^[1-9]\d{0,14}$/.test(text))) {
    fail("Name one of --record, --statement and --from; sizes are whole numbers.", exitCodes.usage);
    return;
  }
  const until = size === undefined ? undefined : Number(size);
  const of = statement === undefined ? Number(record) : readFileSync(statement, "utf8").trim();
  const proof =
    from === undefined
      ? await proveInclusion(file, of, until)
      : await proveConsistency(file, Number(from), until);
  if (proof !== undefined) return printJson(proof);
  fail("The log holds no such record or size.", exitCodes.failed);
}
