/** The audit log: chained, sealed, recovered, rotated, and every tampering found. */
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { renameSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { expect, test } from "vitest";

import { createKeyring } from "../auth/keyring.ts";
import { createPseudonyms } from "../auth/pseudonyms.ts";
import { createSigner } from "./checkpoint.ts";
import { openAudit } from "./log.ts";
import type { Audit } from "./log.ts";
import { verifyAudit } from "./verify.ts";
import type { AuditVerification } from "./verify.ts";

const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));

interface Bench {
  readonly dir: string;
  readonly file: string;
  readonly open: (bytesMax?: number) => Promise<Audit>;
  readonly verify: () => Promise<AuditVerification>;
}

function bench(): Bench {
  const dir = mkdtempSync(join(tmpdir(), "turnproof-audit-"));
  const file = join(dir, "audit.jsonl");
  const signer = createSigner(dir, "test");
  const pseudonyms = createPseudonyms({ auditScope: "test" });
  return {
    dir,
    file,
    open: (bytesMax) =>
      openAudit({ file, keyring, pseudonyms, signer, ...(bytesMax ? { bytesMax } : {}) }),
    verify: () => verifyAudit({ file, keyring, origin: "test", publicKey: signer.publicKey }),
  };
}

async function write(audit: Audit, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await audit.append({ event: "events.read", result: "ok", operator: "canary-name" });
  }
}

test("records are chained, private and hold no name", async () => {
  const { file, open, verify } = bench();
  const audit = await open();
  await Promise.all(
    Array.from({ length: 50 }, () =>
      audit.append({ event: "turns.read", result: "ok", operator: "canary-name", client: "::1" }),
    ),
  );
  await audit.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  expect(text).not.toContain("canary");
  expect(text).not.toContain("::1");
  expect(await verify()).toMatchObject({ ok: true, records: 50, checkpoints: 1 });
});

test("the chain goes on after a restart, and a torn line is set aside", async () => {
  const { file, open, verify } = bench();
  const first = await open();
  await write(first, 3);
  await first.close();
  appendFileSync(file, '{"v":1,"seq":4,"torn');
  const second = await open();
  await write(second, 2);
  await second.close();
  expect(readFileSync(`${file}.torn`, "utf8")).toContain("torn");
  expect(await verify()).toMatchObject({ ok: true, records: 6 });
});

test("rotation keeps the chain over files", async () => {
  const { dir, open, verify } = bench();
  const audit = await open(2_000);
  await write(audit, 40);
  await audit.close();
  expect(
    readdirSync(dir).filter((name) => /^audit\.jsonl\.\d+$/.test(name)).length,
  ).toBeGreaterThan(2);
  expect(await verify()).toMatchObject({ ok: true, records: 40 });
  const again = await open(2_000);
  await write(again, 1);
  await again.close();
  expect(await verify()).toMatchObject({ ok: true, records: 41 });
});

test("a log that is moved away under us is opened anew, and the cut shows", async () => {
  const { file, open, verify } = bench();
  const audit = await open();
  await write(audit, 3);
  renameSync(file, `${file}-elsewhere`);
  await write(audit, 1);
  await audit.close();
  expect(readFileSync(file, "utf8")).toContain("log.reopened");
  expect((await verify()).ok).toBe(false);
});

test("every edit, cut, swap, insertion and deletion is found", async () => {
  const { file, open, verify } = bench();
  const audit = await open();
  await write(audit, 8);
  await audit.close();
  const good = readFileSync(file, "utf8");
  const lines = good.trimEnd().split("\n");
  const tampered: string[] = [];
  for (let index = 0; index < good.length; index += 7) {
    const flipped = String.fromCharCode(good.charCodeAt(index) ^ 1);
    tampered.push(good.slice(0, index) + flipped + good.slice(index + 1));
  }
  for (let index = 0; index < lines.length; index += 1) {
    tampered.push(`${lines.toSpliced(index, 1).join("\n")}\n`);
    tampered.push(`${lines.toSpliced(index, 0, lines[index] ?? "").join("\n")}\n`);
    tampered.push(`${lines.slice(0, index).join("\n")}\n`);
    const next = lines[index + 1];
    if (next !== undefined) {
      tampered.push(`${lines.toSpliced(index, 2, next, lines[index] ?? "").join("\n")}\n`);
    }
  }
  for (const text of tampered) {
    writeFileSync(file, text);
    expect((await verify()).ok, JSON.stringify(text.slice(0, 80))).toBe(false);
  }
  rmSync(file);
  expect((await verify()).ok).toBe(false);
  writeFileSync(file, good);
  expect((await verify()).ok).toBe(true);
});

test("one writer per file", async () => {
  const { open } = bench();
  const audit = await open();
  await expect(open()).rejects.toMatchObject({ code: "audit_unavailable" });
  await audit.close();
  await (await open()).close();
});
