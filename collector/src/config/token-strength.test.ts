/** Which tokens are refused, and that no random one is. */
import { createHash, randomBytes, randomUUID } from "node:crypto";

import { describe, expect, test } from "vitest";

import { entropyBits } from "./token-entropy.ts";
import { isGuessable, makeToken } from "./token-strength.ts";

describe("what people type is refused", () => {
  test.each([
    "correcthorsebatterystaple",
    "Correct-Horse-Battery-Staple-2026",
    "admin-token-production-2026",
    "00000000-0000-0000-0000-000000000001",
    "12345678-1234-1234-1234-123456789012",
    "aaaa-bbbb-cccc-dddd-eeee-ffff",
    "deadbeefdeadbeefdeadbeefdeadbeef",
    "my-company-secret-token",
    "acme-widgets-prod-ingest-token",
    "our-staging-collector-operator-token-2026",
    "Turnproof-Collector-Ingest-Token-Frankfurt",
    "P4ssw0rd-4dm1n-T0k3n-2026",
    "2026-11-28T09:00:00.000Z",
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "1q2w3e4r5t6y7u8i9o0p",
    "zaq12wsxZAQ!@WSXcde3",
    "monkeydragonshadowmaster",
    "iloveyouiloveyou123",
    "sk-test-1234567890abcdef",
    "+49-151-2345678-2345678",
    "token-token-token-token-token",
    // A text of few bits, encoded, and values that documents have.
    Buffer.from("supersecretpassword").toString("base64"),
    Buffer.from("admin:admin123456").toString("base64url"),
    Buffer.from("correcthorsebatterystaple").toString("hex"),
    createHash("md5").update("password").digest("hex"),
    createHash("sha1").update("admin").digest("hex").toUpperCase(),
    createHash("sha256").update("").digest("hex"),
    "550e8400-e29b-41d4-a716-446655440000",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  ])("%s", (value) => {
    expect(isGuessable(value)).toBe(true);
  });
});

describe("what a generator makes is taken", () => {
  test.each([
    ["turnproof token", makeToken],
    ["128 bits in hex", () => randomBytes(16).toString("hex")],
    ["128 bits in base64url", () => randomBytes(16).toString("base64url")],
    ["128 bits in base64", () => randomBytes(16).toString("base64")],
    ["a UUID of version 4", () => randomUUID()],
    ["192 bits as bytes", () => randomBytes(24).toString("latin1")],
  ])("%s", (_name, make) => {
    const weak = Array.from({ length: 2_000 }, make).filter((value) => isGuessable(value));
    expect(weak).toEqual([]);
  });
});

test("a further word, repetition or run adds little", () => {
  const added = (more: string): number =>
    entropyBits(`q7KxZt4Wm9Rc2Yd8${more}`) - entropyBits("q7KxZt4Wm9Rc2Yd8");
  expect(added("-production")).toBeLessThan(8);
  expect(added("-000000000000")).toBeLessThan(16);
  expect(added("-q7KxZt4Wm9Rc2Yd8")).toBeLessThan(14);
  expect(added("5Ns1Lp6H")).toBeGreaterThan(40);
});
