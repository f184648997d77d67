/**
 * Which principal sends, and for which application (vocabulary: From a span to an event 4;
 * security: Principals).
 */
import protobufjs from "protobufjs";
import { describe, expect, test } from "vitest";

import { createThrottle } from "../../../collector/src/access/throttle.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, openHarness, protobuf } from "./harness.ts";

const status = protobufjs.parse(`syntax = "proto3";
  message Partial { int64 rejected = 1; string message = 2; }
  message Response { Partial partial_success = 1; }`).root;

const byText = (a: unknown, b: unknown): number => (`${a as string}` < `${b as string}` ? -1 : 1);

describe("principals", () => {
  const tokens = [
    { name: "shop", token: "shop-q7KxZt4Wm9Rc2Yd8", applicationId: "shop" },
    { name: "any", token: "any-q7KxZt4Wm9Rc2Yd8" },
  ];
  const of = (service: string): Uint8Array =>
    encodeProtobuf(traceRequest([chat(1)], service === "" ? {} : { "service.name": service }));
  const as = (token: string): Record<string, string> => ({
    ...protobuf,
    authorization: `Bearer ${token}`,
  });

  test("wrong tokens are made to wait, right ones and missing ones are not", async () => {
    const throttle = createThrottle();
    const fresh = await openHarness({
      tokens,
      receiver: { wrongCredential: (address) => throttle.failed(address) },
    });
    const send = async (headers: Record<string, string>): Promise<number> =>
      (await fresh.post(of("shop"), { ...protobuf, ...headers })).status;
    for (let index = 0; index < 5; index += 1) {
      expect(await send(as("wrong-q7KxZt4Wm9Rc2Yd8"))).toBe(401);
    }
    const late = await fresh.post(of("shop"), as("wrong-q7KxZt4Wm9Rc2Yd8"));
    expect([late.status, Number(late.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await send(as("shop-q7KxZt4Wm9Rc2Yd8"))).toBe(200);
    expect(await send({})).toBe(401);
    await fresh.close();
  });

  test("another site's page may not send, with or without a token (security: Principals)", async () => {
    for (const given of [[], tokens]) {
      const fresh = await openHarness({
        tokens: given,
        receiver: { origins: ["https://traces.example"] },
      });
      const send = (headers: Record<string, string>) =>
        fresh.post(of("shop"), { ...as("shop-q7KxZt4Wm9Rc2Yd8"), ...headers });
      const foreign = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
        { origin: "https://traces.example", "sec-fetch-site": "cross-site" },
      ];
      for (const headers of foreign) {
        const answer = await send(headers);
        expect([answer.status, answer.type]).toEqual([403, "application/x-protobuf"]);
        expect(answer.body.toString()).toContain("cross_origin");
      }
      expect((await send({ origin: "https://traces.example" })).status).toBe(200);
      expect((await send({})).status).toBe(200);
      const { received, requests_refused } = fresh.receiver.conservation();
      expect([received, requests_refused]).toEqual([2, { cross_origin: foreign.length }]);
      await fresh.close();
    }
  });

  test("nobody comes in without a token, by whatever header", async () => {
    const fresh = await openHarness({ tokens });
    const basic = Buffer.from("shop:shop-q7KxZt4Wm9Rc2Yd8").toString("base64");
    const wrong = [
      {},
      as("wrong-q7KxZt4Wm9Rc2Yd8"),
      { authorization: "Bearer" },
      { authorization: "Basic !!" },
    ];
    for (const headers of wrong) {
      const answer = await fresh.post(of("shop"), { ...protobuf, ...headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    const right = [
      as("shop-q7KxZt4Wm9Rc2Yd8"),
      { authorization: `Basic ${basic}` },
      { "x-turnproof-token": "shop-q7KxZt4Wm9Rc2Yd8" },
    ];
    for (const headers of right) {
      expect((await fresh.post(of("shop"), { ...protobuf, ...headers })).status).toBe(200);
    }
    expect((await fresh.events())[0]?.ingest_principal).toBe("shop");
    await fresh.close();
  });

  test("a bound token writes for its application and no other", async () => {
    const fresh = await openHarness({ tokens });
    const foreign = await fresh.post(of("bank"), as("shop-q7KxZt4Wm9Rc2Yd8"));
    expect(status.lookupType("Response").decode(foreign.body).toJSON()).toMatchObject({
      partialSuccess: {
        rejected: "1",
        message: expect.stringMatching(/^span_application_foreign/),
      },
    });
    expect(await fresh.events()).toEqual([]);
    await fresh.post(of(""), as("shop-q7KxZt4Wm9Rc2Yd8"));
    expect((await fresh.events()).map((event) => event.application_id)).toEqual(["shop"]);
    await fresh.close();
  });

  test("two producers of the same ids do not replace each other's events", async () => {
    const fresh = await openHarness({ tokens });
    await fresh.post(of("shop"), as("shop-q7KxZt4Wm9Rc2Yd8"));
    await fresh.post(of("shop"), as("any-q7KxZt4Wm9Rc2Yd8"));
    expect((await fresh.events()).map((event) => event.ingest_principal).toSorted(byText)).toEqual([
      "any",
      "shop",
    ]);
    await fresh.close();
  });
});
