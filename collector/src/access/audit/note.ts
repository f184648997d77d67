/**
 * @module Note: checkpoints as signed notes in the text of C2SP's tlog-checkpoint, and the keys of
 * their verifiers, so that any witness or monitor of transparency logs reads them.
 */
import { createHash, createPublicKey, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";

/** A head of the tree: the number of leaves, and the root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Buffer;
}

/** What a note was found to be. */
export type OpenedNote =
  | { readonly found: "head"; readonly head: TreeHead }
  /** Signed by another key, or for another log. */
  | { readonly found: "wrong_key" }
  | { readonly found: "broken" };

const ed25519 = Buffer.from([1]);
const separator = "\n\n";

/** Name of a log in its notes and keys: without spaces and pluses, which notes do not allow. */
export function originOf(scope: string): string {
  return `${encodeURIComponent(scope)}/audit`;
}

/** A signed note of a head. */
export function signNote(origin: string, head: TreeHead, privateKey: KeyObject): string {
  const text = `${origin}\n${head.size}\n${head.root.toString("base64")}\n`;
  const signature = sign(null, Buffer.from(text), privateKey);
  const blob = Buffer.concat([keyHash(origin, createPublicKey(privateKey)), signature]);
  return `${text}\n\u2014 ${origin} ${blob.toString("base64")}\n`;
}

/** Checks a note; signatures of other keys, such as a witness's, are passed over. */
export function openNote(note: string, origin: string, publicKey: KeyObject): OpenedNote {
  const end = note.indexOf(separator);
  const text = note.slice(0, end + 1);
  const [name, size = "", root = ""] = text.split("\n");
  const hash = Buffer.from(root, "base64");
  if (end < 0 || !/^(0|[1-9]\d{0,14})$/.test(size) || hash.toString("base64") !== root) {
    return { found: "broken" };
  }
  const hint = keyHash(origin, publicKey);
  const lines = note.slice(end + separator.length).split("\n");
  const signed = lines.flatMap((line) => /^\u2014 (\S+) (\S+)$/.exec(line) ?? []);
  if (signed.length === 0 || hash.length !== 32) return { found: "broken" };
  for (const line of lines) {
    const [, signer, base64 = ""] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
    const blob = Buffer.from(base64, "base64");
    if (signer !== origin || !blob.subarray(0, 4).equals(hint)) continue;
    const holds = verify(null, Buffer.from(text), publicKey, blob.subarray(4));
    if (!holds || name !== origin || blob.toString("base64") !== base64) return { found: "broken" };
    return { found: "head", head: { size: Number(size), root: hash } };
  }
  return { found: "wrong_key" };
}

/** Hash of the key that signed a note first, as in its verifier key: 8 hexadecimal digits. */
export function signerOf(note: string): string {
  const [, base64 = ""] = /^\u2014 \S+ (\S+)$/m.exec(note) ?? [];
  return Buffer.from(base64, "base64").subarray(0, 4).toString("hex").padStart(8, "0");
}

/** The same hash of a key: the folder of a bucket with the checkpoints that it signed. */
export function signerFolder(origin: string, publicKey: KeyObject): string {
  return keyHash(origin, publicKey).toString("hex");
}

/** The verifier key of a log, in the text that notes' tools take. */
export function verifierKey(origin: string, publicKey: KeyObject): string {
  const key = Buffer.concat([ed25519, rawKey(publicKey)]).toString("base64");
  return `${origin}+${keyHash(origin, publicKey).toString("hex")}+${key}`;
}

/** Name and public key of a verifier key; undefined when it is none. */
export function readVerifierKey(
  text: string,
): { readonly origin: string; readonly publicKey: KeyObject } | undefined {
  const [, origin = "", hint, base64 = ""] =
    /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? [];
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== 33 || bytes[0] !== 1) return undefined;
  const x = bytes.subarray(1).toString("base64url");
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
  return keyHash(origin, publicKey).toString("hex") === hint ? { origin, publicKey } : undefined;
}

function keyHash(name: string, publicKey: KeyObject): Buffer {
  const hash = createHash("sha256").update(`${name}\n`).update(ed25519).update(rawKey(publicKey));
  return hash.digest().subarray(0, 4);
}

function rawKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
}
