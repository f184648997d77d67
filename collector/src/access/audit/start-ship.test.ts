/** A start sends the newest checkpoint again, and makes one for records that a kill left. */
import { appendFileSync, cpSync, mkdtempSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { afterEach, expect, test, vi } from "vitest";

import { shipTargets } from "../../config/ship-targets.ts";
import { createKeyring } from "../keyring.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { createSigner } from "./checkpoint.ts";
import type { Audit } from "./contract.ts";
import { openAudit } from "./log.ts";
import { createShipper } from "./ship.ts";
import { verifyAudit } from "./verify.ts";

const log = { info: () => {}, warn: () => {}, error: () => {} };
const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));
const pseudonyms = createPseudonyms({ auditScope: "test" });
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A receiver that keeps what it takes in one file, as `--checkpoints` reads it. */
async function openReceiver() {
  const kept = join(mkdtempSync(join(tmpdir(), "turnproof-start-kept-")), "notes");
  const receiver = { status: 500, kept, url: "", notes: [] as string[] };
  const server = createServer((request, response) => {
    void text(request).then((note) => {
      if (receiver.status === 200) {
        receiver.notes.push(note);
        appendFileSync(kept, note);
      }
      response.writeHead(receiver.status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}

async function open(dir: string, url: string, checkpointAfterMs = 3_600_000): Promise<Audit> {
  const shipper = createShipper({ targets: shipTargets.parse(url), secrets: {}, log });
  const file = join(dir, "audit.jsonl");
  const signer = createSigner(dir, "test");
  return openAudit({ file, keyring, pseudonyms, signer, shipper, checkpointAfterMs });
}

async function write(audit: Audit, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await audit.append({ event: "events.read", result: "ok" });
}

const folder = (): string => mkdtempSync(join(tmpdir(), "turnproof-start-"));

test("a start sends the newest checkpoint that a target missed, without a new record", async () => {
  const dir = folder();
  const receiver = await openReceiver();
  const first = await open(dir, receiver.url);
  await write(first, 3);
  await first.close();
  expect(first.shipping).toMatchObject({ shipped: null, failing: 1 });
  receiver.status = 200;
  const audit = await open(dir, receiver.url);
  closing.push(() => audit.close());
  await vi.waitFor(() => expect(audit.shipping?.shipped).toBe(3));
  expect(audit.records).toBe(3);
  const file = join(dir, "audit.jsonl");
  expect(receiver.notes).toEqual([readFileSync(`${file}.checkpoints`, "utf8")]);
  // Each start sends it again.
  await audit.close();
  closing.pop();
  const again = await open(dir, receiver.url);
  await vi.waitFor(() => expect(again.shipping?.shipped).toBe(3));
  await again.close();
  expect(new Set(receiver.notes).size).toBe(1);
  const found = await verifyAudit({
    file,
    keyring: () => keyring,
    origin: "test",
    publicKey: () => createSigner(dir, "test").publicKey,
    checkpoints: [receiver.kept],
  });
  expect(found).toMatchObject({ ok: true, checkpoints: receiver.notes.length, findings: [] });
});

test("records that a kill left after the newest checkpoint get one, without a new record", async () => {
  const [dir, killed] = [folder(), folder()];
  const receiver = await openReceiver();
  receiver.status = 200;
  const first = await open(dir, receiver.url);
  await write(first, 3);
  await first.close();
  const running = await open(dir, receiver.url);
  closing.push(() => running.close());
  await write(running, 2);
  cpSync(dir, killed, { recursive: true, filter: (path) => !path.endsWith(".lock") });
  receiver.notes.length = 0;
  const audit = await open(killed, receiver.url, 50);
  closing.push(() => audit.close());
  await vi.waitFor(() => expect(audit.shipping?.shipped).toBe(5), { timeout: 10_000 });
  expect(receiver.notes.map((note) => note.split("\n")[1])).toEqual(["3", "5"]);
  expect(audit.records).toBe(5);
});

test("where a crash left a part of a note, the one before it is sent", async () => {
  for (const part of [4, 30, -20, -1]) {
    const dir = folder();
    const receiver = await openReceiver();
    const first = await open(dir, receiver.url);
    await write(first, 3);
    await first.close();
    const checkpoints = join(dir, "audit.jsonl.checkpoints");
    const note = readFileSync(checkpoints, "utf8");
    appendFileSync(checkpoints, note.slice(0, part));
    receiver.status = 200;
    const audit = await open(dir, receiver.url);
    await vi.waitFor(() => expect([part, receiver.notes]).toEqual([part, [note]]));
    await audit.close();
  }
});
