/**
 * The alert rules for Prometheus: each is PromQL over metrics that the collector has, and has its
 * section in the runbook. Files of deployments name what there is.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { parser } from "@prometheus-io/lezer-promql";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";

import { variables } from "../../../collector/src/config/config-variables.ts";
import { openDesk } from "../collector/desk.ts";
import type { Desk } from "../collector/desk.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups } = parse(read("dashboards/prometheus/alerts.yml")) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

/** Names of metrics in an expression; undefined when it is no PromQL. */
function metricsIn(expr: string): readonly string[] | undefined {
  const names: string[] = [];
  let isBroken = false;
  parser.parse(expr).iterate({
    enter: ({ from, to, name, type }) => {
      if (type.isError) isBroken = true;
      if (name === "Identifier" && /^[a-z_]+$/.test(expr.slice(from, to))) {
        names.push(expr.slice(from, to));
      }
    },
  });
  return isBroken ? undefined : names;
}

describe("alert rules", () => {
  const token = "operator-q7KxZt4Wm9Rc2Yd8";
  let desk: Desk;
  let text = "";
  beforeAll(async () => {
    desk = await openDesk({
      TURNPROOF_BACKEND: "filesystem",
      TURNPROOF_UI_AUTH_TOKEN: token,
      TURNPROOF_AUDIT_SHIP: "syslog://127.0.0.1:9",
      TURNPROOF_FORWARD_URL: "http://127.0.0.1:9/v1/traces",
    });
    // Some have no sample until the store is compared.
    await vi.waitFor(async () => {
      text = await (await desk.get("/metrics", { authorization: `Bearer ${token}` })).text();
      expect(text).toContain("turnproof_evidence_missing_rows ");
    }, 60_000);
  });
  afterAll(() => desk.collector.close());

  test("are PromQL over metrics that a collector has", () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(metricsIn("sum(rate(a[5m]) by")).toBeUndefined();
    const families = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
    for (const { alert, expr, for: time, labels } of rules) {
      const names = metricsIn(expr)?.filter((name) => /^(?:turnproof|process)_/.test(name));
      expect([alert, names !== undefined]).toEqual([alert, true]);
      if (alert !== "TurnproofNotReady") expect([alert, names?.length]).not.toEqual([alert, 0]);
      for (const name of names ?? []) {
        const family = name.replace(/_(bucket|sum|count)$/, "");
        expect([alert, name, families.has(family)]).toEqual([alert, name, true]);
      }
      expect(time).toMatch(/^\d+[smh]$/);
      expect(["warning", "critical"]).toContain(labels.severity);
    }
  });

  test("each has its section in the runbook, and no section is without a rule", () => {
    const book = read("docs/operate/alerts.md");
    const sections = [...book.matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/operate/alerts.md#${alert.toLowerCase()}`);
      expect(annotations.summary.length).toBeGreaterThan(10);
    }
  });
});

test("profiles of ClickHouse lie where it reads them, in both compose files", () => {
  expect(read("dashboards/clickhouse/server.xml")).not.toContain("<profiles>");
  expect(read("dashboards/clickhouse/users.xml")).toMatch(
    /<profiles>\s*<default>[^]*<async_insert>0<\/async_insert>/,
  );
  const mount = "clickhouse/users.xml:/etc/clickhouse-server/users.d/turnproof.xml:ro";
  for (const file of ["docker-compose.yml", "dashboards/cluster/docker-compose.yml"]) {
    expect([file, read(file).includes(mount)]).toEqual([file, true]);
  }
});

test.each(["turnproof", "turnproof-retention"])(
  "the systemd unit %s has no rights beyond its data directory, and sets known variables",
  (name) => {
    const unit = read(`dashboards/systemd/${name}.service`);
    for (const line of [
      "DynamicUser=yes",
      // A name of its own, so that both units have one user and one data directory.
      "User=turnproof",
      "Environment=TURNPROOF_DATA_DIR=/var/lib/turnproof TURNPROOF_LOG=json",
      "EnvironmentFile=-/etc/turnproof/environment",
      "StateDirectory=turnproof",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "CapabilityBoundingSet=",
    ]) {
      expect(unit.split("\n")).toContain(line);
    }
    const known = new Set(variables.map(({ name }) => `TURNPROOF_${name}`));
    const named = unit.match(/TURNPROOF_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect([name, known.has(name)]).toEqual([name, true]);
  },
);

test("the image runs without rights on a read-only file system, from the lockfile", () => {
  const dockerfile = read("collector/Dockerfile");
  expect(dockerfile).toMatch(/^FROM node:[\d.]+-bookworm-slim$/m);
  expect(dockerfile).toMatch(/^RUN npm ci /m);
  expect(dockerfile).not.toMatch(/npm install/);
  expect(dockerfile).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \["node", "-e", ".*\/readyz/m);
  const { services } = parse(read("docker-compose.yml")) as {
    readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  expect(services["collector"]).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  // A password in an address breaks with the first character that has a meaning there.
  for (const file of ["docker-compose.yml", "dashboards/cluster/docker-compose.yml"]) {
    expect([file, /:\/\/[^\s/]*\$\{/.test(read(file))]).toEqual([file, false]);
  }
});

test.each([
  [undefined, "/readyz", 0],
  ["/", "/readyz", 0],
  ["/desk/", "/desk/readyz", 0],
  ["/desk", "/readyz", 1],
])("the image's health check under the base path %s", async (base, served, expected) => {
  const check = /^ {2}CMD (\[.*\])$/m.exec(read("collector/Dockerfile"))?.[1] ?? "[]";
  const [, ...args] = JSON.parse(check) as readonly string[];
  const server = createServer((request, response) => {
    response.writeHead(request.url === served ? 200 : 404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const env = {
    TURNPROOF_PORT: String(port),
    ...(base === undefined ? {} : { TURNPROOF_BASE_PATH: base }),
  };
  const [code] = (await once(spawn(process.execPath, args, { env }), "close")) as [number];
  server.close();
  expect(code).toBe(expected);
});

test("an image with a database server behind it has no embedded engine", () => {
  for (const file of ["docker-compose.yml", "dashboards/cluster/docker-compose.yml"]) {
    const builds = [...read(file).matchAll(/dockerfile: collector\/Dockerfile[^]*?args: (.*)$/gm)];
    expect([file, builds.map(([, args]) => args)]).toEqual([file, ["{ OMIT: chdb }"]]);
  }
});
