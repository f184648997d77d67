/** @module `turnproof audit verify`: walks the audit log and reports where it was modified. */
import { createPublicKey } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import type { Command } from "commander";

import { createSigner } from "../access/audit/checkpoint.ts";
import { verifyAudit } from "../access/audit/verify.ts";
import { openKeyring } from "../access/stable-secret.ts";
import { readConfig } from "../config/config.ts";
import { withJson } from "./command.ts";
import { attempt } from "./failure.ts";
import { exitCodes, fail, printJson, printTable, say } from "./terminal.ts";

interface AuditFlags {
  readonly json?: boolean;
  readonly file?: string;
  readonly checkpoints?: string;
  readonly pub?: string;
  readonly dataDir?: string;
}

/** Adds the command. */
export function addAuditCommand(program: Command): void {
  const audit = program.command("audit").description("the audit log");
  withJson(audit.command("verify"))
    .description("check chain, seals and checkpoints of the audit log")
    .option("--file <path>", "audit file (default TURNPROOF_UI_AUDIT_LOG, else in the data dir)")
    .option("--checkpoints <path>", "checkpoints kept in another place than beside the file")
    .option("--pub <path>", "public key of the checkpoints (PEM), when kept elsewhere")
    .option("--data-dir <dir>", "directory of the keys (default .turnproof)")
    .addHelpText(
      "after",
      `
Exit code 0 when nothing was touched, 1 otherwise. Records that are missing at the
end show only against checkpoints: keep a copy of them elsewhere, and name it with --checkpoints.`,
    )
    .action((flags: AuditFlags) => attempt(flags, () => verify(flags)));
}

async function verify(flags: AuditFlags): Promise<void> {
  const config = readConfig(flags.dataDir === undefined ? {} : { dataDir: flags.dataDir });
  const file = flags.file ?? config.auditLog ?? join(config.dataDir, "audit.jsonl");
  // A mistyped path must not count as an empty, unmodified log.
  if (!existsSync(file) && !existsSync(flags.checkpoints ?? `${file}.checkpoints`)) {
    fail("No audit log lies there; name it with --file or --data-dir.", exitCodes.usage);
    return;
  }
  const publicKey =
    flags.pub === undefined
      ? createSigner(config.dataDir, config.auditScope).publicKey
      : createPublicKey(await readFile(flags.pub));
  const result = await verifyAudit({
    file,
    keyring: openKeyring(config.sessionSecret, config.dataDir),
    origin: config.auditScope,
    publicKey,
    ...(flags.checkpoints === undefined ? {} : { checkpoints: flags.checkpoints }),
  });
  if (flags.json === true) printJson(result);
  else {
    printTable(
      ["RECORD", "FINDING"],
      result.findings.map((finding) => [String(finding.record), finding.code]),
      "Nothing was touched.",
    );
    say(`${result.records} records, ${result.checkpoints} checkpoints.`);
  }
  process.exitCode = result.ok ? exitCodes.ok : exitCodes.failed;
}
