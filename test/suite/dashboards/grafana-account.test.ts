/**
 * Grafana's account of ClickHouse: it reads the views and what they read, and nothing else. Its
 * file and its grants are read by the engine's own parser; no server runs here that holds users.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";
import { parse } from "yaml";

import { demoClient } from "./demo-data.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const account = read("dashboards/clickhouse/grafana-user.xml");
const grants = [...account.matchAll(/<query>(.*)<\/query>/g)].map(([, query = ""]) => query);

test("the account reads the views and the tables behind them, and nothing else", async () => {
  const client = await demoClient();
  const rowsOf = async (query: string): Promise<readonly Record<string, string>[]> =>
    (await client.query({ query, format: "JSONEachRow" })).json<Record<string, string>>();
  const own = "database = currentDatabase() AND NOT startsWith(name, 'copied_')";
  const tables = await rowsOf(`SELECT name, as_select FROM system.tables WHERE ${own}`);
  const names = new Set(tables.map(({ name = "" }) => name));
  const views = tables.filter(({ as_select: text }) => text !== "");
  const behind = views.flatMap(({ as_select: text = "" }) =>
    [...text.matchAll(/\b(?:FROM|JOIN) (?:\w+\.)?(\w+)/g)].map(([, name = ""]) => name),
  );
  const needed = [...views.map(({ name = "" }) => name), ...behind].filter((name) =>
    names.has(name),
  );
  expect(names.size).toBeGreaterThan(new Set(needed).size);
  expect(grants.toSorted()).toEqual(
    [...new Set(needed)].map((name) => `GRANT SELECT ON turnproof.${name}`).toSorted(),
  );
  for (const grant of grants) {
    const [row] = await rowsOf(`SELECT formatQuerySingleLine('${grant} TO grafana') AS text`);
    expect(row?.["text"]).toBe(`${grant} TO grafana`);
  }
  await client.close();
});

test("it cannot write, nor lift its bounds, and has a secret of its own", () => {
  expect(account).toMatch(/<readonly>2<\/readonly>\s*<allow_ddl>0<\/allow_ddl>/);
  expect(account).toMatch(/<allow_ddl><const\/><\/allow_ddl>/);
  expect(account).not.toMatch(/access_management|<password>|FILE|URL/);
  const [, variable = ""] = /<password from_env="(\w+)"\/>/.exec(account) ?? [];
  const { services } = parse(read("docker-compose.yml")) as {
    readonly services: Readonly<Record<string, { readonly environment: object }>>;
  };
  const { clickhouse, grafana } = services;
  expect(clickhouse?.environment).toHaveProperty(variable, expect.stringMatching(/^\$\{\w+:\?/));
  expect(grafana?.environment).toHaveProperty(variable);
  expect(grafana?.environment).not.toHaveProperty("CLICKHOUSE_PASSWORD");
  expect(read("docker-compose.yml")).toContain(
    "./dashboards/clickhouse/grafana-user.xml:/etc/clickhouse-server/users.d/grafana-user.xml:ro",
  );
  const { datasources } = parse(
    read("dashboards/grafana/provisioning/datasources/clickhouse.yaml"),
  ) as { readonly datasources: readonly object[] };
  expect(datasources).toMatchObject([
    { jsonData: { username: "grafana" }, secureJsonData: { password: `$${variable}` } },
  ]);
});
