/**
 * @module FileWindow: whether a file of evidence has everything that was received. Rows have no
 * place for it, so it is a header, `turnproof-window`, of exports and of the files of lists.
 */
import type { AppContext } from "../http/environment.ts";
import { readingFor } from "../http/query.ts";
import type { Parts } from "../parts.ts";
import { isComplete, pendingFrames } from "../turns/window.ts";

/** The header. */
export function windowHeader(isWhole: boolean): Readonly<Record<"turnproof-window", string>> {
  return { "turnproof-window": isWhole ? "complete" : "partial" };
}

/** The sentence about the header in the API description. */
export const windowText =
  "The header `turnproof-window` is `partial` where frames are pending, evidence is known to be " +
  "damaged or gone, or a bound ended the reading as the file began; else `complete`.";

/** The window of one file. */
export interface FileWindow {
  /** A bound ended the reading; in time before the first part is written. */
  readonly bound: () => void;
  /** As known when the first part has been read. */
  readonly header: () => Promise<ReturnType<typeof windowHeader>>;
}

/**
 * Begins with a file, before it is read: what arrives meanwhile may be missing in it. Gaps of
 * single traces count where the requester can read a turn of them, whatever the filters.
 */
export async function fileWindow(c: AppContext, parts: Parts): Promise<FileWindow> {
  const pending = await pendingFrames(parts);
  let isBounded = false;
  return {
    bound: () => {
      isBounded = true;
    },
    header: async () => {
      const query = { scope: readingFor(c, {}).scope, where: [] };
      return windowHeader(!isBounded && (await isComplete(parts, pending, query)));
    },
  };
}
