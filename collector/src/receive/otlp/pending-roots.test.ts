/** Frames that a read of some roots waits for. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { PendingRoots, rootHashes } from "./pending-roots.ts";

const root = fc.constantFrom("a", "b", "c", "d", "e");

test("the frames with events of a root, and those of which nothing is known", () => {
  const frames = fc.array(fc.option(fc.array(root, { maxLength: 4 }), { nil: undefined }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(frames, fc.array(root), fc.nat(12), (held, wanted, drained) => {
      const pending = new PendingRoots();
      for (const [at, roots] of held.entries()) {
        if (roots !== undefined) pending.add(at + 1, rootHashes(roots), Math.min(drained, at));
      }
      const expected = held
        .slice(drained)
        .filter((roots) => roots === undefined || roots.some((one) => wanted.includes(one)));
      expect(pending.count(wanted, drained, held.length)).toBe(
        drained > held.length ? 0 : expected.length,
      );
    }),
  );
});

test("of very many frames each counts", () => {
  const pending = new PendingRoots();
  for (let at = 1; at <= 10_001; at++) pending.add(at, rootHashes(["a"]), 0);
  expect(pending.count(["b"], 1, 10_001)).toBe(0);
  expect(pending.count(["b"], 0, 10_001)).toBe(10_001);
});
