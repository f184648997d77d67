/**
 * @module Download: an answer that is written as it is read, so that its size is bounded by
 * nothing and its memory by one part. It ends with its reader, its session or its account; a
 * failure after the first part breaks the transfer, so that half an answer never looks whole.
 */
import { isoTime } from "@turnproof/semconv";

import type { Parts } from "../parts.ts";
import { holderOf } from "./event-stream.ts";
import type { AppContext } from "./environment.ts";

/** One file. */
export interface Download {
  /** Without the time, which is added: `turns`. */
  readonly name: string;
  readonly extension: string;
  readonly type: string;
  /** Its parts, in order; read one by one, as the client takes them. */
  readonly parts: (signal: AbortSignal) => AsyncGenerator<Uint8Array<ArrayBuffer>>;
  /** Headers that are known once the first part is read. */
  readonly headers?: () => Promise<Readonly<Record<string, string>>>;
}

/**
 * Answers with a file. The first part is read before the answer begins, so that a failure of the
 * store has its own status.
 *
 * @throws CodedError `streams_full`, and what reading the first part throws
 */
export async function download(
  c: AppContext,
  { streams, now }: Pick<Parts, "streams" | "now">,
  { name, extension, type, parts, headers: late = async () => ({}) }: Download,
): Promise<Response> {
  const headers = {
    "Content-Type": type,
    "Content-Disposition": `attachment; filename="${fileName(name, extension, now())}"`,
  };
  if (c.req.method === "HEAD") return c.body(null, 200, { ...headers, ...(await late()) });
  const held = streams.hold(holderOf(c));
  const left = new AbortController();
  const signal = AbortSignal.any([held.signal, left.signal]);
  const source = parts(signal);
  const end = async (): Promise<void> => {
    held.release();
    await source.return(undefined);
  };
  try {
    const first = await source.next();
    const more = await late();
    c.set("bodyFollows", true);
    return c.body(streamOf(first, source, { signal, left, end }), 200, { ...headers, ...more });
  } catch (error) {
    held.release();
    throw error;
  }
}

/** `turns-20261125T143000Z.csv`: no part of it comes from the request. */
function fileName(name: string, extension: string, nowMs: number): string {
  const at = isoTime(nowMs).replace(/\.\d+|[-:]/g, "");
  return `${name}-${at}.${extension}`;
}

interface Ending {
  readonly signal: AbortSignal;
  readonly left: AbortController;
  readonly end: () => Promise<void>;
}

function streamOf(
  first: IteratorResult<Uint8Array<ArrayBuffer>>,
  source: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  { signal, left, end }: Ending,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next: IteratorResult<Uint8Array<ArrayBuffer>> | undefined = first;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          signal.throwIfAborted();
          const { done, value } = next ?? (await source.next());
          next = undefined;
          if (done === true) {
            controller.close();
            await end();
          } else controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          await end();
        }
      },
      async cancel() {
        left.abort();
        await end();
      },
    },
    { highWaterMark: 1 },
  );
}
