/** @module Tests: the error for a missing driver has the command that installs it. */
import { expect, test } from "vitest";

import { loadDriver } from "./driver.ts";

const absent = "a-driver-that-nobody-published";

test("a package that is not installed is a coded error with its install line", async () => {
  const loading = loadDriver(
    "mongodb",
    () => import(/* @vite-ignore */ absent) as Promise<unknown>,
  );
  await expect(loading).rejects.toMatchObject({
    code: "driver_missing",
    field: "npm install mongodb",
  });
});

test("a package that is there and fails to load says why itself", async () => {
  const broken = new Error("no native module here");
  const loading = loadDriver("chdb", () => Promise.reject(broken));
  await expect(loading).rejects.toBe(broken);
});

test("a package that is there is given as it is", async () => {
  expect(await loadDriver("node", () => import("node:path"))).toHaveProperty("join");
});
