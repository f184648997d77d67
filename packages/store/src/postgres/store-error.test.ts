/** @module StoreError classifies SQLSTATEs and never repeats a server's message. */
import { CodedError } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { storeError } from "./store-error.ts";

const ofState = (code: string): CodedError =>
  storeError(Object.assign(new Error("Key (user_id)=(secret) already exists"), { code }));

test.each([
  ["57P01", "store_unavailable"], // admin_shutdown
  ["57P03", "store_unavailable"], // cannot_connect_now
  ["08006", "store_unavailable"], // connection_failure
  ["28P01", "store_unavailable"], // invalid_password
  ["42P01", "store_unavailable"], // undefined_table
  ["XX000", "store_unavailable"], // internal_error
  ["25006", "store_unavailable"], // read_only_sql_transaction
  ["40001", "store_busy"], // serialization_failure
  ["40P01", "store_busy"], // deadlock_detected
  ["53300", "store_busy"], // too_many_connections
  ["53100", "disk_full"], // disk_full
  ["55P03", "store_busy"], // lock_not_available
  ["57014", "store_busy"], // query_canceled
] as const)("%s may pass later: %s", (state, code) => {
  expect(ofState(state)).toMatchObject({ code, retryable: true });
});

test.each(["42601", "42883", "0A000"])("%s is of a server that is too old", (state) => {
  expect(ofState(state)).toMatchObject({ code: "store_refused_statement", retryable: false });
});

test.each(["XX001", "XX002"])("%s is damage", (state) => {
  expect(ofState(state)).toMatchObject({ code: "store_corrupt", field: `postgres ${state}` });
});

test.each(["22003", "22P05", "23502", "23514", "54000"])("%s never passes", (state) => {
  expect(ofState(state)).toMatchObject({ code: "store_rejected_row", retryable: false });
});

test("what the server says stays with the server", () => {
  const error = ofState("23505");
  expect(error.message).not.toContain("secret");
  expect(error.cause).toBeUndefined();
  expect(error.field).toBe("postgres 23505");
});

test("sockets, full pools and errors of ours", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  expect(storeError(refused).code).toBe("store_unavailable");
  const full = new Error("timeout exceeded when trying to connect");
  expect(storeError(full)).toMatchObject({ code: "store_busy", retryable: true });
  const ours = new CodedError("store_conflict");
  expect(storeError(ours)).toBe(ours);
  expect(storeError(undefined).code).toBe("store_unavailable");
});
