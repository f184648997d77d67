/** The configuration: every problem at once, every spelling, no value in a message. */
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { ConfigError, describeEnvironment, parseConfig } from "./read-config.ts";
import { schema } from "./config-schema.ts";
import { variables } from "./config-variables.ts";
import { makeToken } from "./token-strength.ts";

const token = "operator-q7KxZt4Wm9Rc2Yd8";
const secret = "q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu";
const long = "operator-q7KxZt4Wm9Rc2Yd8-32-bytes";

function problemsOf(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(allProblemsOf(env).map((row) => [row.variable, row.problem]));
}

function allProblemsOf(env: Record<string, string>): ConfigError["problems"] {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("defaults", () => {
  test("that the documentation lists are those of the schema", () => {
    const stated = variables.filter(({ name, fallback }) => {
      const field = Object.entries(schema.shape).find(([key]) => key === name)?.[1];
      const own: unknown = field?.safeParse(undefined).data;
      if (field === undefined || own === undefined || fallback === "") return false;
      expect([name, field.safeParse(fallback).data]).toEqual([name, own]);
      return true;
    });
    expect(stated.length).toBeGreaterThan(15);
  });

  test("an empty environment is a local collector", () => {
    const config = parseConfig({});
    expect(config).toMatchObject({
      host: "127.0.0.1",
      port: 4318,
      backend: "clickhouse",
      basePath: "/",
      contentMode: "metadata",
      readOnly: false,
      ingest: "on",
    });
    expect(config.auditLog).toBeUndefined();
    expect(config.dataDir.endsWith(".turnproof")).toBe(true);
  });

  test("the audit log is on as soon as authentication is", () => {
    expect(parseConfig({ TURNPROOF_UI_AUTH_TOKEN: token }).auditLog).toMatch(/audit\.jsonl$/);
  });
});

describe("spellings", () => {
  test("the neutral prefix is accepted, and a contradiction is a problem", () => {
    expect(parseConfig({ SERVICE_UI_READ_ONLY: "true" }).readOnly).toBe(true);
    const twice = { SERVICE_UI_READ_ONLY: "true", TURNPROOF_UI_READ_ONLY: "false" };
    expect(problemsOf(twice)).toHaveProperty("TURNPROOF_UI_READ_ONLY");
  });

  test("the document provider's variable has no prefix", () => {
    const config = parseConfig({ SERVICE_BACKEND: "mongodb", DOCUMENT_DB_URI: "mongodb://db" });
    expect(config.documentDbUri).toBe("mongodb://db");
  });

  test("a misspelt variable is named in a warning, and its value is not", () => {
    const { warnings } = parseConfig({
      TURNPROOF_JOURNAL_BYTE_MAX: "123456",
      TURNPROOF_PORT: "4318",
      TURNPROOF_TEST_KILLS: "30",
      OTHER_PORT: "1",
    });
    expect(warnings).toEqual([
      "TURNPROOF_JOURNAL_BYTE_MAX is not a variable of this version and was ignored.",
    ]);
  });

  test("flags win over the environment", () => {
    expect(parseConfig({ TURNPROOF_PORT: "1" }, { port: "2" }).port).toBe(2);
  });
});

describe("problems", () => {
  test("all of them are reported together and none shows a value", () => {
    const env = {
      TURNPROOF_HOST: "0.0.0.0",
      TURNPROOF_PROXY: "canary-proxy",
      TURNPROOF_PORT: "canary-port",
      TURNPROOF_BACKEND: "canary-backend",
      TURNPROOF_UI_READ_ONLY: "canary-flag",
      TURNPROOF_UI_SESSION_SECRET: "canary-short",
      TURNPROOF_UI_TRACE_CONTENT_MODE: "canary-mode",
      TURNPROOF_UI_TRACE_LINK: "https://canary:canary@jaeger.example/{trace_id}",
      TURNPROOF_INGEST_TOKENS: "name:canary-x",
    };
    const problems = problemsOf(env);
    expect(Object.keys(problems).toSorted()).toEqual(Object.keys(env).toSorted());
    expect(JSON.stringify(problems)).not.toContain("canary");
  });

  test.each([
    ["0.0.0.0", {}, "TURNPROOF_HOST"],
    ["::", {}, "TURNPROOF_HOST"],
    ["10.0.0.1", {}, "TURNPROOF_HOST"],
    ["collector.example", {}, "TURNPROOF_HOST"],
    ["10.0.0.1", { TURNPROOF_UI_AUTH_TOKEN: token }, "TURNPROOF_PROXY"],
    ["10.0.0.1", { TURNPROOF_PROXY: "proxy.example" }, "TURNPROOF_PROXY"],
    ["127.0.0.1", { TURNPROOF_UI_AUTH_TOKEN: "short" }, "TURNPROOF_UI_AUTH_TOKEN"],
    ["127.0.0.1", { TURNPROOF_UI_AUTH_TOKEN: "<OPERATOR_TOKEN_____>" }, "TURNPROOF_UI_AUTH_TOKEN"],
    ["127.0.0.1", { TURNPROOF_UI_SESSION_SECRET: "x" }, "TURNPROOF_UI_SESSION_SECRET"],
    [
      "127.0.0.1",
      { TURNPROOF_UI_AUTH_TOKEN: long, TURNPROOF_UI_SESSION_SECRET: long },
      "TURNPROOF_UI_SESSION_SECRET",
    ],
    [
      "127.0.0.1",
      { TURNPROOF_UI_PSEUDONYM_KEY: secret, TURNPROOF_UI_SESSION_SECRET: secret },
      "TURNPROOF_UI_PSEUDONYM_KEY",
    ],
    ["127.0.0.1", { TURNPROOF_UI_ACCOUNTS: "{]" }, "TURNPROOF_UI_ACCOUNTS"],
    [
      "127.0.0.1",
      { TURNPROOF_UI_ACCOUNTS: JSON.stringify({ a: { token, role: "king" } }) },
      "TURNPROOF_UI_ACCOUNTS",
    ],
    ["127.0.0.1", { TURNPROOF_TRUSTED_INGEST: "nobody" }, "TURNPROOF_TRUSTED_INGEST"],
    ["127.0.0.1", { TURNPROOF_BACKEND: "postgres" }, "TURNPROOF_POSTGRES_URL"],
  ])("%s with %j", (host, env, variable) => {
    expect(Object.keys(problemsOf({ TURNPROOF_HOST: host, ...env }))).toContain(variable);
  });

  test.each([
    [{ TURNPROOF_HOST: "10.0.0.1", TURNPROOF_UI_AUTH_TOKEN: token }, "PROXY", "proxy.example"],
    [{ TURNPROOF_TRUSTED_INGEST: "edge" }, "INGEST_TOKENS", "edge:short"],
  ])("beside %j an invalid %s has one problem, and is not absent too", (env, name, value) => {
    const variable = `TURNPROOF_${name}`;
    const problems = allProblemsOf({ ...env, [variable]: value });
    expect(problems.map((row) => row.variable)).toEqual([variable]);
  });

  test("a public address with a token starts, with warnings", () => {
    const open = { TURNPROOF_HOST: "0.0.0.0", TURNPROOF_UI_AUTH_TOKEN: token };
    const config = parseConfig({ ...open, TURNPROOF_PROXY: "any" });
    expect(config.proxy).toBe("any");
    expect(config.warnings.join(" ")).toMatch(/ingest token/i);
  });
});

describe("tokens that can be guessed", () => {
  const weak = [
    "aaaaaaaaaaaaaaaaaaaaaaaa",
    "0123456789012345",
    "0123456789abcdef0123456789abcdef",
    "passwordpassword",
    "Summer2026Summer2026",
    "adminadminadmin1",
    "secret123",
    "correcthorsebatterystaple",
    "admin-token-production-2026",
    "00000000-0000-0000-0000-000000000001",
  ];
  test.each(weak)("%s is refused for an operator, an account and a producer", (value) => {
    const account = { anna: { token: value, role: "viewer" } };
    const problems = problemsOf({
      TURNPROOF_UI_AUTH_TOKEN: value,
      TURNPROOF_UI_ACCOUNTS: JSON.stringify(account),
      TURNPROOF_INGEST_TOKENS: `shop:${value}`,
    });
    expect(Object.keys(problems).toSorted()).toEqual([
      "TURNPROOF_INGEST_TOKENS",
      "TURNPROOF_UI_ACCOUNTS",
      "TURNPROOF_UI_AUTH_TOKEN",
    ]);
    expect(JSON.stringify(problems)).toContain("turnproof token");
  });

  test.each([
    "a".repeat(32),
    "password".repeat(4),
    "0123456789abcdef0123456789abcdef",
    "0123456789".repeat(4),
  ])("%s is refused as a secret of each variable that takes one", (value) => {
    for (const name of ["UI_SESSION_SECRET", "UI_PSEUDONYM_KEY", "IDENTITY_KEY"]) {
      for (const text of [value, `k1:${value}`, `k2:${makeToken()},k1:${value}`]) {
        const problems = problemsOf({ [`TURNPROOF_${name}`]: text });
        expect(problems).toEqual({
          [`TURNPROOF_${name}`]: expect.stringContaining("turnproof token"),
        });
        expect(JSON.stringify(problems)).not.toContain(value);
      }
    }
    const webhook = `whsec_${Buffer.from(value).toString("base64")}`;
    expect(problemsOf({ TURNPROOF_ALERT_SECRET: webhook })).toEqual({
      TURNPROOF_ALERT_SECRET: expect.stringContaining("turnproof token"),
    });
  });

  test.each(["correcthorsebattery", "admin-token-production-2026"])(
    "%s is refused as a token",
    (value) => {
      for (const name of ["UI_AUTH_TOKEN", "INGEST_TOKENS", "AUDIT_WEBHOOK_TOKEN"]) {
        expect(problemsOf({ [`TURNPROOF_${name}`]: value })).toHaveProperty(`TURNPROOF_${name}`);
      }
    },
  );

  test("what the command makes is a secret of each variable too", () => {
    const names = ["UI_SESSION_SECRET", "UI_PSEUDONYM_KEY", "IDENTITY_KEY"];
    const env = names.map((name) => [`TURNPROOF_${name}`, makeToken()]);
    const webhook = { TURNPROOF_ALERT_SECRET: `whsec_${makeToken()}` };
    expect(problemsOf({ ...Object.fromEntries(env), ...webhook })).toEqual({});
  });

  test("what the command makes is taken, and is another one each time", () => {
    const made = Array.from({ length: 20 }, makeToken);
    expect(new Set(made).size).toBe(20);
    for (const value of made) expect(problemsOf({ TURNPROOF_UI_AUTH_TOKEN: value })).toEqual({});
  });
});

test("a password of its own variable is encoded, whatever it holds", () => {
  const password = "p@ss/w:r?d#100%41 ü";
  const config = parseConfig({
    TURNPROOF_CLICKHOUSE_URL: "http://clickhouse:8123/turnproof",
    TURNPROOF_CLICKHOUSE_USER: "user@example",
    TURNPROOF_CLICKHOUSE_PASSWORD: password,
    TURNPROOF_POSTGRES_URL: "postgres://app@postgres:5432/turnproof",
    TURNPROOF_POSTGRES_PASSWORD: password,
  });
  const read = (address = ""): readonly string[] => {
    const url = new URL(address);
    return [url.host, url.pathname, ...[url.username, url.password].map(decodeURIComponent)];
  };
  expect(read(config.clickhouseUrl)).toEqual([
    "clickhouse:8123",
    "/turnproof",
    "user@example",
    password,
  ]);
  expect(read(config.postgresUrl)).toEqual(["postgres:5432", "/turnproof", "app", password]);
  const embedded = { TURNPROOF_POSTGRES_URL: "file:///data", TURNPROOF_POSTGRES_PASSWORD: "x" };
  expect(parseConfig(embedded).postgresUrl).toBe("file:///data");
});

describe("accounts and ingest tokens", () => {
  test("null binds to the anonymous rows, absence to nobody", () => {
    const { accounts } = parseConfig({
      TURNPROOF_UI_ACCOUNTS: JSON.stringify({
        anna: { token: "anna-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: null },
        otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "admin", application_id: "shop" },
      }),
    });
    expect(accounts).toEqual([
      { name: "anna", token: "anna-q7KxZt4Wm9Rc2Yd8", role: "viewer", userId: null },
      { name: "otto", token: "otto-q7KxZt4Wm9Rc2Yd8", role: "admin", applicationId: "shop" },
    ]);
  });

  test("the example of the documents is one that is read", () => {
    const page = new URL("../../../docs/operate/hardening.md", import.meta.url);
    const [, example = ""] = /^```json\n([^]*?)^```/m.exec(readFileSync(page, "utf8")) ?? [];
    let count = 0;
    const filled = example.replaceAll("…", () => `a-q7KxZt4Wm9Rc2Yd8-${count++}`);
    const { accounts } = parseConfig({ TURNPROOF_UI_ACCOUNTS: filled });
    expect(accounts.map(({ name, role, userId }) => [name, role, userId])).toEqual([
      ["anna", "admin", undefined],
      ["bot", "viewer", "tenant-7"],
      ["kiosk", "analyst", null],
    ]);
  });

  test("a bare token gets a name, an application follows the second colon", () => {
    const { ingestTokens } = parseConfig({
      TURNPROOF_INGEST_TOKENS: "bare-q7KxZt4Wm9Rc2Yd8, shop:shop-q7KxZt4Wm9Rc2Yd8:shop:eu",
    });
    expect(ingestTokens).toEqual([
      { name: "ingest-1", token: "bare-q7KxZt4Wm9Rc2Yd8" },
      { name: "shop", token: "shop-q7KxZt4Wm9Rc2Yd8", applicationId: "shop:eu" },
    ]);
  });
});

test("secrets are never described", () => {
  const rows = describeEnvironment({ TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_PORT: "4000" });
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(rows.find((row) => row.variable === "TURNPROOF_PORT")?.shown).toBe("4000");
});
