/**
 * @module Instrumentation by the text: the requirements of host provenance, feedback and the
 * host recorder's resources, against the published exports and what a store holds afterwards.
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import type { TurnEvent } from "@turnproof/evidence";
import type { ObservabilityRecorder, Turn } from "@turnproof/instrumentation";
import { coverageProfiles, parserStatuses } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { codeOf, notes, only, page, play, unsafe } from "./played-turn.ts";

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

describe("Host provenance", () => {
  const fields = {
    request_id: "req_1",
    client_page_type: "lesson",
    client_page_id: "page_1",
    canonical_page_type: "lesson",
    canonical_page_id: "page_1",
    thread_binding_status: "matched",
    expected_thread_id: "t",
    ownership_verified: true,
    grounding_status: "ready",
    grounding_source: "stored_text",
    grounding_source_ids: ["s_1", "s_2"],
    grounding_excerpt_count: 2,
  };

  test("the twelve fields are kept as they are, in either spelling", async () => {
    const camel = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
    );
    for (const given of [fields, camel]) {
      const event = await only("context_binding", (turn) => turn.bindContext(given));
      const { request_id: requestId, ...rest } = fields;
      expect(event.attributes).toMatchObject({ ...rest, dropped_field_count: 0 });
      expect(JSON.stringify(event.attributes)).toContain(requestId);
    }
  });

  const wrong: Readonly<Record<string, unknown>> = {
    request_id: 7,
    client_page_type: { type: "lesson" },
    client_page_id: "https://shop.example/lesson",
    canonical_page_id: "ann@example.com",
    thread_binding_status: ["matched"],
    ownership_verified: "true",
    grounding_status: "Please read the page to me, and then say what you think of it",
    grounding_source_ids: ["s_1", "https://shop.example"],
    grounding_excerpt_count: 1.5,
    page_body: "CANARY",
    api_key: "CANARY",
    nested: { a: { b: "CANARY" } },
  };
  test.each(Object.entries(wrong))(
    "%s of another form is counted, not copied",
    async (name, value) => {
      const event = await only("context_binding", (turn) => turn.bindContext({ [name]: value }));
      expect(event.attributes["dropped_field_count"]).toBe(1);
      const text = JSON.stringify(event);
      for (const part of ["CANARY", "shop.example", "ann@", "Please"])
        expect(text).not.toContain(part);
    },
  );

  const odd: Readonly<Record<string, unknown>> = {
    null: null,
    undefined,
    "a text": "CANARY",
    "a list": ["CANARY"],
    "a number": 7,
    "a map with a getter that throws": Object.defineProperty({}, "request_id", {
      enumerable: true,
      get: () => {
        throw new Error("CANARY");
      },
    }),
  };
  test.each(Object.entries(odd))("%s in its place never stops the turn", async (_, value) => {
    const event = await only("context_binding", (turn) => turn.bindContext(value as never));
    const count = value === null || value === undefined ? 0 : 1;
    expect(event.attributes["dropped_field_count"]).toBe(count);
    expect(JSON.stringify(event)).not.toContain("CANARY");
  });
});

describe("Feedback and task outcome", () => {
  test("rating, verified and label are evidence, a comment only as its hash", async () => {
    const stated = { rating: -1, verified: true, label: "wrong_order", comment: "CANARY of ann" };
    for (const record of [
      (turn: Turn): unknown => turn.feedback(stated),
      (_: Turn, recorder: ObservabilityRecorder): unknown => recorder.recordFeedback(stated),
    ]) {
      const { attributes } = await only("feedback", record);
      expect(attributes).toMatchObject({
        rating: -1,
        verified: true,
        label: "wrong_order",
        comment_hash: contentFingerprint(stated.comment),
      });
      expect(JSON.stringify(attributes)).not.toContain("CANARY");
    }
  });

  test("an outcome has its word, who saw it, and metrics by name", async () => {
    const metrics = { latency_ms: 12.5, items: 3, refunded: true };
    const options = { verified: true, source: "shop", metrics };
    const { attributes } = await only("outcome", (turn) => turn.taskOutcome("failure", options));
    expect(attributes).toMatchObject({
      outcome: "failure",
      verified: true,
      source: "shop",
      metric_names: ["latency_ms", "items", "refunded"],
      metric_values: [12.5, 3, 1],
    });
  });

  const bad: readonly (readonly [string, (turn: Turn) => unknown])[] = [
    ["a rating that is no integer", (turn) => turn.feedback({ rating: 0.5 })],
    ["a rating that is no number", (turn) => turn.feedback({ rating: Number.NaN })],
    ["verified in words", (turn) => turn.feedback({ verified: "yes" as never })],
    ["a label that is a sentence", (turn) => turn.feedback({ label: unsafe["a sentence"] })],
    ["an outcome that is a URL", (turn) => turn.taskOutcome(unsafe["a URL"])],
    ["a metric that is infinite", (turn) => turn.taskOutcome("x", { metrics: { a: Infinity } })],
    ["a metric that is nested", (turn) => turn.taskOutcome("x", { metrics: { a: {} as never } })],
    [
      "a metric named by an e-mail",
      (turn) => turn.taskOutcome("x", { metrics: { "a@b.example": 1 } }),
    ],
  ];
  test.each(bad)("%s is refused before anything is stored", async (_, record) => {
    let code = "";
    const { events } = await play(async (turn) => {
      code = await codeOf(() => record(turn));
    });
    expect(code).toMatch(/^attribute_/);
    expect(events.map(({ event_kind }) => event_kind)).toEqual(["turn"]);
  });
});

describe("Host recorder resources", () => {
  test("a resource reference keeps its six fields", async () => {
    const intent = await only("intent", (_, recorder) =>
      recorder.recordIntent("make_notes", { inputRefs: [page], taskId: "task_1" }),
    );
    expect(intent).toMatchObject({
      task_id: "task_1",
      input_refs: [
        {
          resource_type: "page",
          ref: "page_1",
          version: "v1",
          role: "authoritative_current_source",
          ownership_verified: true,
          provenance_status: "verified",
        },
      ],
    });
  });

  test.each(Object.entries(unsafe))("%s is no reference", async (_, ref) => {
    const { events } = await play(async (__, recorder) => {
      const code = await codeOf(() =>
        recorder.recordIntent("x", { inputRefs: [{ ...page, ref }] }),
      );
      expect(code).toMatch(/^attribute_/);
      expect(recorder.health).toMatchObject({ recorded: 0, refused: 1 });
    });
    expect(events).toHaveLength(1);
  });

  test.each(coverageProfiles)("an intent may declare the profile %s", async (coverageProfile) => {
    const event = await only("intent", (_, recorder) =>
      recorder.recordIntent("x", { coverageProfile, expectedArtifactTypes: ["study_notes"] }),
    );
    expect(event.attributes).toMatchObject({
      coverage_profile: coverageProfile,
      expected_artifact_types: ["study_notes"],
    });
  });

  test("a span has an id, succeeds, and nests; left without a word it is unknown", async () => {
    const { events } = await play(async (_, recorder) => {
      const attributes = { fallback_reason: "timeout", side_effect: true };
      await using outer = recorder.startSpan("notes.outer", { attributes, inputRefs: [page] });
      await outer.run(async () => {
        const inner = recorder.startSpan("notes.inner");
        await inner.succeed({ outputRefs: [notes] });
        expect(inner.toCarrier()["traceparent"]).toContain(inner.spanId);
      });
    });
    const named = (name: string): TurnEvent | undefined =>
      events.find(({ operation }) => operation === name);
    expect(named("notes.outer")).toMatchObject({
      status: "unknown",
      attributes: { fallback_reason: "timeout", side_effect: true },
    });
    expect(named("notes.inner")).toMatchObject({
      status: "success",
      parent_span_id: named("notes.outer")?.span_id,
      output_refs: [{ ref: "notes_1", version: "r1" }],
    });
  });

  test.each(parserStatuses)("a contract's record may say %s", async (parserStatus) => {
    const options = { required: true, outputLimit: 2_200, taskId: "task_1" };
    const event = await only("contract", (_, recorder) =>
      recorder.contract("notes_block", options).record({
        openingMarkerFound: true,
        closingMarkerFound: false,
        parserStatus,
        recoveryUsed: false,
        itemCounts: { cards: 3, notes: 0 },
      }),
    );
    expect(event).toMatchObject({
      task_id: "task_1",
      attributes: {
        required: true,
        output_limit: 2_200,
        opening_marker_found: true,
        closing_marker_found: false,
        parser_status: parserStatus,
        recovery_used: false,
        item_names: ["cards", "notes"],
        item_values: [3, 0],
      },
    });
  });

  test.each([true, false, null])("a delivery may be acknowledged %s", async (acknowledged) => {
    const event = await only("delivery", (_, recorder) =>
      recorder.recordDelivery("notes_page", { emitted: true, acknowledged, inputRefs: [notes] }),
    );
    expect(event.attributes["emitted"]).toBe(true);
    expect(event.attributes["acknowledged"] ?? null).toBe(acknowledged);
  });

  test("concurrent spans of one recorder keep their own parents", async () => {
    const { events } = await play(async (_, recorder) => {
      const work = ["a", "b", "c"].map((name) =>
        recorder.span(`outer.${name}`, async () => {
          await new Promise(setImmediate);
          await recorder.span(`inner.${name}`, () => new Promise(setImmediate));
        }),
      );
      await Promise.all(work);
    });
    for (const name of ["a", "b", "c"]) {
      const outer = events.find(({ operation }) => operation === `outer.${name}`);
      const inner = events.find(({ operation }) => operation === `inner.${name}`);
      expect(inner?.parent_span_id).toBe(outer?.span_id);
    }
  });
});
