/** Claims that the library admits and a sign-in does not. */
import { expect, test } from "vitest";

import { requirePlausible } from "./claims.ts";

const now = Date.parse("2026-11-21T10:00:00Z");
const iat = now / 1_000;

test.each([
  [{ sub: "", iat }, "OAUTH_SUBJECT_EMPTY"],
  [{ sub: " ", iat }, "OAUTH_SUBJECT_EMPTY"],
  [{ iat }, "OAUTH_SUBJECT_EMPTY"],
  [{ sub: "anna", iat: iat + 301 }, "OAUTH_ISSUED_IN_FUTURE"],
  [{ sub: "anna", iat: iat + 86_400 }, "OAUTH_ISSUED_IN_FUTURE"],
  [{ sub: "anna", iat, azp: "another" }, "OAUTH_ISSUED_TO_ANOTHER"],
])("%j is refused", (claims, code) => {
  expect(() => requirePlausible(claims, now, "turnproof")).toThrow(
    expect.objectContaining({ code }),
  );
});

test("a clock that is a little ahead is admitted", () => {
  expect(() => requirePlausible({ sub: "anna", iat: iat + 299 }, now, "turnproof")).not.toThrow();
});

test("a token that was issued to this client is admitted", () => {
  expect(() =>
    requirePlausible({ sub: "anna", iat, azp: "turnproof" }, now, "turnproof"),
  ).not.toThrow();
});
