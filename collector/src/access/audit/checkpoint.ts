/**
 * @module Checkpoints: signed records of the audit log's length and chain head, in a second file,
 * so that truncation is detected as well as an edit (security: Audit).
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";

import { stableSecret } from "../stable-secret.ts";

/** A point of the chain: the number of records, and the hash of the last line. */
export interface ChainHead {
  readonly seq: number;
  readonly head: string;
}

/** One line of the checkpoint file. */
interface SignedCheckpoint extends ChainHead {
  readonly origin: string;
  readonly ts: string;
  readonly sig: string;
}

/** Signs checkpoints of one audit scope. */
export interface CheckpointSigner {
  line(head: ChainHead, ts: string): string;
  readonly publicKey: KeyObject;
}

/** A signer with the key from the data directory. */
export function createSigner(dataDir: string, origin: string): CheckpointSigner {
  const pem = stableSecret(dataDir, "audit-checkpoint.pem", () =>
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  );
  const privateKey = createPrivateKey(pem);
  return {
    publicKey: createPublicKey(privateKey),
    line: (head, ts) => {
      const sig = sign(null, note(origin, head, ts), privateKey).toString("base64url");
      return JSON.stringify({ origin, ...head, ts, sig });
    },
  };
}

/** The head in a checkpoint line with a valid signature, or undefined. */
export function openCheckpoint(
  line: string,
  origin: string,
  publicKey: KeyObject,
): ChainHead | undefined {
  try {
    const { seq, head, ts, sig } = JSON.parse(line) as SignedCheckpoint;
    const signed = note(origin, { seq, head }, ts);
    const holds = verify(null, signed, publicKey, Buffer.from(sig, "base64url"));
    return holds ? { seq, head } : undefined;
  } catch {
    return undefined;
  }
}

function note(origin: string, { seq, head }: ChainHead, ts: string): Buffer {
  return Buffer.from(`turnproof audit checkpoint v1\n${origin}\n${seq}\n${head}\n${ts}\n`);
}
