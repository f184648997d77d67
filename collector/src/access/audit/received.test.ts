/**
 * Checkpoints that were received elsewhere: their order and repeats are no finding, each root is
 * compared, and a note that is there in part is no sign of a change.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { expect, test } from "vitest";

import { createKeyring } from "../keyring.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { createSigner } from "./checkpoint.ts";
import { openAudit } from "./log.ts";
import { verifyAudit } from "./verify.ts";

const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));
const pseudonyms = createPseudonyms({ auditScope: "test" });

/** A log of twelve records with a checkpoint after each third one, in the order of their sizes. */
async function written(keys?: string) {
  const dir = mkdtempSync(join(tmpdir(), "turnproof-received-"));
  const signer = createSigner(keys ?? dir, "test");
  const notes: string[] = [];
  const shipper = {
    ship: (_: number, note: string) => void notes.push(note),
    state: { targets: 0, shipped: null, failing: 0, failures: 0 },
    close: async () => {},
  };
  const file = join(dir, "audit.jsonl");
  const options = { file, keyring, pseudonyms, signer, shipper, checkpointAfterMs: 0 };
  const audit = await openAudit(options);
  for (let batch = 0; batch < 4; batch += 1) {
    const entry = { event: "events.read", result: "ok" } as const;
    await Promise.all([entry, entry, entry].map((one) => audit.append(one)));
  }
  await audit.close();
  const verify = (checkpoints?: readonly string[]) =>
    verifyAudit({
      file,
      keyring: () => keyring,
      origin: "test",
      publicKey: () => signer.publicKey,
      ...(checkpoints === undefined ? {} : { checkpoints }),
    });
  const received = async (text: string) => {
    const path = join(dir, "received");
    writeFileSync(path, text);
    return verify([path]);
  };
  return { dir, file, notes, verify, received };
}

/** A line of a syslog server. */
function syslogged(note: string): string {
  return `Nov 29 12:00:00 host turnproof[1]: checkpoint=${Buffer.from(note).toString("base64")}\n`;
}

test("the order of received notes and their repeats are no finding", async () => {
  const { notes, received } = await written();
  const [one = "", two = "", three = "", four = ""] = notes;
  expect(notes).toHaveLength(4);
  const orders = [
    [two, one, three, four],
    [four, three, two, one],
    [three, one, one, four, three, two, one],
  ];
  for (const order of orders) {
    for (const text of [order.join(""), order.map((note) => syslogged(note)).join("")]) {
      const found = await received(text);
      expect(found).toMatchObject({ ok: true, checkpoints: order.length, findings: [] });
    }
  }
});

test("each received note has its root compared, wherever it stands", async () => {
  const { dir, notes, received } = await written();
  // The same key signs another history of the same sizes.
  const fork = await written(dir);
  for (const [at, other] of fork.notes.entries()) {
    expect(other).not.toBe(notes[at]);
    const differs = [{ code: "audit_history_differs", record: (at + 1) * 3 }];
    // Last, first, and beside the note of the log at this size: two histories.
    const orders = [
      [...notes.toReversed(), other],
      [other, ...notes],
      notes.with(at, other).toReversed(),
      // A note that was edited hides no other history.
      [(notes[0] ?? "").replace("\n3\n", "\n2\n"), other],
    ];
    for (const [index, order] of orders.entries()) {
      const { ok, findings } = await received(order.join(""));
      expect([ok, findings]).toEqual([false, expect.arrayContaining(differs)]);
      expect(findings).toHaveLength(index === 3 ? 2 : 1);
    }
  }
});

test("in the file beside the log a smaller size after a larger one is a finding", async () => {
  const { file, notes, verify } = await written();
  expect(readFileSync(`${file}.checkpoints`, "utf8")).toBe(notes.join(""));
  const [one = "", two = "", ...rest] = notes;
  writeFileSync(`${file}.checkpoints`, [two, one, ...rest].join(""));
  expect((await verify()).findings).toEqual([{ code: "audit_checkpoint_broken", record: 3 }]);
});

test("a received note that is cut is counted, and the one glued to it is compared", async () => {
  const { dir, notes, received } = await written();
  const [one = "", two = "", three = ""] = notes;
  const [, other = ""] = (await written(dir)).notes;
  const bytes = Buffer.from(two);
  for (let end = 1; end < bytes.length - 1; end += 1) {
    // Also within a character.
    const part = bytes.subarray(0, end).toString();
    const whole = await received(one + part + three);
    expect([end, whole]).toEqual([
      end,
      expect.objectContaining({ ok: true, checkpoints: 2, checkpoints_cut: 1, findings: [] }),
    ]);
    const differs = [{ code: "audit_history_differs", record: 6 }];
    expect([end, (await received(one + part + other)).findings]).toEqual([end, differs]);
  }
  // Only its newline is missing.
  expect(await received(one.trimEnd() + two)).toMatchObject({ checkpoints: 2, checkpoints_cut: 0 });
  const cutLine = syslogged(two).slice(0, -80);
  const found = await received(`${syslogged(one)}${cutLine}\n${syslogged(three)}`);
  expect(found).toMatchObject({ ok: true, checkpoints: 2, checkpoints_cut: 1 });
});

test("lines of other programs in a received file are no checkpoint", async () => {
  const { notes, received } = await written();
  const other =
    "Nov 29 12:00:00 host sshd[7]: a session was opened\nNov 29 12:00:01 host cron: ran\n";
  const lines = notes.map((note) => other + syslogged(note)).join("") + other;
  const found = { ok: true, checkpoints: 4, checkpoints_cut: 0, findings: [] };
  expect(await received(lines)).toMatchObject(found);
  expect(await received(other)).toMatchObject({ checkpoints: 0, checkpoints_cut: 0 });
});

test("a note beside the log that is cut is damage of its own name", async () => {
  const { file, notes, verify } = await written();
  const [one = "", two = "", three = ""] = notes;
  writeFileSync(`${file}.checkpoints`, one + two.slice(0, 30) + three);
  expect(await verify()).toMatchObject({ ok: false, checkpoints: 3, checkpoints_cut: 0 });
  expect((await verify()).findings).toEqual([{ code: "audit_checkpoint_cut", record: 3 }]);
  // No other program writes there.
  writeFileSync(`${file}.checkpoints`, `${one}another line\n`);
  expect((await verify()).findings).toMatchObject([{ code: "audit_checkpoint_cut" }]);
});
