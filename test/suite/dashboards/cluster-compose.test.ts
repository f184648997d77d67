/**
 * @module The cluster to try: its compose file holds together, the engine reads its configuration
 * as two shards of two replicas, and its scripts are scripts. Docker is not needed here;
 * `dashboards/cluster/check.sh` runs the cluster where there is one.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { createClient } from "@clickhouse/client";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { variables } from "../../../collector/src/config/config-variables.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { noPlainSecret } from "./compose-secrets.ts";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, "dashboards/cluster");
const read = (path: string): string => readFileSync(join(folder, path), "utf8");

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: { readonly [name: string]: string };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
}

const compose = parse(read("docker-compose.yml"), { merge: true }) as {
  readonly services: { readonly [name: string]: Service };
  readonly volumes: object;
};
const services = Object.entries(compose.services);
const servers = services.filter(([name]) => name.startsWith("shard"));
const collectors = services.filter(([name]) => name.startsWith("collector"));

describe("docker-compose.yml of the cluster", () => {
  test("has two shards of two replicas and two collectors, published on loopback alone", () => {
    const places = servers.map(([name, { environment = {} }]) => {
      expect(environment["SERVER_NAME"]).toBe(name);
      return `shard${environment["SHARD"]}-${environment["REPLICA"]}`;
    });
    expect(places).toEqual(servers.map(([name]) => name));
    expect([servers.length, collectors.length]).toEqual([4, 2]);
    for (const port of services.flatMap(([, { ports = [] }]) => ports)) {
      expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
  });

  test("names files, volumes and services that there are, and images by version", () => {
    const single = parse(readFileSync(join(root, "docker-compose.yml"), "utf8")) as typeof compose;
    const engine = single.services["clickhouse"]?.image.split(":")[1];
    for (const [name, service] of services) {
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        const there = source.startsWith(".")
          ? existsSync(join(folder, source))
          : Object.hasOwn(compose.volumes, source);
        expect([name, source, there]).toEqual([name, source, true]);
      }
      for (const other of Object.keys(service.depends_on ?? {})) {
        expect(Object.keys(compose.services)).toContain(other);
      }
      const { build, image } = service;
      if (build === undefined) expect(image.split(":")[1]).toBe(engine);
      else expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
    }
  });

  test("sets only variables that the collector reads, and no secret in plain text", () => {
    for (const [, { environment = {} }] of collectors) {
      for (const [name, value] of Object.entries(environment)) {
        const row = variables.find((one) => `TURNPROOF_${one.name}` === name);
        expect([name, row !== undefined]).toEqual([name, true]);
        if (row?.secret === true)
          expect([name, value]).toEqual([name, expect.stringMatching(noPlainSecret)]);
      }
    }
  });
});

test("the engine reads the configuration as the shards of the compose file", async () => {
  const environment = servers[2]?.[1].environment ?? {};
  process.env["CLUSTER_SECRET"] = "a secret of the test";
  for (const name of ["SHARD", "REPLICA", "SERVER_NAME"]) process.env[name] = environment[name];
  await using server = await startClickhouseServer({ config: read("server.xml") });
  const client = createClient({ url: server.url });
  const request = async (query: string): Promise<string> =>
    (await (await client.query({ query, format: "TabSeparated" })).text()).trim();
  const hosts = `SELECT concat('shard', toString(shard_num), ' ', host_name) FROM system.clusters
    WHERE cluster = 'turnproof' ORDER BY shard_num, replica_num`;
  expect((await request(hosts)).split("\n")).toEqual(
    servers.map(([name]) => `${name.split("-")[0]} ${name}`),
  );
  expect(await request("SELECT concat(getMacro('shard'), getMacro('replica'))")).toBe("2a");
  await client.close();
  expect(
    collectors.map(([, { environment: own }]) => own?.["TURNPROOF_CLICKHOUSE_CLUSTER"]),
  ).toEqual(["turnproof", "turnproof"]);
});

describe("the scripts of the cluster", () => {
  const scripts = readdirSync(folder).filter((name) => name.endsWith(".sh"));

  test.each(scripts)("%s is one that bash reads", (name) => {
    execFileSync("bash", ["-n", join(folder, name)]);
    expect(read(name).split("\n")[0]).toBe("#!/usr/bin/env bash");
  });

  test("without Docker the check says that nothing was checked", async () => {
    const path = { PATH: "/nonexistent" };
    const run = promisify(execFile)(
      "/bin/bash",
      ["-c", `dirname() { echo ${folder}; }; . ${folder}/check.sh`],
      {
        env: path,
      },
    );
    await expect(run).rejects.toMatchObject({
      code: 77,
      stdout: expect.stringContaining("nothing was checked"),
    });
  });
});
