/**
 * Values of variables in the address of a dashboard. Grafana keeps those that no list has, so that
 * a link to a dashboard may hold any text: none ends the literal that it is in, on the real engine.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { ClickHouseClient } from "@clickhouse/client";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { bareDay } from "./bare-turn.ts";
import { demoClient, overCopies } from "./demo-data.ts";
import { day, expandedRaw, idOf } from "./grafana-macros.ts";
import type { RawValues } from "./grafana-macros.ts";
import { oddDay, oddNames } from "./odd-names.ts";

interface Board {
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly [field: string]: unknown }[];
  };
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly rawSql: string }[];
  }[];
}

const folder = join(import.meta.dirname, "../../../dashboards/grafana");
const boards = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => [file, JSON.parse(readFileSync(join(folder, file), "utf8")) as Board] as const);
const statements = boards.flatMap(([file, { panels }]) =>
  panels.flatMap(({ title, targets }) =>
    targets.map(({ rawSql }) => ({ name: `${file}: ${title}`, rawSql })),
  ),
);

const names = ["agent", "application", "tenant", "release", "environment"];
const demoNames: Readonly<Record<string, string>> = {
  agent: "helper",
  application: "desk",
  tenant: "id:alice",
  release: "1.4.0",
  environment: "production",
};

let client: ClickHouseClient;
beforeAll(async () => {
  client = await demoClient();
});
afterAll(() => client.close());

async function rowsOf(sql: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await client.query({ query: overCopies(sql), format: "JSONEachRow" });
  return answer.json<Record<string, unknown>>();
}

test("no address of a dashboard sets the host that its links lead to", () => {
  expect(boards.length).toBe(7);
  for (const [file, { templating }] of boards) {
    const collector = templating.list.find(({ name }) => name === "collector");
    expect([file, collector]).toEqual([
      file,
      expect.objectContaining({ type: "constant", skipUrlSync: true }),
    ]);
  }
});

test("a variable stands in a query in one form, which writes no quote and no backslash", () => {
  const forms = [
    /\$__conditionalAll\((?=.*?, \$(?:agent|application|tenant|release|environment)\))/g,
    /, \$(?:agent|application|tenant|release|environment)\)/g,
    /'\$\{(?:agent|application|tenant|release|environment):percentencode\}'/g,
    /\$__(?:timeFilter|timeInterval)\(|\$__(?:from|to)Time\b/g,
  ];
  expect(statements.length).toBeGreaterThan(40);
  for (const { name, rawSql } of statements) {
    const rest = forms.reduce((text, form) => text.replaceAll(form, ""), rawSql);
    expect([name, rest]).toEqual([name, expect.not.stringMatching(/\$|\[\[/)]);
  }
});

/** Ends of a literal by each sign, and what may follow there. */
const attacks: readonly (readonly string[])[] = [
  ["\\", "]), agent_id) AND 0 UNION ALL SELECT name FROM system.tables -- "],
  ["'"],
  ["\\'"],
  ["' OR 1=1 -- ", "') OR 1=1 -- ", "')), 1) OR 1=1 -- "],
  ["\\", ")), 1) OR 1=1 -- "],
  ["o'b\\"],
  ["%27", "%5C", "%5C%27"],
  [
    "\0",
    "\n",
    "\r",
    "\u2028",
    "’",
    "＇",
    "\\x27",
    "`",
    '"',
    "$$",
    "$__all",
    "${agent}",
    "[[agent]]",
  ],
  ["{", "}", "{}", ",", "{,}"],
  ["/*", "*/", "--", "#", ";", "; DROP TABLE events"],
];

test.each(statements)("$name has no row by values that end a literal", async ({ rawSql }) => {
  const query = (values: string | readonly string[]): Promise<readonly object[]> =>
    rowsOf(expandedRaw(rawSql, (name) => (names.includes(name) ? values : "")));
  for (const attack of [attacks[0] ?? [], attacks.flat(), attacks.flat().join("")])
    expect([attack, await query(attack)]).toEqual([attack, []]);
});

test("any values of any variables have the rows of the ids among them, and no others", async () => {
  const board = statements.find(({ name }) => name === "turns.json: Turns by verdict");
  const days = { demo: day, odd: oddDay, bare: bareDay };
  const known = names.map((name) => ({
    demo: idOf(demoNames[name] ?? ""),
    odd: idOf(oddNames[name as keyof typeof oddNames]),
    bare: "none",
  }));
  const ids = known.flatMap((one) => Object.values(one));
  const text = fc.oneof(
    fc.constantFrom(...ids),
    fc.constantFrom(...attacks.flat()),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc
      .array(fc.constantFrom("'", "\\", "\0", "\n", "%", "{", "}", ",", "(", ")", "$", "a"), {
        maxLength: 8,
      })
      .map((signs) => signs.join("")),
  );
  const one = fc.oneof(
    text,
    fc.array(text, { minLength: 1, maxLength: 4 }),
    fc.tuple(fc.constantFrom(...ids), text),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: names.length - 1 }),
      one,
      fc.constantFrom<keyof typeof days>("demo", "odd", "bare"),
      async (index, value, which) => {
        const isAll = ["", "$__all"].includes(String(value));
        const values: RawValues = (name) => (name === names[index] ? value : "$__all");
        const rows = await rowsOf(expandedRaw(board?.rawSql ?? "", values, days[which]));
        const listed = [value]
          .flat()
          .join(",")
          .replaceAll(/^\{+|\}+$/g, "");
        const isChosen = isAll || listed.split(",").includes(known[index]?.[which] ?? "");
        // The tenant of the turn without names is that of the demo.
        const tenant = names[index] === "tenant" && which === "bare";
        const expected = tenant
          ? isAll || listed.split(",").includes(known[index]?.demo ?? "")
          : isChosen;
        expect(rows.map(({ verdict, turns }) => [verdict, Number(turns)])).toEqual(
          expected ? [["partial", 1]] : [],
        );
      },
    ),
    { numRuns: 100 },
  );
});
