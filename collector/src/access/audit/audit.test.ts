/** The audit log: chained, sealed, recovered, rotated; every tampering is found. */
import { createHash, createHmac, createPrivateKey, sign } from "node:crypto";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { expect, test, vi } from "vitest";

import { createKeyring } from "../keyring.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { auditState } from "./audit-state.ts";
import type { AuditState } from "./audit-state.ts";
import { createSigner } from "./checkpoint.ts";
import { openAudit } from "./log.ts";
import type { Audit } from "./contract.ts";
import type { Append } from "./reserve.ts";
import { verifyAudit } from "./verify.ts";
import type { AuditVerification } from "./verify.ts";

const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));

interface Bench {
  readonly dir: string;
  readonly file: string;
  readonly open: (bytesMax?: number, append?: Append) => Promise<Audit>;
  readonly verify: () => Promise<AuditVerification>;
}

/** Another set of times for the log. */
type Times = Pick<Parameters<typeof openAudit>[0], "checkpointAfterMs">;

function bench(times: Times = {}): Bench {
  const dir = mkdtempSync(join(tmpdir(), "turnproof-audit-"));
  const file = join(dir, "audit.jsonl");
  const signer = createSigner(dir, "test");
  const pseudonyms = createPseudonyms({ auditScope: "test" });
  const at = { file, keyring: () => keyring, origin: "test", publicKey: () => signer.publicKey };
  return {
    dir,
    file,
    open: (bytesMax, append) =>
      openAudit({
        file,
        keyring,
        pseudonyms,
        signer,
        ...(bytesMax ? { bytesMax } : {}),
        ...(append ? { append } : {}),
        ...times,
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

test("one line that was dropped or edited is one finding", async () => {
  const { file, open, verify } = bench();
  // Each run ends with a checkpoint, so that most of them come after the change.
  for (const _ of [1, 2, 3, 4]) {
    const audit = await open();
    await write(audit, 3);
    await audit.close();
  }
  const whole = readFileSync(file, "utf8");
  const lines = whole.trimEnd().split("\n");
  for (const [index, line] of lines.entries()) {
    const others = lines.toSpliced(index, 1);
    writeFileSync(file, `${others.join("\n")}\n`);
    const dropped = await verify();
    expect([index, dropped.ok, dropped.findings.length]).toEqual([index, false, 1]);
    const edited = line.replace('"result":"ok"', '"result":"no"');
    writeFileSync(file, `${lines.with(index, edited).join("\n")}\n`);
    const changed = await verify();
    expect([index, changed.ok, changed.findings.length]).toEqual([index, false, 1]);
  }
  writeFileSync(file, whole);
  expect(await verify()).toMatchObject({ ok: true });
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

/** A log as version 1 wrote it: lines without leaves, a checkpoint over the last line. */
function firstLog({ dir, file }: Bench, records: number): void {
  const key = keyring.current("audit/v1");
  let prev = "0".repeat(64);
  const lines: string[] = [];
  for (let seq = 1; seq <= records; seq += 1) {
    const ts = "2026-11-01T10:00:00.000Z";
    const record = { v: 1, seq, ts, event: "events.read", result: "ok", prev, kid: key.kid };
    const body = JSON.stringify(record);
    const mac = createHmac("sha256", key.secret).update(`audit\n${body}`).digest("base64url");
    const line = `${body.slice(0, -1)},"mac":"${mac}"}`;
    prev = createHash("sha256").update(line).digest("hex");
    lines.push(line);
  }
  const ts = "2026-11-01T10:00:01.000Z";
  const text = `turnproof audit checkpoint v1\ntest\n${records}\n${prev}\n${ts}\n`;
  const pem = readFileSync(join(dir, "keys", "audit-checkpoint.pem"), "utf8");
  const sig = sign(null, Buffer.from(text), createPrivateKey(pem)).toString("base64url");
  const checkpoint = { origin: "test", seq: records, head: prev, ts, sig };
  writeFileSync(file, `${lines.join("\n")}\n`);
  writeFileSync(`${file}.checkpoints`, `${JSON.stringify(checkpoint)}\n`);
}

test("a log of version 1 stays verifiable, and goes on as one of version 2", async () => {
  const made = bench();
  firstLog(made, 12);
  expect(await made.verify()).toMatchObject({ ok: true, records: 12, checkpoints: 1 });
  const audit = await made.open();
  await write(audit, 5);
  await audit.close();
  expect(await made.verify()).toMatchObject({ ok: true, records: 17, checkpoints: 2 });
  const good = readFileSync(made.file, "utf8");
  const lines = good.trimEnd().split("\n");
  for (const [index, line] of lines.entries()) {
    const edited = line.replace('"result":"ok"', '"result":"no"');
    writeFileSync(made.file, `${lines.with(index, edited).join("\n")}\n`);
    expect([index, (await made.verify()).findings.length]).toEqual([index, 1]);
  }
  writeFileSync(made.file, `${lines.slice(0, 11).join("\n")}\n`);
  expect((await made.verify()).findings[0]?.code).toBe("audit_cut");
});

test("a start goes on from the kept tree, and does without it", async () => {
  const { file, open, verify } = bench();
  for (const kept of [true, false, true]) {
    const audit = await open(2_000);
    await write(audit, 23);
    await audit.close();
    if (!kept) rmSync(`${file}.tree`);
    else if (readdirSync(join(file, "..")).length > 20) writeFileSync(`${file}.tree`, "{");
  }
  expect(await verify()).toMatchObject({ ok: true, records: 69, checkpoints: 3 });
});

test("a start says what was done to the records that were there", async () => {
  const made = bench();
  const first = await made.open();
  await write(first, 6);
  await first.close();
  const reopened = async (): Promise<AuditState> => {
    const audit = await made.open();
    await write(audit, 3);
    await vi.waitFor(() => expect(auditState(audit).checked).toBe(true));
    const state = auditState(audit);
    await audit.close();
    return state;
  };
  expect(await reopened()).toMatchObject({ healthy: true, damage: null });
  const lines = readFileSync(made.file, "utf8").trimEnd().split("\n");
  const edited = (lines[2] ?? "").replace('"result":"ok"', '"result":"no"');
  writeFileSync(made.file, `${lines.with(2, edited).join("\n")}\n`);
  const damage = { code: "audit_seal_broken", record: 3, total: 1 };
  expect(await reopened()).toMatchObject({ healthy: true, damage });
});

test("one writer per file", async () => {
  const { open } = bench();
  const audit = await open();
  await expect(open()).rejects.toMatchObject({ code: "audit_unavailable" });
  await audit.close();
  await (await open()).close();
});

/**
 * A disk with room for this many bytes in one directory; the last write before it is full is cut.
 */
function smallDisk(dir: string, room: { bytes: number }): Append {
  return async (handle, text) => {
    const used = readdirSync(dir).reduce((sum, name) => {
      const found = statSync(join(dir, name), { throwIfNoEntry: false });
      return sum + (found?.isFile() === true ? found.size : 0);
    }, 0);
    const left = Math.max(0, room.bytes - used);
    await handle.appendFile(text.slice(0, left));
    if (left < text.length) throw Object.assign(new Error("full"), { code: "ENOSPC" });
  };
}

test("a full disk is recorded in the space that was kept, nothing is taken, and it recovers", async () => {
  const { dir, file, open, verify } = bench();
  const room = { bytes: 100_000 };
  const audit = await open(undefined, smallDisk(dir, room));
  await write(audit, 3);
  const events = (): string[] =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
  let written = 3;
  while (written < 500) {
    const entry = { event: "events.read", result: "ok" };
    if (
      !(await audit.append(entry).then(
        () => true,
        () => false,
      ))
    )
      break;
    written += 1;
  }
  expect(written).toBeLessThan(500);
  expect(audit.healthy).toBe(false);
  expect(() => audit.requireWritable()).toThrow(expect.objectContaining({ code: "disk_full" }));
  // However many attempts on a full disk: a single record reports it.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await expect(write(audit, 1)).rejects.toMatchObject({ code: "disk_full" });
  }
  expect(events()).toHaveLength(written + 1);
  expect(events().at(-1)).toBe("log.full");
  expect((await verify()).ok).toBe(true);
  room.bytes = 1_000_000;
  await write(audit, 2);
  expect(audit.healthy).toBe(true);
  expect(events().slice(-3)).toEqual(["log.resumed", "events.read", "events.read"]);
  // The space is reserved again for the next time.
  expect(statSync(`${file}.reserve`).size).toBeGreaterThan(10_000);
  await audit.close();
  expect(await verify()).toMatchObject({ ok: true, records: written + 4 });
});

test("a full disk at a checkpoint or a rotation leaves both files whole", async () => {
  const { dir, open, verify } = bench();
  const room = { bytes: 1_000_000 };
  const audit = await open(3_000, smallDisk(dir, room));
  for (let round = 0; round < 12; round += 1) {
    await write(audit, 13);
    const used = readdirSync(dir).reduce((sum, name) => {
      const found = statSync(join(dir, name));
      return sum + (found.isFile() ? found.size : 0);
    }, 0);
    room.bytes = used + round * 70;
    for (let attempt = 0; attempt < 3; attempt += 1) await write(audit, 1).catch(() => {});
    room.bytes = 1_000_000;
  }
  await audit.close();
  expect(await verify()).toMatchObject({ ok: true, findings: [] });
});

test("the last records before a quiet time get a checkpoint", async () => {
  const { file, open, verify } = bench({ checkpointAfterMs: 50 });
  const log = await open();
  await log.append({ event: "turns.read", result: "ok" });
  await log.append({ event: "turns.read", result: "ok" });
  const heads = (): readonly string[] => {
    try {
      return readFileSync(`${file}.checkpoints`, "utf8").match(/^\d+$/gm) ?? [];
    } catch {
      return []; // Before the first checkpoint there is no file.
    }
  };
  await vi.waitFor(() => expect(heads().at(-1)).toBe("2"), { timeout: 10_000 });
  const before = heads().length;
  // A log without a new record has no new checkpoint.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(heads().length).toBe(before);
  writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0] ?? ""}\n`);
  expect((await verify()).findings).toEqual([{ code: "audit_cut", record: 2 }]);
  await log.close();
});
