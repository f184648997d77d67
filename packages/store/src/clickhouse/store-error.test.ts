/** @module Tests of error classes: only a row that can never be stored is permanent. */
import { expect, test } from "vitest";

import { storeError } from "./store-error.ts";

const engine = (code: number, name: string): Error =>
  new Error(`Code: ${code}. DB::Exception: secret-value in row (${name})`);

test.each([
  [60, "UNKNOWN_TABLE", "store_unavailable"],
  [16, "NO_SUCH_COLUMN_IN_TABLE", "store_unavailable"],
  [252, "TOO_MANY_PARTS", "store_busy"],
  [241, "MEMORY_LIMIT_EXCEEDED", "store_busy"],
  [242, "TABLE_IS_READ_ONLY", "store_busy"],
  [164, "READONLY", "store_unavailable"],
  [159, "TIMEOUT_EXCEEDED", "store_busy"],
  [516, "AUTHENTICATION_FAILED", "store_unavailable"],
  [99_999, "NEVER_SEEN", "store_unavailable"],
])("%i %s may pass later", (code, name, expected) => {
  const error = storeError(engine(code, name));
  expect(error.code).toBe(expected);
  expect(error.retryable).toBe(true);
  expect(`${error.message}${String(error.cause)}${error.stack ?? ""}`).not.toContain(
    "secret-value",
  );
});

test("a table of ours that is gone is damage, by its name alone", () => {
  const error = storeError(
    new Error("Code: 60. DB::Exception: Table default.bundles does not exist. (secret-value)"),
  );
  expect([error.code, error.field]).toEqual(["store_corrupt", "clickhouse 60 bundles"]);
});

test.each([
  [469, "VIOLATED_CONSTRAINT"],
  [321, "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE"],
])("%i %s never passes", (code, name) => {
  const error = storeError(engine(code, name));
  expect(error.code).toBe("store_rejected_row");
  expect(error.retryable).toBe(false);
});

test("an answer that is not the engine's is called so, without its text", () => {
  expect(storeError(new Error("upstream busy"))).toMatchObject({ field: "clickhouse http" });
  expect(storeError(new Error(""))).toMatchObject({ field: "clickhouse http" });
  expect(storeError(new Error("Timeout error.")).field).toBeUndefined();
  expect(storeError(new TypeError("x")).field).toBeUndefined();
});

test("no connection, a timeout and a lock have their own words", () => {
  expect(storeError(Object.assign(new Error("x"), { code: "ECONNREFUSED" })).retryable).toBe(true);
  expect(storeError(new Error("Timeout error.")).code).toBe("store_unavailable");
  expect(storeError(engine(76, "CANNOT_OPEN_FILE")).code).toBe("store_locked");
});

test.each([
  ["Code: 75. DB::Exception: Cannot write to file, errno: 28, strerror: No space", "disk_full"],
  ["Code: 1001. DB::Exception: std::exception: No space left on device", "disk_full"],
  ["Code: 40. DB::Exception: Checksum mismatch for file data.bin", "store_corrupt"],
  ["Code: 107. DB::Exception: File data.bin is not there", "store_corrupt"],
  ["Code: 432. DB::Exception: Unknown codec family code: 165", "store_corrupt"],
  ["Code: 75. DB::Exception: Cannot write to file, errno: 5", "store_unavailable"],
])("a full disk and damage have their own words: %s", (text, code) => {
  expect(storeError(new Error(text)).code).toBe(code);
});
