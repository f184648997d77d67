/** A store that fails: a sentence of ours for the caller, the engine's number for the log alone. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import { expect, test } from "vitest";

import { quiet } from "./desk.ts";

test.each([
  ["clickhouse 47", "store_unavailable"],
  ["postgres 57014", "store_busy"],
  ["mongodb 13", "store_unavailable"],
] as const)("%s is no field of an answer", async (field, code) => {
  const lines: object[] = [];
  const log = {
    ...quiet,
    error: (event: string, fields?: object) => void lines.push({ event, ...fields }),
  };
  const fail = async (): Promise<never> => {
    throw new CodedError(code, { field });
  };
  const sound = ephemeral();
  const ledger = {
    ...sound.ledger,
    listTurns: fail,
    turnFacets: fail,
    turnFigures: fail,
    turnGroups: fail,
  };
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-failing-"));
  const collector = await createCollector({
    config: parseConfig({ TURNPROOF_BACKEND: "ephemeral", TURNPROOF_DATA_DIR: dataDir }),
    store: { ...sound, page: fail, find: fail, root: fail, bundles: fail, ledger },
    log,
    judge: false,
  });
  for (const path of [
    "/traces/events.json",
    "/traces/events.json?view=bundles",
    "/traces/turns.json",
    "/traces/find.json?id=x",
    "/traces/root-1.json",
    "/agents.json",
  ]) {
    const response = await collector.app.request(`http://localhost:4318${path}`);
    const text = await response.text();
    expect([path, response.status, response.headers.get("retry-after")]).toEqual([path, 503, "5"]);
    const problem = JSON.parse(text) as object;
    expect(problem).toMatchObject({ code, type: `urn:turnproof:problem:${code}` });
    expect(problem).not.toHaveProperty("field");
    expect(text).not.toContain(field);
    expect(lines.at(-1)).toMatchObject({ event: "request_failed", code, field });
  }
  await collector.close();
});
