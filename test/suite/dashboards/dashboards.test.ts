/** The compose file holds together, and every query of every dashboard answers on demo data. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { ClickHouseClient } from "@clickhouse/client";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { variables } from "../../../collector/src/config/config-variables.ts";
import { judgeTurns, openDesk, recordEvents } from "../collector/desk.ts";
import { bareDay, lacking } from "./bare-turn.ts";
import { noPlainSecret } from "./compose-secrets.ts";
import {
  demo,
  demoClient,
  finding_codes,
  insight_codes,
  overCopies,
  overSingles,
} from "./demo-data.ts";
import {
  day,
  expanded,
  hrefOf,
  idOf,
  isTurn,
  linksOf,
  notRecorded,
  oddValues,
} from "./grafana-macros.ts";
import { oddDay, oddNames, other } from "./odd-names.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: { readonly [name: string]: string };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
}

describe("docker-compose.yml", () => {
  const compose = parse(read("docker-compose.yml")) as {
    readonly services: { readonly [name: string]: Service };
    readonly volumes: object;
  };
  const services = Object.entries(compose.services);

  test("publishes on loopback alone", () => {
    const ports = services.flatMap(([, { ports: published = [] }]) => published);
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test("names files, volumes and services that there are", () => {
    for (const [name, service] of services) {
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        const there = source.startsWith("./")
          ? existsSync(join(root, source))
          : Object.hasOwn(compose.volumes, source);
        expect([name, source, there]).toEqual([name, source, true]);
      }
      for (const other of Object.keys(service.depends_on ?? {})) {
        expect(Object.keys(compose.services)).toContain(other);
      }
      const { build, image } = service;
      if (build === undefined) expect(image).toMatch(/^[a-z/-]+:\d+(\.\d+)*$/);
      else expect(existsSync(join(root, build.context, build.dockerfile))).toBe(true);
    }
  });

  test("sets only variables that the collector reads, and no secret in plain text", () => {
    const known = new Set(variables.map(({ name }) => `TURNPROOF_${name}`));
    const given = Object.entries(compose.services["collector"]?.environment ?? {});
    for (const [name, value] of given) {
      expect([name, known.has(name)]).toEqual([name, true]);
      const secret = variables.find((row) => `TURNPROOF_${row.name}` === name)?.secret === true;
      if (secret) expect([name, value]).toEqual([name, expect.stringMatching(noPlainSecret)]);
    }
  });

  test("the collector's image is built from what the repository has", () => {
    const dockerfile = read("collector/Dockerfile");
    expect(existsSync(join(root, "collector/bin/turnproof.js"))).toBe(true);
    expect(dockerfile).toContain("collector/bin/turnproof.js");
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});

describe("provisioning", () => {
  const folder = "dashboards/grafana/provisioning";

  test("the data source is the one that every panel asks", () => {
    const { datasources } = parse(read(`${folder}/datasources/clickhouse.yaml`)) as {
      readonly datasources: readonly { readonly uid: string; readonly type: string }[];
    };
    const sources = datasources.map(({ uid, type }) => `${type} ${uid}`);
    for (const { target, name } of panels()) {
      const { type, uid } = target.datasource;
      expect([name, sources]).toEqual([name, expect.arrayContaining([`${type} ${uid}`])]);
    }
  });

  test("dashboards are read from where compose mounts them", () => {
    const { providers } = parse(read(`${folder}/dashboards/turnproof.yaml`)) as {
      readonly providers: readonly { readonly options: { readonly path: string } }[];
    };
    for (const { options } of providers) {
      expect(read("docker-compose.yml")).toContain(`./dashboards/grafana:${options.path}:ro`);
    }
  });
});

interface Target {
  readonly rawSql: string;
  readonly datasource: { readonly type: string; readonly uid: string };
}
interface Dashboard {
  readonly uid: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly type: string;
    readonly targets: readonly Target[];
  }[];
}

const files = readdirSync(join(root, "dashboards/grafana")).filter((name) =>
  name.endsWith(".json"),
);

function panels(): { name: string; target: Target; type: string }[] {
  return files.flatMap((file) => {
    const dashboard = JSON.parse(read(`dashboards/grafana/${file}`)) as Dashboard;
    return dashboard.panels.flatMap(({ title, type, targets }) =>
      targets.map((target) => ({ name: `${file}: ${title}`, target, type })),
    );
  });
}

let client: ClickHouseClient;

beforeAll(async () => {
  client = await demoClient();
});
afterAll(() => client.close());

describe("dashboards", () => {
  test("each has an id of its own", () => {
    const boards = files.map((file) => JSON.parse(read(`dashboards/grafana/${file}`)) as Dashboard);
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(7);
    for (const { panels: all } of boards)
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  test.each(panels())("$name", async ({ target, type }) => {
    const query = expanded(target.rawSql);
    const answer = await client.query({ query, format: "JSONEachRow" });
    const rows = await answer.json<Record<string, unknown>>();
    expect(rows.length).toBeGreaterThan(0);
    if (type === "timeseries") for (const row of rows) expect(row).toHaveProperty("time");
    for (const name of ["turns", "calls", "outcomes"]) {
      for (const row of rows) if (name in row) expect([name, Number(row[name])]).toEqual([name, 1]);
    }
  });
});

const variableValues = {
  agent: "helper",
  application: "desk",
  tenant: "id:alice",
  release: "1.4.0",
  environment: "production",
};

describe("variables", () => {
  interface Board extends Dashboard {
    readonly links: readonly { readonly includeVars: boolean }[];
    readonly templating: {
      readonly list: readonly {
        readonly name: string;
        readonly query: string | { readonly rawSql: string };
      }[];
    };
  }
  const boards = files.map((file) => ({
    file,
    board: JSON.parse(read(`dashboards/grafana/${file}`)) as Board,
  }));
  const [first] = boards;

  async function rowsOf(sql: string): Promise<Record<string, unknown>[]> {
    const answer = await client.query({ query: sql, format: "JSONEachRow" });
    return answer.json<Record<string, unknown>>();
  }

  const copiedRows = async (sql: string): Promise<Record<string, unknown>[]> => {
    const text = overCopies(sql);
    expect(text).not.toBe(sql);
    return withoutFilter(await rowsOf(text));
  };

  /** The filter of a row's link names the variables that were chosen. */
  const withoutFilter = (rows: readonly Record<string, unknown>[]): Record<string, unknown>[] =>
    rows.map(({ filter: _filter, ...row }) => row);

  test("are the same on every dashboard, and its links keep them", () => {
    for (const { file, board } of boards) {
      expect([file, board.templating]).toEqual([file, first?.board.templating]);
      for (const { includeVars } of board.links) expect([file, includeVars]).toEqual([file, true]);
    }
  });

  test("are those that operators divide by, and each lists the values there are", async () => {
    const listed: Record<string, unknown[]> = {};
    for (const { name, query } of first?.board.templating.list ?? []) {
      if (typeof query === "string") continue;
      const rows = await rowsOf(query.rawSql.replace("now() - INTERVAL 30 DAY", "toDateTime(0)"));
      // The first column is the value, the second what is shown.
      for (const row of rows) expect(Object.keys(row)).toEqual(["id", "name"]);
      listed[name] = rows;
    }
    const expected = Object.entries(variableValues).map(([name, value]) => {
      const both = [value, oddNames[name as keyof typeof oddNames]].toSorted();
      // What has no name comes first, so that the limit never takes it away.
      const absent = lacking.some((one) => one === name) ? [notRecorded] : [];
      return [name, [...absent, ...both].map((shown) => ({ id: idOf(shown), name: shown }))];
    });
    expect(listed).toEqual(Object.fromEntries(expected));
  });

  test.each(panels())(
    "$name is answered by names with quotes and backslashes, and by no other name",
    async ({ target }) => {
      const all = await copiedRows(expanded(target.rawSql, {}, oddDay));
      expect(all.length).toBeGreaterThan(0);
      const entries = Object.entries(oddNames);
      const both = Object.fromEntries(entries.map(([name, odd]) => [name, [odd, other]]));
      for (const chosen of [oddNames, both])
        expect(await copiedRows(expanded(target.rawSql, chosen, oddDay))).toEqual(all);
      for (const [name] of entries) {
        const rows = await copiedRows(expanded(target.rawSql, { [name]: other }, oddDay));
        expect([name, rows]).toEqual([name, []]);
      }
    },
  );

  test.each(panels())("$name counts an event once that was sent again", async ({ target }) => {
    const text = overCopies(expanded(target.rawSql));
    expect(withoutFilter(await rowsOf(text))).toEqual(
      withoutFilter(await rowsOf(overSingles(text))),
    );
  });

  test.each(panels())(
    "$name is answered by each variable, and by none that is not there",
    async ({ target }) => {
      expect((await copiedRows(expanded(target.rawSql, variableValues))).length).toBeGreaterThan(0);
      for (const name of Object.keys(variableValues)) {
        const sql = expanded(target.rawSql, { ...variableValues, [name]: "it's not there" });
        expect([name, await copiedRows(sql)]).toEqual([name, []]);
      }
    },
  );

  test.each(panels())(
    "$name is answered by what is not recorded, alone and beside a name, and by no name then",
    async ({ target }) => {
      const all = await copiedRows(expanded(target.rawSql, {}, bareDay));
      expect(all.length).toBeGreaterThan(0);
      const chosen = (
        value: string | readonly string[],
      ): Record<string, string | readonly string[]> =>
        Object.fromEntries(lacking.map((name) => [name, value]));
      for (const value of [notRecorded, [other, notRecorded]])
        expect(await copiedRows(expanded(target.rawSql, chosen(value), bareDay))).toEqual(all);
      for (const name of lacking) {
        for (const [value, on] of [
          [other, bareDay],
          [notRecorded, day],
        ] as const) {
          const rows = await copiedRows(expanded(target.rawSql, { [name]: value }, on));
          expect([name, value, rows]).toEqual([name, value, []]);
        }
      }
    },
  );

  test.each(panels())(
    "$name is answered by several values, by all and by none",
    async ({ target }) => {
      const all = withoutFilter(await rowsOf(expanded(target.rawSql)));
      expect(all.length).toBeGreaterThan(0);
      const entries = Object.entries(variableValues);
      // No form takes a row away, so that one query holds a form of every variable.
      const forms: readonly ((value: string) => string[])[] = [
        (value) => ["it's not there", value],
        () => ["$__all"],
        () => [],
      ];
      for (const form of forms) {
        const chosen = Object.fromEntries(entries.map(([name, value]) => [name, form(value)]));
        const rows = await copiedRows(expanded(target.rawSql, chosen));
        expect([chosen, rows]).toEqual([chosen, all]);
      }
      const one = await copiedRows(expanded(target.rawSql, variableValues));
      expect(one).toEqual(all);
      for (const [name] of entries) {
        const others = expanded(target.rawSql, { [name]: ["it's not there", "nor this"] });
        expect([name, await copiedRows(others)]).toEqual([name, []]);
      }
    },
  );

  test("rows of every dashboard lead to turns of the collector", () => {
    for (const { file, board } of boards) {
      const leading = board.panels.filter((panel) => linksOf(panel).some(isTurn));
      expect([file, leading.length]).toEqual([file, 1]);
      for (const { targets } of leading) expect(targets[0]?.rawSql).toMatch(/, root_trace_id FROM/);
    }
  });

  test("each link opens what its row names, whatever signs the value has", async () => {
    const store = ephemeral();
    await store.append({ batchId: "demo", receivedAt: `${day}T10:00:00.000000Z`, events: demo() });
    await recordEvents(store, demo());
    await judgeTurns(store, ["root-demo"], { verdict: "partial", finding_codes, insight_codes });
    const desk = await openDesk(
      {},
      { store, judge: false, now: () => Date.parse(`${day}T11:00Z`) },
    );
    let followed = 0;
    for (const { board } of boards) {
      for (const panel of board.panels) {
        const [row] = await rowsOf(expanded(panel.targets[0]?.rawSql ?? ""));
        for (const link of linksOf(panel)) {
          const path = hrefOf(link, row ?? {});
          const answer = await desk.get(path);
          expect([path, answer.status]).toEqual([path, 200]);
          expect([path, (await answer.text()).includes("root-demo")]).toEqual([path, true]);
          const odd = new URL(`http://x${hrefOf(link, oddValues(row ?? {}))}`);
          expect([link, odd.pathname.split("/").length, odd.hash]).toEqual([
            link,
            isTurn(link) ? 3 : 2,
            "",
          ]);
          expect([...odd.searchParams].length).toBe(isTurn(link) ? 3 : 1);
          followed += 1;
        }
      }
    }
    expect(followed).toBe(11);
    await desk.collector.close();
  });
});
