/** @module ResponseMetadata: fields that a provider did not report stay unknown. */
import { expect, test } from "vitest";

import { finishReasonOf, readAdapterMetadata, tokenUsageOf, usageOf } from "./response-metadata.ts";
import { sumUsage, unknownUsage } from "./run-result.ts";

const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };

test("a zero of the adapter is unknown where the provider has no such field", () => {
  const input = { total: 9, noCache: 9, cacheRead: 0, cacheWrite: undefined };
  const output = { total: 0, text: 0, reasoning: 0 };
  const raw = { prompt_tokens: 9 };
  expect(usageOf({ inputTokens: input, outputTokens: output, raw }, {})).toEqual({
    inputTokens: 9,
  });
  const reported = { ...raw, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } };
  expect(usageOf({ inputTokens: input, outputTokens: output, raw: reported }, {})).toEqual({
    inputTokens: 9,
    outputTokens: 0,
    cachedTokens: 0,
  });
});

test("split counts are summed, from an adapter as from its metadata", () => {
  const input = { ...none, noCache: 10, cacheRead: 5, cacheWrite: 2 };
  const output = { total: 3, text: undefined, reasoning: undefined };
  const split = usageOf({ inputTokens: input, outputTokens: output }, {});
  expect(split).toMatchObject({ inputTokens: 10, splitInput: true });
  expect(tokenUsageOf(split).inputTokens).toBe(17);
  const reported = readAdapterMetadata({
    stop_reason: "end_turn",
    input_tokens: 10,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 2,
    output_tokens: "many",
    response_length: -1,
    output_limit: 2_200,
  });
  expect(reported).toEqual({
    finishReason: "end_turn",
    inputTokens: 10,
    cachedTokens: 5,
    cacheWriteTokens: 2,
    maxOutputTokens: 2_200,
    splitInput: true,
  });
  expect(tokenUsageOf(usageOf(undefined, reported))).toMatchObject({
    inputTokens: 17,
    outputTokens: null,
  });
});

test("no reason is inferred, and an unknown count makes no sum", () => {
  expect(finishReasonOf({ unified: "other", raw: undefined }, {})).toBeUndefined();
  expect(finishReasonOf({ unified: "stop", raw: "end_turn" }, {})).toBe("stop");
  const known = { ...unknownUsage, inputTokens: 3, outputTokens: 1 };
  expect(sumUsage([known, { ...known, outputTokens: null }])).toMatchObject({
    inputTokens: 6,
    outputTokens: null,
  });
  expect(sumUsage([])).toEqual(unknownUsage);
  expect(readAdapterMetadata("text")).toEqual({});
});
