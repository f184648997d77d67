/** Which addresses are those of the own machine. */
import { expect, test } from "vitest";

import { isLoopback } from "./loopback.ts";

test("loopback is a property of the address, not of its spelling", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"]) {
    expect([host, isLoopback(host)]).toEqual([host, true]);
  }
  for (const host of ["0.0.0.0", "::", "127.example", "localhost.example", "1.127.0.0"]) {
    expect([host, isLoopback(host)]).toEqual([host, false]);
  }
});
