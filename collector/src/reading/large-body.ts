/**
 * @module LargeBody: a body that was made as a whole, given to its socket piece by piece. As one
 * piece it would be copied at once, which holds the event loop and doubles its memory.
 */

/** Bodies up to this size are one piece; so is each piece of a larger one. */
const pieceBytes = 256 * 1024;

/** The body for a response: pieces of the same memory, each as the socket takes it. */
export function largeBody(
  body: ArrayBuffer,
): ArrayBuffer | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (body.byteLength <= pieceBytes) return body;
  let at = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const bytes = Math.min(pieceBytes, body.byteLength - at);
        controller.enqueue(new Uint8Array(body, at, bytes));
        at += bytes;
        if (at === body.byteLength) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
