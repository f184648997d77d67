/**
 * Verifies a long audit log and prints what it took: `node -C @turnproof/source
 * test/bench/audit/run.ts [lines]`. Memory must not grow with the log.
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";

import { parseKeyring } from "@turnproof/semconv/fingerprint";

import { createSigner } from "../../../collector/src/access/audit/checkpoint.ts";
import { createTree, hashLeaf } from "../../../collector/src/access/audit/merkle.ts";
import { hashOfLine, leafOf, sealRecord } from "../../../collector/src/access/audit/record.ts";
import { openSalts, saltsFile } from "../../../collector/src/access/audit/salts.ts";
import { verifyAudit } from "../../../collector/src/access/audit/verify.ts";
import { createKeyring } from "../../../collector/src/access/keyring.ts";

const lines = Number(process.argv[2] ?? 1_000_000);
const dir = mkdtempSync(join(tmpdir(), "turnproof-audit-bench-"));
const file = join(dir, "audit.jsonl");
const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));
const signer = createSigner(dir, "bench");

/** The log and its checkpoints, as the writer makes them. */
async function write(): Promise<void> {
  const log = createWriteStream(file);
  const notes = createWriteStream(`${file}.checkpoints`);
  const salt = openSalts(saltsFile(file)).take("o.AAAAAAAAAAAAAAAAAAAAAA", 1);
  const tree = createTree();
  let prev = "0".repeat(64);
  for (let seq = 1; seq <= lines; seq += 1) {
    const record = {
      v: 2,
      seq,
      ts: "2026-11-25T10:00:00.000Z",
      event: "turns.read",
      route: "GET /traces",
      role: "viewer",
      op: "o.AAAAAAAAAAAAAAAAAAAAAA",
      result: "ok",
      prev,
      kid: "k1",
    } as const;
    const line = sealRecord(record, keyring, salt);
    prev = hashOfLine(line);
    tree.append(hashLeaf(leafOf(line)));
    if (seq % 100 === 0) notes.write(signer.note({ size: seq, root: tree.root() }));
    if (!log.write(`${line}\n`)) await once(log, "drain");
  }
  await Promise.all([log, notes].map((stream) => once(stream.end(), "close")));
}

await write();
let rssMax = 0;
const sample = setInterval(() => {
  rssMax = Math.max(rssMax, process.memoryUsage.rss());
}, 200);
const before = process.memoryUsage.rss();
const started = performance.now();
const { ok, records, checkpoints } = await verifyAudit({
  file,
  keyring: () => keyring,
  origin: "bench",
  publicKey: () => signer.publicKey,
});
clearInterval(sample);
const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);
process.stdout.write(
  `${JSON.stringify({
    ok,
    records,
    checkpoints,
    log_mb: megabytes(statSync(file).size),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    rss_before_mb: megabytes(before),
    rss_max_mb: megabytes(rssMax),
  })}\n`,
);
rmSync(dir, { recursive: true });
