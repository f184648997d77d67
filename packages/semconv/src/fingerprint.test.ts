/**
 * Fingerprints: stable vectors, separated domains, shapes that the guard admits, strict keyrings.
 */
import { createHmac } from "node:crypto";

import { describe, expect, test } from "vitest";

import { CodedError } from "./coded-error.ts";
import {
  contentFingerprint,
  deriveKey,
  keyedFingerprint,
  parseKeyring,
  pseudonym,
} from "./fingerprint.ts";
import { screenValue } from "./guard/screen-value.ts";
import { attribute } from "./registry.ts";

const secret = "0123456789abcdef0123456789abcdef";
const [key] = parseKeyring(`k2:${secret}`);

const lengthPrefixed = (part: string): Buffer => {
  const bytes = Buffer.from(part);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** RFC 4648 by its definition: five bits at a time from a string of bits. */
const base32 = (bytes: Uint8Array): string =>
  (
    [...bytes]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("")
      .match(/.{1,5}/g) ?? []
  )
    .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[parseInt(five.padEnd(5, "0"), 2)])
    .join("");

describe("pseudonym", () => {
  test("is the construction (security: Keys)", () => {
    const parts = ["pseudo/v1", "prod", "operator", "alice"].map(lengthPrefixed);
    const digest = createHmac("sha256", secret).update(Buffer.concat(parts)).digest();
    expect(pseudonym("alice", { key, scope: "prod", kind: "operator" })).toBe(
      `k2_${base32(digest.subarray(0, 16))}`,
    );
  });

  test("separates scope, kind, value and key, and does not confuse their borders", () => {
    const all = [
      pseudonym("bc", { key, scope: "s", kind: "a" }),
      pseudonym("c", { key, scope: "s", kind: "ab" }),
      pseudonym("bc", { key, scope: "sa", kind: "" }),
      pseudonym("bc", { key: deriveKey(key, "pseudo/v1"), scope: "s", kind: "a" }),
      keyedFingerprint("bc", { key, purpose: "a" }),
      keyedFingerprint("c", { key, purpose: "ab" }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

test("every output passes the shapes id and fingerprint", () => {
  for (let count = 0; count < 2_000; count++) {
    for (const text of [
      keyedFingerprint(`user-${count}`, { key, purpose: "identity/user_id" }),
      pseudonym(`user-${count}`, { key, scope: "s", kind: "user" }),
      contentFingerprint(`body ${count}`),
    ]) {
      expect(screenValue(attribute.user_id, text)).toBeUndefined();
      expect(screenValue(attribute.content_fingerprint, text)).toBeUndefined();
    }
  }
});

test("a content fingerprint is SHA-256, of text and of bytes alike", () => {
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  expect(contentFingerprint("")).toBe(`sha256:${empty}`);
  expect(contentFingerprint(new TextEncoder().encode("é"))).toBe(contentFingerprint("é"));
});

test("a derived key differs by purpose and keeps the name of its key", () => {
  const cookie = deriveKey(key, "cookie/v1");
  expect(cookie.kid).toBe("k2");
  expect(cookie.secret).toHaveLength(32);
  expect(deriveKey(key, "cookie/v1").secret).toEqual(cookie.secret);
  expect(deriveKey(key, "cursor/v1").secret).not.toEqual(cookie.secret);
});

describe("parseKeyring", () => {
  test("keeps order; a lone secret is key k1", () => {
    const ring = parseKeyring(`new:${secret}, old:${secret}x`);
    expect(ring.map((each) => each.kid)).toEqual(["new", "old"]);
    expect(parseKeyring(secret)[0].kid).toBe("k1");
  });

  test.each([
    "",
    "k1:short",
    `K1:${secret}`,
    `:${secret}`,
    `k1:${secret},k1:${secret}x`,
    `k1:${secret},k2:${secret}`,
    `k1:${secret},`,
  ])("refuses %j without repeating it", (text) => {
    try {
      parseKeyring(text);
      expect.unreachable();
    } catch (error) {
      expect(CodedError.is(error) && error.code).toBe("config_invalid");
      expect(String(error)).not.toContain(secret);
    }
  });
});
