/**
 * @module CollectStream: collects the parts of a model's stream into one answer while passing them
 * on.
 */
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";

/** A provider's answer, streamed or not. */
export interface RawAnswer {
  readonly content: readonly LanguageModelV4Content[];
  readonly finishReason: LanguageModelV4FinishReason | undefined;
  readonly usage: LanguageModelV4Usage | undefined;
  readonly headers: Readonly<Record<string, string | undefined>> | undefined;
  readonly modelId: string | undefined;
}

/** Callbacks during the stream; `text` is awaited, which slows the provider down. */
export interface StreamWatcher {
  /** The first part with any of the answer. */
  readonly first: () => void;
  readonly text: (text: string) => Promise<void>;
}

type Growing = Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;

/** Parts that are collected unchanged. */
const whole: ReadonlySet<string> = new Set([
  "tool-call",
  "tool-result",
  "file",
  "source",
  "custom",
]);
/** Parts without any of the answer. */
const silent: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "raw", "ping"]);

/** Reads a stream to its end. An error part is thrown; an abort cancels the stream. */
export async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
  watcher: StreamWatcher,
): Promise<Omit<RawAnswer, "headers">> {
  const content: LanguageModelV4Content[] = [];
  const growing = new Map<string, Growing>();
  let finishReason: LanguageModelV4FinishReason | undefined;
  let usage: LanguageModelV4Usage | undefined;
  let modelId: string | undefined;
  const reader = stream.getReader();
  // The call has ended; a stream that cannot be cancelled changes nothing.
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      if (part.type === "error") throw part.error;
      if (!silent.has(part.type) && part.type !== "finish") watcher.first();
      if (part.type === "response-metadata") modelId = part.modelId ?? modelId;
      else if (part.type === "finish") ({ finishReason, usage } = part);
      else if (part.type === "text-delta") {
        grow(growing, part.id).text += part.delta;
        if (part.delta !== "") await watcher.text(part.delta);
      } else if (whole.has(part.type)) content.push(part as LanguageModelV4Content);
      else growPart(growing, content, part);
    }
  } finally {
    signal.removeEventListener("abort", stop);
    // The call has ended; a stream that cannot be cancelled changes nothing.
    reader.cancel().catch(() => undefined);
  }
  return { content, finishReason, usage, modelId };
}

function grow(growing: ReadonlyMap<string, Growing>, id: string): Growing {
  const found = growing.get(id);
  // A delta without a start is a broken stream; ignoring it would lose its text.
  if (found === undefined) throw new TypeError("stream part without a start");
  return found;
}

function growPart(
  growing: Map<string, Growing>,
  content: LanguageModelV4Content[],
  part: LanguageModelV4StreamPart,
): void {
  if (part.type === "text-start" || part.type === "reasoning-start") {
    const opened: Growing = { type: part.type === "text-start" ? "text" : "reasoning", text: "" };
    if (part.providerMetadata !== undefined) opened.providerMetadata = part.providerMetadata;
    growing.set(part.id, opened);
    content.push(opened);
  } else if (part.type === "reasoning-delta") {
    const found = grow(growing, part.id);
    found.text += part.delta;
    if (part.providerMetadata !== undefined) found.providerMetadata = part.providerMetadata;
  } else if (part.type === "text-end" || part.type === "reasoning-end") {
    if (part.providerMetadata !== undefined) {
      grow(growing, part.id).providerMetadata = part.providerMetadata;
    }
  }
}
