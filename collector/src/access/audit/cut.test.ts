/** What is gone from beside or within the audit log at a start: it is found, and it stays found. */
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { expect, test, vi } from "vitest";

import { createKeyring } from "../keyring.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { auditState } from "./audit-state.ts";
import { createSigner } from "./checkpoint.ts";
import { openAudit } from "./log.ts";
import type { Audit } from "./contract.ts";
import { recoverChain } from "./recover.ts";
import { removeSalt } from "./salts.ts";
import { verifyAudit } from "./verify.ts";
import type { AuditVerification } from "./verify.ts";

const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));

interface Bench {
  readonly file: string;
  readonly open: () => Promise<Audit>;
  readonly verify: () => Promise<AuditVerification>;
}

function bench(): Bench {
  const dir = mkdtempSync(join(tmpdir(), "turnproof-cut-"));
  const file = join(dir, "audit.jsonl");
  const signer = createSigner(dir, "test");
  const pseudonyms = createPseudonyms({ auditScope: "test" });
  const at = { file, keyring: () => keyring, origin: "test", publicKey: () => signer.publicKey };
  return {
    file,
    open: () =>
      openAudit({
        file,
        keyring,
        pseudonyms,
        signer,
        check: (extent) => verifyAudit({ ...at, extent }),
      }),
    verify: () => verifyAudit(at),
  };
}

async function write(audit: Audit, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await audit.append({ event: "events.read", result: "ok", operator: "canary-name" });
  }
}

function sign(audit: Audit, subject: string): Promise<unknown> {
  return audit.append({ event: "statement.signed", role: "judge", result: "ok", subject });
}

test("a start finds a cut, the chain records it, and it stays found", async () => {
  const cuts: readonly (readonly [keep: number, ...gone: string[]])[] = [
    [49],
    [20],
    [0],
    [20, ".checkpoints"],
    [20, ".tree"],
    [0, ".checkpoints"],
  ];
  for (const [keep, ...gone] of cuts) {
    const { file, open, verify } = bench();
    const first = await open();
    await write(first, 50);
    await first.close();
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    if (keep === 0) rmSync(file);
    else writeFileSync(file, `${lines.slice(0, keep).join("\n")}\n`);
    for (const rest of gone) rmSync(`${file}${rest}`);
    const name = JSON.stringify([keep, ...gone]);
    expect((await verify()).findings, name).toEqual([{ code: "audit_cut", record: keep + 1 }]);
    // Fewer records than the cut took, and more.
    for (const records of [5, 60]) {
      const audit = await open();
      await write(audit, records);
      await vi.waitFor(() => expect(auditState(audit).checked).toBe(true));
      const damage = { code: "audit_cut", record: keep + 1, total: 1 };
      expect(auditState(audit).damage, name).toEqual(damage);
      await audit.close();
      expect((await verify()).findings, name).toEqual([{ code: "audit_cut", record: keep + 1 }]);
    }
    const recorded = readFileSync(file, "utf8").split("\n");
    expect(recorded.filter((line) => line.includes('"log.cut"'))).toHaveLength(1);
  }
});

test("a start finds that the file of salts is gone", async () => {
  const { file, open } = bench();
  const first = await open();
  await write(first, 3);
  await first.close();
  rmSync(`${file}.salts`);
  const audit = await open();
  await vi.waitFor(() => expect(auditState(audit).checked).toBe(true));
  await audit.close();
  expect(auditState(audit).damage).toEqual({ code: "audit_salts_missing", record: 1, total: 1 });
});

test("salts that no deletion removed are missed, also where their file is there", async () => {
  const { file, open, verify } = bench();
  const audit = await open();
  await write(audit, 3);
  for (const user of ["u.one", "u.two", "u.three"]) await sign(audit, user);
  await audit.append({ event: "user.deleted", role: "operator", result: "begun" });
  await audit.close();
  const salts = readFileSync(`${file}.salts`, "utf8");
  const without = (...names: readonly string[]): string =>
    salts
      .split("\n")
      .filter((line) => !names.some((name) => line.startsWith(`${name} `)))
      .join("\n");
  for (const [kept, record] of [
    ["", 1],
    [without("-"), 7],
    // A deletion removes both forms of an id.
    [without("u.one", "u.two"), undefined],
    [without("u.one", "u.two", "u.three"), 4],
  ] as const) {
    writeFileSync(`${file}.salts`, kept);
    const found = record === undefined ? [] : [{ code: "audit_salts_missing", record }];
    expect((await verify()).findings).toEqual(found);
  }
});

/** Verifies a log that was closed, whose file of salts was changed, and that was opened again. */
async function changedBetween(
  first: (audit: Audit) => Promise<unknown>,
  change: (salts: string) => void,
  then: (audit: Audit) => Promise<unknown>,
): Promise<AuditVerification> {
  const { file, open, verify } = bench();
  for (const step of [first, then]) {
    const audit = await open();
    await step(audit);
    await audit.close();
    if (step === first) change(`${file}.salts`);
  }
  return verify();
}

test("a user who returns after a deletion has another salt", async () => {
  const found = await changedBetween(
    async (audit) => {
      await sign(audit, "u.one");
      await audit.append({ event: "user.deleted", role: "operator", result: "begun" });
    },
    (salts) => removeSalt(salts, "u.one"),
    (audit) => sign(audit, "u.one"),
  );
  expect(found).toMatchObject({ records: 3, unsalted: 1, findings: [] });
});

test("a salt that was written in part spoils no other", async () => {
  const found = await changedBetween(
    (audit) => write(audit, 1),
    (salts) => appendFileSync(salts, "u.one AAAA"),
    (audit) => sign(audit, "u.two"),
  );
  expect(found).toMatchObject({ records: 2, unsalted: 0, findings: [] });
});

test("a log that is written while it is verified misses no salt", async () => {
  const { file, open, verify } = bench();
  const audit = await open();
  await write(audit, 1);
  const verified = verify();
  const salted = new Set(readFileSync(`${file}.salts`, "utf8").split("\n"));
  for (let user = 0; user < 20; user += 1) await sign(audit, `u.${user}`);
  expect(await verified).toMatchObject({ unsalted: 0, findings: [] });
  await audit.close();
  expect(readFileSync(`${file}.salts`, "utf8").split("\n").length).toBeGreaterThan(salted.size);
});

test("a log that cannot be read is not opened, so that no chain begins beside it", async () => {
  const { file, open } = bench();
  // Opened by root too, a link to itself fails.
  symlinkSync("audit.jsonl", file);
  await expect(recoverChain(file, keyring)).rejects.toMatchObject({
    code: "file_unreadable",
    field: "audit.jsonl",
  });
  await expect(open()).rejects.toMatchObject({ code: "audit_unavailable" });
});
