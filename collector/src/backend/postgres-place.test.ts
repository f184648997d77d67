/** @module Tests of the PostgreSQL settings. */
import { CodedError } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { serverOf } from "./backend.ts";
import { parseConfig } from "../config/read-config.ts";
import { postgresFolder } from "./postgres-place.ts";

test("a file: URL is a directory, everything else a server", () => {
  expect(postgresFolder("file:///var/lib/turn%20proof/db")).toBe("/var/lib/turn proof/db");
  expect(postgresFolder("postgres://u@db:5432/traces")).toBeUndefined();
  expect(() => postgresFolder("file://elsewhere/db")).toThrow(CodedError);
});

test("an embedded PostgreSQL is no server that may come later", () => {
  const url = (value: string) =>
    parseConfig({ TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: value });
  expect(serverOf(url("file:///var/lib/db"))).toBeUndefined();
  expect(serverOf(url("postgres://u:p@db:5432/traces"))).toBe("db:5432");
});
