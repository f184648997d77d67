/**
 * @module Tenant ids of every directory work in `agent.run` on every provider, and no tenant sees
 * another's memory; an e-mail address, a URL or a secret is refused with its remedy, or keyed.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import { storeSink } from "@turnproof/exporter";
import { withTurn } from "@turnproof/instrumentation";
import { CodedError, keyIdentities } from "@turnproof/semconv";
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { createIdentityKey } from "@turnproof/semconv/name-key";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { afterEach, describe, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { providers } from "./providers.ts";

const tenants: readonly string[] = [
  "o'brien",
  "Müller",
  "工号123",
  "DOMAIN\\kim",
  "cn=Kim Lee,ou=People,dc=example,dc=com",
  "CN=Lee\\, Kim,OU=Sales,DC=corp,DC=local",
  "4111111111111111",
  "7",
  "9".repeat(40),
  "{550e8400-e29b-41d4-a716-446655440000}",
  'a"b;--',
  "$where",
  "%",
  "u".repeat(240),
  "+4915112345678",
  "+1 (555) 123-4567",
  "tel:+15551234567",
  "192.168.0.1",
  "2001:db8::1",
  "10.0.0.1:8080",
];

afterEach(() => keyIdentities(undefined));

describe.each(Object.entries(providers))("on %s", (_name, open) => {
  test("each id is a tenant of its own", { timeout: 120_000 }, async () => {
    const provider = await open();
    await using server = await startScriptedModel({
      print: (_asked, conversation) => [...new Set(conversation.match(/mark-\d+/g))].join(" "),
    });
    const { memory, evidence } = provider;
    const agent = new Agent({
      model: createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1"),
      store: memory,
      sink: storeSink({ store: evidence, applicationId: "desk" }),
      strict: true,
      agentId: "desk",
    });
    const place = { memoryId: "m1", threadId: "t1" };
    for (const [at, userId] of tenants.entries()) {
      const fact = { name: "mark", role: "profile", text: `mark-${at}` } as const;
      await agent.memory.entities.remember({ ...place, agentId: "desk", userId }, fact);
    }
    for (const [at, userId] of tenants.entries()) {
      const { text, traceContext } = await agent.run("Who is it", { ...place, userId });
      expect([userId, text]).toEqual([userId, `mark-${at}`]);
      const { rootTraceId } = traceContext;
      const { events } = await evidence.root({ tenant: userId }, rootTraceId, { limit: 100 });
      expect(new Set(events.map((event) => event.user_id))).toEqual(new Set([userId]));
    }
    await provider.close();
  });
});

test("a turn and a recorder of the instrumentation take the same ids", async () => {
  const store = ephemeral();
  const sink = storeSink({ store, applicationId: "desk" });
  for (const userId of tenants) {
    const turned = { agentId: "desk", userId, threadId: "t1", sink, strict: true };
    const root = await withTurn(turned, async (turn) => {
      await turn.recorder().recordIntent("answer");
      return turn.traceContext.rootTraceId;
    });
    const { events } = await store.root({ tenant: userId }, root, { limit: 100 });
    expect([userId, events.map(({ event_kind }) => event_kind).toSorted()]).toEqual([
      userId,
      ["intent", "turn"],
    ]);
  }
});

describe("what looks like an e-mail address, a URL or a secret", () => {
  const secrets = [`sk-proj-${"aB3dE6gH9".repeat(5)}`, ["219", "09", "9999"].join("-")];
  const refused = [
    ...secrets,
    "ann@example.com",
    "https://example.com/u/7",
    "CN=ann@example.com,DC=corp",
  ];
  const [key] = parseKeyring("k1:an-identity-key-of-thirty-two-bytes!");

  test("is refused, and the error says the remedy and not the value", async () => {
    await using server = await startScriptedModel();
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
    const agent = new Agent({ model, store: ephemeralMemory() });
    for (const userId of refused) {
      const error: unknown = await agent
        .run("Hello", { userId })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CodedError);
      expect((error as CodedError).code).toBe("identity_not_opaque");
      expect((error as CodedError).message).toContain("register({ keyed: [field] })");
      expect((error as CodedError).message).not.toContain("example.com");
    }
  });

  test("is not what an id that is too long is refused for", async () => {
    await using server = await startScriptedModel();
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
    const agent = new Agent({ model, store: ephemeralMemory() });
    const longest = "a-user".padEnd(240, "-x");
    await agent.run("Hello", { userId: longest });
    const long = agent.run("Hello", { userId: `${longest}x` });
    await expect(long).rejects.toThrow(/^attribute_too_long \(userId\): .* 240 characters/);
    await expect(long).rejects.not.toThrow(/address|URL/);
  });

  test("is keyed once the field is", async () => {
    keyIdentities({ fields: ["user_id"], key: createIdentityKey(key) });
    await using server = await startScriptedModel();
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
    const evidence = ephemeral();
    const sink = storeSink({ store: evidence, applicationId: "desk" });
    const agent = new Agent({ model, store: ephemeralMemory(), sink, strict: true });
    for (const userId of refused) {
      const result = await agent.run("Hello", { userId });
      expect(result.userId).toMatch(/^k1_[a-z2-7]{26}$/);
    }
    expect((await agent.run("Hello", { userId: "o'brien" })).userId).toBe("o'brien");
  });
});
