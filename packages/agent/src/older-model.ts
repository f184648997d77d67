/**
 * @module OlderModel: adapts models of AI SDK 5 and 6 (specifications v2 and v3) to the interface
 * of AI SDK 7 (v4). Text, tool calls and tool results are the same in all three; token counts,
 * finish reasons and files differ in v2.
 */
import type {
  LanguageModelV2,
  LanguageModelV2FinishReason,
  LanguageModelV2Usage,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { CodedError } from "@turnproof/semconv";

/** Any language model of AI SDK 5, 6 or 7. */
export type AnyLanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/**
 * The model as one of specification v4.
 * @throws CodedError model_unsupported for anything else, e.g. the name of a model
 */
export function currentModel(model: AnyLanguageModel): LanguageModelV4 {
  switch ((model as Partial<AnyLanguageModel> | undefined)?.specificationVersion) {
    case "v4":
      return model as LanguageModelV4;
    case "v3":
    case "v2":
      return adapted(model as LanguageModelV2 | LanguageModelV3);
    default:
      throw new CodedError("model_unsupported", { field: "model" });
  }
}

/**
 * A proxy, because adapters keep state in private fields and may have members beyond the
 * interface.
 */
function adapted(model: LanguageModelV2 | LanguageModelV3): LanguageModelV4 {
  const old = model as unknown as LanguageModelV4;
  const doGenerate: LanguageModelV4["doGenerate"] = async (options) => {
    const result = await old.doGenerate(options);
    return {
      ...result,
      content: result.content.map(currentPart),
      finishReason: currentReason(result.finishReason),
      usage: currentUsage(result.usage),
    };
  };
  const doStream: LanguageModelV4["doStream"] = async (options) => {
    const result = await old.doStream(options);
    const current = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
      transform: (part, controller) => {
        controller.enqueue(
          part.type === "finish"
            ? {
                ...part,
                finishReason: currentReason(part.finishReason),
                usage: currentUsage(part.usage),
              }
            : currentPart(part),
        );
      },
    });
    return { ...result, stream: result.stream.pipeThrough(current) };
  };
  return new Proxy(old, {
    get(target, name) {
      if (name === "specificationVersion") return "v4";
      if (name === "doGenerate") return doGenerate;
      if (name === "doStream") return doStream;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** In the older interfaces a file is its data alone. */
function currentPart<T extends { readonly type: string }>(part: T): T {
  if (part.type !== "file") return part;
  const { data } = part as unknown as { readonly data: unknown };
  return { ...part, data: { type: "data", data } };
}

/** In v2 the reason is a single word, and `unknown` means none. */
function currentReason(
  reason: LanguageModelV4FinishReason | LanguageModelV2FinishReason,
): LanguageModelV4FinishReason {
  if (typeof reason !== "string") return reason;
  return reason === "unknown"
    ? { unified: "other", raw: undefined }
    : { unified: reason, raw: reason };
}

/** In v2 a count that the provider did not report is absent. */
function currentUsage(usage: LanguageModelV4Usage | LanguageModelV2Usage): LanguageModelV4Usage {
  if (typeof usage.inputTokens === "object" || typeof usage.outputTokens === "object") {
    return usage as LanguageModelV4Usage;
  }
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } =
    usage as LanguageModelV2Usage;
  return {
    inputTokens: {
      total: inputTokens,
      noCache: undefined,
      cacheRead: cachedInputTokens,
      cacheWrite: undefined,
    },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
    // The raw values are the provider's: a zero here is a reported zero.
    raw: JSON.parse(
      JSON.stringify({
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: totalTokens,
        cached_tokens: cachedInputTokens,
        reasoning_tokens: reasoningTokens,
      }),
    ) as NonNullable<LanguageModelV4Usage["raw"]>,
  };
}
