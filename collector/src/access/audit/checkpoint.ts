/**
 * @module Checkpoints: signed heads of the audit log's tree in a second file, so that a cut is
 * detected as well as an edit (security: Audit). Files of earlier versions begin with checkpoints
 * of another form, signed over the hash of the last line.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";

import { CodedError } from "@turnproof/semconv";

import { fieldOf, readSecret, stableSecret, wasMade } from "../stable-secret.ts";
import { linesOf } from "./lines.ts";
import { openNote, originOf, signNote, verifierKey } from "./note.ts";
import type { TreeHead } from "./note.ts";

/** A checkpoint as found: of the tree, of the chain (earlier versions), or none. */
export type AuditCheckpoint =
  /** The root in base64. */
  | { readonly of: "tree"; readonly size: number; readonly root: string }
  | { readonly of: "chain"; readonly size: number; readonly head: string }
  | { readonly of: "wrong_key" }
  | { readonly of: "broken" }
  /** It is there only in part, without a whole signature. */
  | { readonly of: "cut" }
  /** Lines that are no part of a checkpoint, such as those of other programs in a syslog file. */
  | { readonly of: "other" };

/** Signs checkpoints of one audit scope. */
export interface CheckpointSigner {
  /** Name of the log in its checkpoints. */
  readonly origin: string;
  note(head: TreeHead): string;
  readonly publicKey: KeyObject;
}

/** Name of the key's file. */
export const checkpointKeyName = "audit-checkpoint.pem";

/** A signer with the key from the data directory. */
export function createSigner(dataDir: string, scope: string): CheckpointSigner {
  const pem = stableSecret(dataDir, checkpointKeyName, () =>
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  );
  const privateKey = privateKeyOf(pem);
  const origin = originOf(scope);
  return {
    origin,
    publicKey: createPublicKey(privateKey),
    note: (head) => signNote(origin, head, privateKey),
  };
}

/**
 * The public key of the checkpoints of a data directory; makes none.
 *
 * @throws CodedError `key_unusable` naming the key's file
 */
export function readPublicKey(dataDir: string): KeyObject {
  return createPublicKey(privateKeyOf(readSecret(dataDir, checkpointKeyName)));
}

/**
 * Verifier key of the checkpoints of a data directory; undefined without one. Makes none.
 *
 * @throws CodedError `key_unusable` naming the key's file
 */
export function verifierKeyOf(config: {
  readonly dataDir: string;
  readonly auditScope: string;
}): string | undefined {
  const { dataDir, auditScope } = config;
  if (!wasMade(dataDir, checkpointKeyName)) return undefined;
  return verifierKey(originOf(auditScope), readPublicKey(dataDir));
}

function privateKeyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new CodedError("key_unusable", { field: fieldOf(checkpointKeyName), cause });
  }
}

/** Scope and key that checkpoints are checked with. */
export interface CheckpointKey {
  readonly scope: string;
  /** Called when there is a checkpoint: a log without one needs no key. */
  readonly publicKey: () => KeyObject;
  /** Reads only this much of the file. */
  readonly bytes?: number | undefined;
}

/**
 * The checkpoints of a file in its order: notes one after another, lines of earlier versions, and
 * lines of a syslog server that hold a note.
 */
export async function* checkpointsIn(
  file: string,
  key: CheckpointKey,
): AsyncGenerator<AuditCheckpoint> {
  const origin = originOf(key.scope);
  let note: string[] = [];
  const closed = function* (isPart = false): Generator<AuditCheckpoint> {
    const [first] = note;
    if (first === undefined) return;
    const isOther =
      !origin.startsWith(first) && !note.some((line) => line.startsWith(signatureMark));
    const found = checkNote(`${note.join("\n")}\n`, key);
    yield isOther ? { of: "other" } : isPart ? cutOr(found) : found;
    note = [];
  };
  const taken = function* (line: string, torn: boolean): Generator<AuditCheckpoint> {
    const shipped = shippedNote.exec(line)?.[1];
    const starts = note.some((part) => part.startsWith(signatureMark));
    const signs = line.startsWith(signatureMark);
    const isNext = (starts && !signs) || line === origin;
    if (shipped !== undefined || line.startsWith("{") || isNext) yield* closed();
    if (shipped !== undefined) {
      // A syslog server may cut a line that is too long for it.
      const text = Buffer.from(shipped, "base64").toString();
      const found = checkNote(text, key);
      yield text.endsWith("\n") ? found : cutOr(found);
    } else if (line.startsWith("{")) {
      yield torn ? cutOr(checkFirst(line, key)) : checkFirst(line, key);
    } else {
      // Empty lines are dropped by the reader; the one before the signatures belongs to the note.
      if (signs && !starts) note.push("");
      note.push(line);
    }
  };
  let endsWithin = false;
  for await (const { lines, torn } of linesOf(file, key.bytes)) {
    for (const line of lines) {
      endsWithin = torn;
      // After a note that is there in part the next one follows within the line. No other line of
      // a note ends so: a root and a signature end with the padding of base64.
      const isGlued = !torn && line !== origin && line.endsWith(origin);
      if (isGlued) {
        yield* taken(line.slice(0, -origin.length), false);
        yield* closed(true);
      }
      yield* taken(isGlued ? origin : line, torn);
    }
  }
  yield* closed(endsWithin);
}

/** A checkpoint that something else follows within, unless all that matters is there. */
function cutOr(found: AuditCheckpoint): AuditCheckpoint {
  return "size" in found ? found : { of: "cut" };
}

const signatureMark = "\u2014 ";
const signatureLine = /^\u2014 /m;
/** How a note travels in one line: base64, named. */
const shippedNote = /\bcheckpoint=([A-Za-z0-9+/]{16,}={0,2})/;

function checkNote(note: string, { scope, publicKey }: CheckpointKey): AuditCheckpoint {
  // Without a signature nothing shows who wrote it: it is no evidence of a change.
  if (!signatureLine.test(note)) return { of: "cut" };
  const opened = openNote(note, originOf(scope), publicKey());
  if (opened.found !== "head") return { of: opened.found };
  const { size, root } = opened.head;
  // Text: a root as bytes would keep the whole part of the pool that it lies in.
  return { of: "tree", size, root: root.toString("base64") };
}

/** One line of a checkpoint file of an earlier version. */
interface FirstCheckpoint {
  readonly seq: number;
  readonly head: string;
  readonly ts: string;
  readonly sig: string;
}

function checkFirst(line: string, { scope, publicKey }: CheckpointKey): AuditCheckpoint {
  const key = publicKey();
  try {
    const { seq, head, ts, sig } = JSON.parse(line) as FirstCheckpoint;
    const text = `turnproof audit checkpoint v1\n${scope}\n${seq}\n${head}\n${ts}\n`;
    const holds = verify(null, Buffer.from(text), key, Buffer.from(sig, "base64url"));
    return holds ? { of: "chain", size: seq, head } : { of: "broken" };
  } catch {
    return { of: "broken" };
  }
}
