/**
 * @module Gather: selects the frames of a batch and prepares them: in another thread where the
 * store accepts that, else here.
 */
import type { JournalPosition } from "./backlog.ts";
import { assembleBatch } from "./batch.ts";
import type { Batch, DecodeFrame, PreparedFrames } from "./batch.ts";
import { deferred } from "./deferred.ts";
import type { JournalFrame } from "./journal-reader.ts";

/** Frames of one batch, prepared in another thread or assembled here. */
export interface Gathered {
  readonly frames: readonly JournalFrame[];
  readonly through: JournalPosition;
  readonly prepared?: PreparedFrames;
  readonly assembled?: Batch;
}

/** Prepares frames in another thread; on undefined or a rejection this thread does it. */
export type PrepareFrames = (
  frames: readonly JournalFrame[],
) => Promise<PreparedFrames | undefined>;

/** Source of frames, bounds of the batch, and the preparing thread. */
export interface GatherOptions {
  readonly frames: AsyncIterable<JournalFrame>;
  /** Sequence of the end of a batch that may have been sent; undefined: the bounds decide. */
  readonly plannedEnd: number | undefined;
  readonly batchSpans: number;
  readonly batchBytes: number;
  readonly decode: DecodeFrame;
  readonly prepare: PrepareFrames | undefined;
  readonly stop: AbortSignal;
  /** Called before the batch is prepared. */
  readonly onRead: () => void;
}

/** Frames up to the planned end, or up to the bounds of a batch; undefined when there are none. */
export async function gatherFrames(options: GatherOptions): Promise<Gathered | undefined> {
  const { plannedEnd, batchSpans, batchBytes } = options;
  const frames: JournalFrame[] = [];
  let spans = 0;
  let bytes = 0;
  for await (const frame of options.frames) {
    if (plannedEnd !== undefined && frame.sequence > plannedEnd) break;
    frames.push(frame);
    spans += frame.spans;
    bytes += frame.payload.byteLength;
    if (plannedEnd !== undefined) continue;
    if (spans >= batchSpans || bytes >= batchBytes) break;
  }
  const through = frames.at(-1)?.position;
  if (through === undefined) return undefined;
  options.onRead();
  const prepared = await preparedUnlessStopped(options, frames);
  // None of them was sent: the next start reads them again.
  if (options.stop.aborted) return undefined;
  if (prepared !== undefined) return { frames, through, prepared };
  return { frames, through, assembled: await assembleBatch(frames, through, options.decode) };
}

/** The other thread's result; closing does not wait for it. */
async function preparedUnlessStopped(
  { prepare, stop }: GatherOptions,
  frames: readonly JournalFrame[],
): Promise<PreparedFrames | undefined> {
  if (prepare === undefined || stop.aborted) return undefined;
  const stopped = deferred<undefined>();
  const onStop = (): void => stopped.resolve(undefined);
  stop.addEventListener("abort", onStop);
  try {
    // Frames that were not prepared are stored as they are.
    return await Promise.race([prepare(frames).catch(() => undefined), stopped.promise]);
  } finally {
    stop.removeEventListener("abort", onStop);
  }
}
