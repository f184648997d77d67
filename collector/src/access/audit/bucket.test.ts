/**
 * A bucket as a place of checkpoints: two histories of one size and two collectors are kept beside
 * each other, and a log is verified against as many objects as there are.
 */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { expect, test, vi } from "vitest";

import { shipTargets } from "../../config/ship-targets.ts";
import { createKeyring } from "../keyring.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { createSigner } from "./checkpoint.ts";
import { receivedCheckpoints } from "./checkpoint-walk.ts";
import { openAudit } from "./log.ts";
import { originOf, signNote, signerFolder } from "./note.ts";
import { createShipper } from "./ship.ts";
import { verifyAudit } from "./verify.ts";

const log = { info: () => {}, warn: () => {}, error: () => {} };
const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));

/** A bucket that keeps each object as a file. */
async function openBucket() {
  const folder = mkdtempSync(join(tmpdir(), "turnproof-bucket-"));
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = join(folder, request.url ?? "");
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, body);
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const targets = shipTargets.parse(`s3+http://127.0.0.1:${port}/kept`);
  const s3 = { keyId: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI", region: "eu-central-1" };
  const shipper = () => createShipper({ targets, secrets: { s3 }, log });
  return { folder: join(folder, "kept"), shipper, close: () => server.close() };
}

/** A log of one directory whose checkpoints reach the bucket at its end. */
function openLog(shipper: () => ReturnType<typeof createShipper>) {
  const directory = mkdtempSync(join(tmpdir(), "turnproof-bucket-log-"));
  const file = join(directory, "audit.jsonl");
  const signer = createSigner(directory, "test");
  const pseudonyms = createPseudonyms({ auditScope: "test" });
  const write = async (count: number): Promise<void> => {
    const to = shipper();
    const audit = await openAudit({ file, keyring, pseudonyms, signer, shipper: to });
    for (let at = 0; at < count; at += 1)
      await audit.append({ event: "events.read", result: "ok" });
    await audit.close();
    await to.close(5_000);
  };
  const folder = signerFolder(originOf("test"), signer.publicKey);
  const verify = async (checkpoints: readonly string[]) =>
    verifyAudit({
      file,
      checkpoints,
      keyring: () => keyring,
      origin: "test",
      publicKey: () => signer.publicKey,
    });
  return { file, folder, write, verify };
}

test("a log that was cut and grew again differs from the objects of its bucket", async () => {
  const bucket = await openBucket();
  const own = openLog(bucket.shipper);
  const other = openLog(bucket.shipper);
  await own.write(20);
  await other.write(20);
  const folder = join(bucket.folder, own.folder);
  const files = () => readdirSync(folder).map((name) => join(folder, name));
  expect(readdirSync(bucket.folder).toSorted()).toEqual([own.folder, other.folder].toSorted());
  expect(await own.verify(files())).toMatchObject({ ok: true, records: 20 });
  // Another history of the same size, without a trace beside the log.
  const lines = readFileSync(own.file, "utf8").trimEnd().split("\n");
  writeFileSync(own.file, `${lines.slice(0, 10).join("\n")}\n`);
  for (const rest of [".checkpoints", ".tree"]) writeFileSync(`${own.file}${rest}`, "");
  await own.write(10);
  expect(files().length).toBeGreaterThan(1);
  expect(await own.verify(files())).toMatchObject({
    ok: false,
    findings: [{ code: "audit_history_differs", record: 20 }],
  });
  bucket.close();
});

test("files of one checkpoint are read in the order of their sizes, and none stays open", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnproof-bucket-many-"));
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const sizes = Array.from({ length: 200 }, (_, at) => ((at * 7) % 200) + 1);
  const root = Buffer.alloc(32, 1);
  const paths = sizes.map((size, at) => {
    const path = join(folder, String(at));
    writeFileSync(path, signNote(originOf("test"), { size, root }, privateKey));
    return path;
  });
  const open = (): number => readdirSync("/proc/self/fd").length;
  const before = open();
  const walk = await receivedCheckpoints(paths, { scope: "test", publicKey: () => publicKey });
  await vi.waitFor(() => expect(open()).toBeLessThan(before + 20));
  const found: number[] = [];
  for (let size = 0; size <= 200; size += 50) {
    for (let next = await walk.due(size); next !== undefined; next = await walk.due(size)) {
      if ("size" in next.checkpoint) found.push(next.checkpoint.size);
    }
    expect(found).toEqual(Array.from({ length: size }, (_, at) => at + 1));
  }
  expect(walk.count).toBe(200);
});
