/**
 * @module `turnproof migrate` over MongoDB's search indexes: a dry run that prints what is missing,
 * a run that makes it and waits, and the same again. On the test's own server, which has search.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { mongodb } from "@turnproof/store";
import { expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";

const launcher = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));

interface Answer {
  readonly code: number;
  readonly stores: readonly { readonly store: string; readonly search_indexes?: object[] }[];
  readonly err: string;
}

async function migrate(url: string, ...flags: readonly string[]): Promise<Answer> {
  const env = {
    PATH: process.env["PATH"],
    TURNPROOF_BACKEND: "ephemeral",
    TURNPROOF_MEMORY_BACKEND: "mongodb",
    DOCUMENT_DB_URI: url,
  };
  const args = [launcher, "migrate", "--json", ...flags];
  const done = await promisify(execFile)(process.execPath, args, { env }).then(
    (out) => ({ code: 0, ...out }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  const { stores } = JSON.parse(done.stdout) as Pick<Answer, "stores">;
  return { code: done.code, stores, err: done.stderr };
}

const stateOf = ({ stores }: Answer): object | undefined =>
  stores
    .flatMap(({ search_indexes: found }) => found ?? [])
    .find((row) => (row as { readonly collection?: string }).collection === "entity_memory");

test("search indexes are looked at, made and waited for", async () => {
  await using server = await startMongo({ search: true, slowBuilds: true });
  const url = `${server.url}/migrated`;
  const provider = await mongodb({ url });
  const row = { id: "e", embedding: [1, 0, 0], data: {}, created_at: "2026-01-01T00:00:00Z" };
  await provider.memory.put({ tenant: "ann" }, "entity", row);
  await provider.close();
  const dry = await migrate(url);
  const about = { collection: "entity_memory", dimensions: 3 };
  expect([dry.code, stateOf(dry), dry.err]).toEqual([3, { ...about, state: "missing" }, ""]);
  expect(server.commands).not.toContain("createSearchIndexes");
  const building = setInterval(() => server.finishBuilding(), 300);
  const made = await migrate(url, "--apply");
  clearInterval(building);
  expect([made.code, stateOf(made)]).toEqual([0, { ...about, state: "ready" }]);
  const again = await migrate(url);
  expect([again.code, stateOf(again)]).toEqual([0, { ...about, state: "ready" }]);
  expect(server.commands.filter((name) => name === "createSearchIndexes")).toHaveLength(1);
  expect(server.violations).toEqual([]);
});
