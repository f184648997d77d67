/**
 * @module PageParts: a page in two parts. The second follows when it is made, so that a reader has
 * the first meanwhile; nothing of it depends on a script.
 */
import type { AppContext } from "./environment.ts";

/** The place of the second part in the markup of a page, as `LaterPart` draws it. */
const laterMark = '<template data-later=""></template>';

/** A page, and the markup that goes to the place of its {@link laterMark}. */
interface PageInParts {
  readonly text: string;
  /** Never rejected: it holds what is known, or that nothing is. */
  readonly later: Promise<string>;
  readonly status: number;
}

const mediaType = { "Content-Type": "text/html; charset=UTF-8" };

/** The answer. A HEAD request has no body, so none is left waiting for a reader. */
export async function pageInParts(
  c: AppContext,
  { text, later, status }: PageInParts,
): Promise<Response> {
  const [first = "", last = ""] = text.split(laterMark);
  if (c.req.method === "HEAD") {
    return c.body(first + (await later) + last, status as 200, mediaType);
  }
  c.set("bodyFollows", true);
  const encoder = new TextEncoder();
  const pieces = [async () => first, async () => (await later) + last];
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(encoder.encode(await piece()));
    },
  });
  return c.body(body, status as 200, mediaType);
}
