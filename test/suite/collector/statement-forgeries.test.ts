/**
 * Statements held against forgers (evidence: Statements): every field of every judged event is
 * under the digest, and only the collector's own key signs.
 */
import { createHmac } from "node:crypto";

import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { checkStatement, equivocations } from "../../../collector/src/judge/statement-check.ts";
import { createStatementSigner, evidenceDigest } from "../../../collector/src/judge/statement.ts";
import type { Statement } from "../../../collector/src/judge/statement.ts";
import { events, honestStatement as statement } from "./honest-statement.ts";

const signer = await createStatementSigner(undefined, undefined);
const jws = await signer.sign(statement);
const evidenceOf = async (list: readonly TurnEvent[]): Promise<string> => {
  const check = await checkStatement(jws, signer.keys, list);
  expect(check.signature).toBe("valid");
  return check.evidence;
};

/** The alphabet of base64url. */
const letters = Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
  String,
);

describe("evidence", () => {
  test("matches in any order, with keys in any order and after a round trip", async () => {
    expect(await evidenceOf(events)).toBe("matches");
    expect(await evidenceOf(events.toReversed())).toBe("matches");
    const turned = events.map(
      (event) => Object.fromEntries(Object.entries(event).toReversed()) as unknown as TurnEvent,
    );
    expect(await evidenceOf(JSON.parse(JSON.stringify(turned)) as TurnEvent[])).toBe("matches");
  });

  test("differs when one is left out, comes twice, comes in addition, or none is given", async () => {
    expect(await evidenceOf(events.slice(1))).toBe("differs");
    expect(await evidenceOf([...events, events[0] as TurnEvent])).toBe("differs");
    const foreign = { ...(events[0] as TurnEvent), event_id: "foreign" };
    expect(await evidenceOf([...events, foreign])).toBe("differs");
    expect(await evidenceOf([])).toBe("differs");
  });

  test("differs when any field of any event is another one or gone", async () => {
    for (const [at, event] of events.entries()) {
      for (const field of Object.keys(event) as (keyof TurnEvent)[]) {
        const changed = { ...event, [field]: field === "attributes" ? {} : "tampered" };
        const { [field]: gone, ...without } = event;
        expect(gone).toBeDefined();
        for (const forged of [changed, without as TurnEvent]) {
          expect([at, field, await evidenceOf(events.with(at, forged))]).toEqual([
            at,
            field,
            "differs",
          ]);
        }
      }
      for (const name of Object.keys(event.attributes)) {
        const forged = { ...event, attributes: { ...event.attributes, [name]: "tampered" } };
        expect([name, await evidenceOf(events.with(at, forged))]).toEqual([name, "differs"]);
      }
    }
  });

  test("differs when null becomes absent, or two events exchange a value", async () => {
    const anonymous = events.map((event) => ({ ...event, user_id: null }));
    const withoutUser = events.map(({ user_id: stated, ...event }) => (stated === "" ? [] : event));
    expect(evidenceDigest(anonymous)).not.toBe(evidenceDigest(withoutUser as TurnEvent[]));
    const [a, b, ...rest] = events as [TurnEvent, TurnEvent, ...TurnEvent[]];
    const exchanged = [
      { ...a, timestamp: b.timestamp },
      { ...b, timestamp: a.timestamp },
    ];
    expect(await evidenceOf([...exchanged, ...rest])).toBe("differs");
  });
});

describe("signature", () => {
  const encode = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const [head = "", payload = "", mac = ""] = jws.split(".");
  const header = JSON.parse(Buffer.from(head, "base64url").toString()) as { kid: string };
  const isInvalid = async (text: string, keys = signer.keys): Promise<void> => {
    expect(await checkStatement(text, keys, events)).toEqual({
      signature: "invalid",
      evidence: "not_checked",
      verdict: "not_checked",
    });
  };

  test("holds for the statement alone, and a line end does not harm it", async () => {
    expect(await checkStatement(`${jws}\n`, signer.keys)).toEqual({
      signature: "valid",
      evidence: "not_checked",
      verdict: "not_checked",
      statement,
    });
  });

  test("has one spelling", async () => {
    const last = mac.at(-1) ?? "";
    const same = letters.filter((letter) => {
      const bytes = Buffer.from(mac.slice(0, -1) + letter, "base64url");
      return letter !== last && bytes.equals(Buffer.from(mac, "base64url"));
    });
    expect(same).toHaveLength(15);
    for (const letter of same) await isInvalid(jws.slice(0, -1) + letter);
    for (const end of ["=", "==", "."]) await isInvalid(jws + end);
    await isInvalid([head, payload, Buffer.from(mac, "base64url").toString("base64")].join("."));
  });

  test("breaks with the statement, the header and the signature", async () => {
    const better = { ...statement, status: "success" };
    await isInvalid([head, encode(better), mac].join("."));
    await isInvalid([encode({ ...header, typ: "JWT" }), payload, mac].join("."));
    await isInvalid(
      [head, payload, mac.startsWith("A") ? `B${mac.slice(1)}` : `A${mac.slice(1)}`].join("."),
    );
    await isInvalid([head, payload, ""].join("."));
    await isInvalid(`${head}.${payload}`);
    await isInvalid("");
  });

  test("is refused of others: another key under the same id, none, and the public key as a secret", async () => {
    const forger = await createStatementSigner(undefined, undefined);
    await isInvalid(await forger.sign(statement));
    const [own] = forger.keys.keys;
    const posing = await forger.sign(statement);
    await isInvalid(posing, {
      keys: signer.keys.keys.map((key) => ({ ...key, kid: own?.kid ?? "" })),
    });
    await isInvalid(posing, { keys: [] });
    await isInvalid([encode({ alg: "none" }), payload, ""].join("."));
    const secret = signer.keys.keys[0]?.x ?? "";
    const bare = `${encode({ alg: "HS256", kid: header.kid })}.${payload}`;
    await isInvalid(`${bare}.${createHmac("sha256", secret).update(bare).digest("base64url")}`);
    const [forged = "", ...others] = posing.split(".");
    const embedded = JSON.parse(Buffer.from(forged, "base64url").toString()) as object;
    await isInvalid([encode({ ...embedded, jwk: own }), ...others].join("."));
  });

  test("does not make a statement of what is none", async () => {
    const other = { iss: "turnproof:test" } as unknown as Statement;
    await isInvalid(await signer.sign(other));
  });
});

describe("the verdict, judged again", () => {
  const check = async (claim: object) =>
    checkStatement(await signer.sign(claim as Statement), signer.keys, events);

  test("is supported by its own evidence", async () => {
    expect(statement.status).toBe("success");
    expect(await check(statement)).toMatchObject({ evidence: "matches", verdict: "supported" });
  });

  test.each([
    ["another status", { status: "failed" }],
    ["a finding too many", { findings: ["delivery_refused"] }],
    ["another mark", { as_of: "2026-10-05T10:00:00.000000Z" }],
    ["a window that proves nothing", { window: {} }],
    ["a task that is not there", { task_id: "task-none" }],
  ])("%s is not, although it is signed", async (_what, change) => {
    const judged = await check({ ...statement, ...change });
    expect(judged).toMatchObject({ signature: "valid", verdict: "not_supported" });
  });

  test("it rests on the principals that it says were trusted", async () => {
    const received = events.map((event) => ({ ...event, ingest_principal: "desk" }));
    const digest = evidenceDigest(received);
    const stated = async (trusted: string[] | null): Promise<string> => {
      const claim = await signer.sign({ ...statement, digest, trusted });
      return (await checkStatement(claim, signer.keys, received)).verdict;
    };
    expect(await stated(null)).toBe("supported");
    expect(await stated(["desk"])).toBe("supported");
    expect(await stated(["somebody"])).toBe("not_supported");
  });

  test("other rules, and a statement that does not say them, cannot be judged again", async () => {
    const other = { ...statement, judge: { version: "9.0.0", rules: "0".repeat(64) } };
    expect(await check(other)).toMatchObject({ verdict: "not_rejudgeable" });
    const { v: _v, judge: _j, trusted: _t, bounds: _b, window: _w, ...first } = statement;
    expect(await check(first)).toMatchObject({ evidence: "matches", verdict: "not_rejudgeable" });
  });

  test("two verdicts over one digest and mark are equivocation", () => {
    const later = { ...statement, as_of: "2026-10-05T10:00:00.000000Z", status: "failed" };
    expect(equivocations([statement, later, statement])).toEqual([]);
    expect(equivocations([statement, later, { ...statement, status: "failed" }])).toEqual([[0, 2]]);
  });
});
