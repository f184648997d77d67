/**
 * Checkpoints and proofs of the audit log as others read them: the notes and inclusion proofs by
 * sigstore's verifier, consistency by the algorithm of RFC 9162 (2.1.4.2), written here anew.
 */
import { createHash, createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { expect, test } from "vitest";

import { createKeyring } from "../keyring.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { createSigner } from "./checkpoint.ts";
import { openAudit } from "./log.ts";
import { hashOfStatement } from "./logged-statement.ts";
import { createTree, hashLeaf } from "./merkle.ts";
import { readVerifierKey, verifierKey } from "./note.ts";
import { proveConsistency, proveInclusion } from "./proof.ts";
import { deletedEvent } from "./record.ts";
import { removeSalt, saltsFile } from "./salts.ts";
import { verifyAudit } from "./verify.ts";

/** Parts of sigstore's verifier, which takes checkpoints and proofs of a log of its own. */
const load = createRequire(import.meta.url);
const { verifyCheckpoint } = load("@sigstore/verify/dist/tlog/checkpoint.js") as {
  verifyCheckpoint: (entry: object, logs: readonly object[]) => { logSize: bigint };
};
const { verifyMerkleInclusion } = load("@sigstore/verify/dist/tlog/merkle.js") as {
  verifyMerkleInclusion: (entry: object, checkpoint: object) => void;
};

const keyring = createKeyring(parseKeyring("0123456789abcdef0123456789abcdef"));
const pseudonyms = createPseudonyms({ auditScope: "test" });

async function written(
  records: number,
  of: (index: number) => { event?: string; statement?: string; subject?: string } = () => ({}),
) {
  const dir = mkdtempSync(join(tmpdir(), "turnproof-foreign-"));
  const file = join(dir, "audit.jsonl");
  const signer = createSigner(dir, "test");
  const notes = new Map<number, string>();
  const shipper = {
    ship: (size: number, note: string) => void notes.set(size, note),
    state: { targets: 0, shipped: null, failing: 0, failures: 0 },
    close: async () => {},
  };
  const audit = await openAudit({ file, keyring, pseudonyms, signer, shipper, bytesMax: 20_000 });
  for (let index = 0; index < records; index += 1) {
    const operator = `operator-${index % 3}`;
    await audit.append({ event: "events.read", result: "ok", operator, ...of(index) });
  }
  await audit.close();
  const verify = (checkpoints?: readonly string[], publicKey = signer.publicKey, keys = keyring) =>
    verifyAudit({
      file,
      keyring: () => keys,
      origin: "test",
      publicKey: () => publicKey,
      ...(checkpoints === undefined ? {} : { checkpoints }),
    });
  return { dir, file, signer, notes, verify };
}

/** The log as sigstore describes one: from nothing but its verifier key. */
function foreignLog(vkey: string): object {
  // The key itself may hold a plus.
  const [name = "", hint = "", ...rest] = vkey.split("+");
  const key = rest.join("+");
  const raw = Buffer.from(key, "base64").subarray(1);
  const prefix = Buffer.from("302a300506032b6570032100", "hex");
  const publicKey = createPublicKey({
    key: Buffer.concat([prefix, raw]),
    format: "der",
    type: "spki",
  });
  return { logID: Buffer.from(hint, "hex"), baseURL: `https://${name}`, publicKey };
}

test("sigstore's verifier takes each checkpoint, and the inclusion of records in it", async () => {
  const { file, signer, notes } = await written(230);
  expect([...notes.keys()].length).toBeGreaterThanOrEqual(3);
  const log = foreignLog(verifierKey(signer.origin, signer.publicKey));
  for (const [size, envelope] of notes) {
    for (const record of [1, 2, 37, 64, 65, size - 1, size]) {
      const proof = await proveInclusion(file, record, size);
      const entry = {
        canonicalizedBody: Buffer.from(proof?.leaf ?? "", "base64"),
        inclusionProof: {
          logIndex: String(proof?.index),
          treeSize: String(size),
          rootHash: Buffer.from(proof?.root ?? "", "base64"),
          hashes: proof?.hashes.map((hash) => Buffer.from(hash, "base64")),
          checkpoint: { envelope },
        },
      };
      const checkpoint = verifyCheckpoint(entry, [log]);
      expect(Number(checkpoint.logSize)).toBe(size);
      verifyMerkleInclusion(entry, checkpoint);
      const other = { ...entry, canonicalizedBody: Buffer.alloc(32, 1) };
      expect(() => verifyMerkleInclusion(other, checkpoint)).toThrow(/root hash/);
    }
    const edited = envelope.replace(`\n${size}\n`, `\n${size + 1}\n`);
    const entry = { inclusionProof: { checkpoint: { envelope: edited } } };
    expect(() => verifyCheckpoint(entry, [log])).toThrow(/signature/);
  }
});

test("each state of the log continues each earlier one", async () => {
  const { file } = await written(40);
  for (let from = 1; from <= 40; from += 1) {
    for (let to = from; to <= 40; to += 1) {
      const proof = await proveConsistency(file, from, to);
      expect([from, to, proof !== undefined && isConsistent(proof)]).toEqual([from, to, true]);
      const damaged = proof?.hashes.map((hash, index) => (index === 0 ? other(hash) : hash)) ?? [];
      if (proof !== undefined && damaged.length > 0) {
        expect(isConsistent({ ...proof, hashes: damaged })).toBe(false);
      }
    }
  }
  expect(await proveConsistency(file, 41)).toBeUndefined();
  expect(await proveInclusion(file, 41)).toBeUndefined();
});

test("the tree is the one of RFC 6962's test vectors", () => {
  const leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"];
  const roots: readonly string[] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  ];
  let tree = createTree();
  for (const [index, leaf] of leaves.entries()) {
    tree.append(hashLeaf(Buffer.from(leaf, "hex")));
    expect(tree.root().toString("hex")).toBe(roots[index]);
    tree = createTree(tree.state());
    expect(tree.root().toString("hex")).toBe(roots[index]);
  }
});

test("a signed statement is proven by its text, and without the salt its leaf says nothing", async () => {
  const statement = hashOfStatement("a.b.c");
  const { file, verify } = await written(9, (index) => {
    if (index === 8) return { event: deletedEvent };
    return index === 4 ? { statement, subject: "u.someone" } : {};
  });
  const proof = await proveInclusion(file, "a.b.c");
  expect(proof).toMatchObject({ record: 5, size: 9 });
  expect(await proveInclusion(file, "a.b.d")).toBeUndefined();
  const line = readFileSync(file, "utf8").split("\n")[4] ?? "";
  const plain = `${line.slice(0, line.indexOf(',"leaf"'))}}`;
  const salts = readFileSync(saltsFile(file), "utf8");
  const salt = /^u\.someone (\S+)$/m.exec(salts)?.[1] ?? "";
  const committed = createHmac("sha256", Buffer.from(salt, "base64url")).update(plain).digest();
  expect(committed.toString("base64")).toBe(proof?.leaf);
  expect(await verify()).toMatchObject({ ok: true, records: 9, unsalted: 0 });
  expect(removeSalt(saltsFile(file), "u.someone")).toBe(true);
  expect(readFileSync(saltsFile(file), "utf8")).not.toContain(salt);
  // What no leaf contradicts any more is counted.
  expect(await verify()).toMatchObject({ ok: true, records: 9, unsalted: 1 });
  expect(await proveInclusion(file, "a.b.c")).toEqual(proof);
});

test("a history that is signed anew differs from a checkpoint kept elsewhere", async () => {
  const { dir, file, signer, notes, verify } = await written(120);
  const [first = ""] = notes.values();
  const kept = join(dir, "shipped.checkpoint");
  writeFileSync(kept, first);
  expect(await verify([kept])).toMatchObject({ ok: true, checkpoints: 1 });
  // The operator has all keys, writes the same number of records again and signs them.
  const again = join(mkdtempSync(join(tmpdir(), "turnproof-again-")), "audit.jsonl");
  const audit = await openAudit({ file: again, keyring, pseudonyms, signer });
  for (let index = 0; index < 120; index += 1) {
    await audit.append({ event: "events.read", result: "ok", operator: "operator-0" });
  }
  await audit.close();
  const check = (checkpoints?: readonly string[]) =>
    verifyAudit({
      file: again,
      keyring: () => keyring,
      origin: "test",
      publicKey: () => signer.publicKey,
      ...(checkpoints === undefined ? {} : { checkpoints }),
    });
  expect(await check()).toMatchObject({ ok: true });
  expect((await check([kept])).findings).toEqual([{ code: "audit_history_differs", record: 100 }]);
  // A cut tail, with its own checkpoints and the state of the tree cut as well.
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  writeFileSync(file, `${lines.slice(0, -30).join("\n")}\n`);
  writeFileSync(`${file}.checkpoints`, "");
  expect((await verify()).findings.map(({ code }) => code)).toEqual(["audit_cut"]);
  rmSync(`${file}.tree`);
  expect(await verify()).toMatchObject({ ok: true });
  const all = join(dir, "all.checkpoints");
  writeFileSync(all, [...notes.values()].join(""));
  expect((await verify([all])).findings.map(({ code }) => code)).toContain("audit_cut");
  const syslog = join(dir, "syslog");
  const [last = ""] = [...notes.values()].slice(-1);
  const shipped = Buffer.from(last).toString("base64");
  writeFileSync(syslog, `Nov 25 04:00:00 host turnproof[1]: checkpoint=${shipped}\n`);
  expect((await verify([syslog])).findings.map(({ code }) => code)).toEqual(["audit_cut"]);
});

test("a wrong key is said to be one, of checkpoints and of lines", async () => {
  const { verify } = await written(130);
  const { publicKey } = generateKeyPairSync("ed25519");
  const checkpoints = await verify(undefined, publicKey);
  expect(checkpoints).toMatchObject({
    checkpoints: 2,
    findings: [{ code: "audit_wrong_key", record: 1, checkpoints: 2 }],
    findings_total: 1,
  });
  const others = createKeyring(parseKeyring("fedcba9876543210fedcba9876543210"));
  expect((await verify(undefined, undefined, others)).findings).toEqual([
    { code: "audit_wrong_key", record: 1 },
  ]);
});

test("lines of an earlier key are a wrong key, and an edited one among them is found", async () => {
  const { dir, file, signer, verify } = await written(20);
  const others = createKeyring(parseKeyring("fedcba9876543210fedcba9876543210"));
  const again = await openAudit({ file, keyring: others, pseudonyms, signer });
  for (let index = 0; index < 5; index += 1) {
    await again.append({ event: "events.read", result: "ok", operator: "operator-1" });
  }
  await again.close();
  expect(await verify(undefined, undefined, others)).toMatchObject({
    findings: [{ code: "audit_wrong_key", record: 1 }],
    findings_total: 1,
  });
  // No line of a known key proves that those at the end are as they were written.
  expect((await verify()).findings.map(({ record }) => record)).toEqual([21, 22, 23, 24, 25]);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const edited = lines.with(9, (lines[9] ?? "").replace('"ok"', '"no"'));
  expect(edited).not.toEqual(lines);
  writeFileSync(file, `${edited.join("\n")}\n`);
  const { findings } = await verify(undefined, undefined, others);
  expect(findings).toContainEqual({ code: "audit_seal_broken", record: 10 });
  expect(findings).toContainEqual({ code: "audit_wrong_key", record: 11 });
  rmSync(dir, { recursive: true });
});

test("a received file that ends within its last checkpoint was cut, not edited", async () => {
  const { dir, notes, verify } = await written(130);
  const whole = [...notes.values()].join("");
  const lastAt = whole.length - ([...notes.values()].at(-1) ?? "").length;
  const shipped = join(dir, "shipped.checkpoint");
  const found = async (text: string): Promise<readonly unknown[]> => {
    writeFileSync(shipped, text);
    const { ok, checkpoints, checkpoints_cut: cut, findings } = await verify([shipped]);
    return [ok, checkpoints, cut, ...findings.map(({ code }) => code)];
  };
  expect(await found(whole)).toEqual([true, 2, 0]);
  // All but its newline is there.
  expect(await found(whole.slice(0, -1))).toEqual([true, 2, 0]);
  for (let end = lastAt + 1; end < whole.length - 1; end += 1) {
    expect([end, ...(await found(whole.slice(0, end)))]).toEqual([end, true, 1, 1]);
  }
  const line = `shipped checkpoint=${Buffer.from(whole.slice(lastAt)).toString("base64")}`;
  expect(await found(line.slice(0, -9))).toEqual([true, 0, 1]);
  // A signature line that ends within the file was edited.
  expect(await found(`${whole.slice(0, lastAt - 20)}\n${whole.slice(lastAt)}`)).toEqual([
    false,
    2,
    0,
    "audit_checkpoint_broken",
  ]);
});

test("a verifier key names log and key, and is read back", async () => {
  const { signer } = await written(1);
  const key = verifierKey(signer.origin, signer.publicKey);
  expect(readVerifierKey(key)?.origin).toBe("test/audit");
  expect(readVerifierKey(`${key}x`.replace("test", "tost"))).toBeUndefined();
});

interface Consistency {
  readonly from: number;
  readonly to: number;
  readonly root_from: string;
  readonly root_to: string;
  readonly hashes: readonly string[];
}

/** RFC 9162, 2.1.4.2. */
function isConsistent({ from, to, root_from, root_to, hashes }: Consistency): boolean {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  if (from === to) return hashes.length === 0 && root_from === root_to;
  const path = hashes.map(bytes);
  if (Number.isInteger(Math.log2(from))) path.unshift(bytes(root_from));
  let fn = from - 1;
  let sn = to - 1;
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  const node = (left: Buffer, right: Buffer): Buffer =>
    createHash("sha256")
      .update(Buffer.from([1]))
      .update(left)
      .update(right)
      .digest();
  const [start] = path;
  if (start === undefined) return false;
  let fr = start;
  let sr = start;
  for (const hash of path.slice(1)) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = node(hash, fr);
      sr = node(hash, sr);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else sr = node(sr, hash);
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && fr.equals(bytes(root_from)) && sr.equals(bytes(root_to));
}

function other(hash: string): string {
  const bytes = Buffer.from(hash, "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString("base64");
}
