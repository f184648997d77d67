/** Addresses of ids: each passes the edge, is read back, and is that of before where it can be. */
import type { IncomingMessage } from "node:http";

import fc from "fast-check";
import { expect, test } from "vitest";

import { createEdge } from "../../http/edge.ts";
import { idOfSegment, pageAddress } from "./page-address.ts";

const edge = createEdge({ host: "127.0.0.1" });
const refusal = (url: string): string | undefined =>
  edge({
    url,
    rawHeaders: ["Host", "127.0.0.1"],
    socket: {},
  } as unknown as IncomingMessage);

/** What the routes read. */
function idAt(path: string): string {
  const segment = decodeURIComponent(path.split("/")[2] ?? "");
  return idOfSegment(segment.replace(/\.json$/, ""));
}

test.each([
  ["order-desk", "order-desk"],
  ["deskv1.2", "deskv1.2"],
  [".desk", ".desk"],
  ["a b#c", "a%20b%23c"],
  ["~user ~a", "~user%20~a"],
  ["acme/desk", "acme~2Fdesk"],
  ["a\\b;c", "a~5Cb~3Bc"],
  ["50%", "50~25"],
  [".", "~2E"],
  ["..", "~2E~2E"],
  ["a..b.", "a~2E~2Eb~2E"],
  ["a.json", "a~2Ejson"],
  ["a~2Fb", "a~7E2Fb"],
])("the address of %j is %s", (id, segment) => {
  expect(pageAddress("agents", id)).toBe(`/agents/${segment}`);
});

test("an address and its JSON pass the edge and a reader of URLs, and name the id", () => {
  const part = fc.constantFrom("/", "\\", ";", "%", ".", "..", "#", "?", "~", "2f", "7E", ".json");
  const text = fc.oneof(part, fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }));
  const id = fc
    .array(text, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join("").replaceAll(/\p{Cc}/gu, ""))
    .filter((one) => one !== "");
  fc.assert(
    fc.property(id, (one) => {
      for (const path of [pageAddress("threads", one), `${pageAddress("threads", one)}.json`]) {
        expect(refusal(path)).toBeUndefined();
        expect(new URL(path, "http://host").pathname).toBe(path);
        expect(idAt(path)).toBe(one);
      }
    }),
    { numRuns: 2000 },
  );
});
