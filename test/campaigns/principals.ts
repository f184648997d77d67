/**
 * @module Principals: requests by nine principals over every operation of the API description, with
 * ids of others in each parameter and each field of a body.
 */
import assert from "node:assert/strict";

import { ephemeral, ephemeralMemory } from "@turnproof/store";

import type { Campaign, Figures, Rounds } from "./campaign.ts";
import { openDesk } from "../suite/collector/desk.ts";
import type { Desk } from "../suite/collector/desk.ts";
import { table } from "../suite/collector/role-table.ts";
import {
  fillWorld,
  hooks,
  ingestToken,
  marker,
  owners,
  roleEnv,
  token,
} from "../suite/collector/role-world.ts";
import type { Owner } from "../suite/collector/role-world.ts";
import { seeded } from "../suite/journal/simulated-disk.ts";

const requestsOfRound = 500;
/** After so many rounds a new world is made: requests of admins change it. */
const roundsOfWorld = 4;

const names = [
  "missing",
  "producer",
  "viewer",
  "analyst",
  "operator",
  "admin",
  "alice",
  "shop",
  "anonymous",
] as const;
type Name = (typeof names)[number];

/** Whose evidence each may see; none without a credential for it. */
const visible: { readonly [N in Name]?: readonly Owner[] } = {
  missing: [],
  producer: [],
  alice: ["alice"],
  shop: ["dora"],
  anonymous: ["null"],
};

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: { readonly enum?: readonly unknown[]; readonly const?: unknown };
}
interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>
  >;
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

type Random = () => number;
/** Whose ids a request names: one owner's, or any in each place. */
type Whose = () => Owner;
const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

const everyOwner = Object.keys(owners) as Owner[];
/** Operations of a part that the world has none of: there is no sign-in provider. */
const notConfigured = new Set(["get /login/provider", "get /login/callback"]);
const methods = ["get", "post", "put", "patch", "delete"];

/** Ids of an owner, and texts that break readers of texts. */
function drawn(random: Random, whose: Whose): string {
  if (random() < 0.12) {
    return pick(random, [
      "",
      "0",
      "-1",
      "x".repeat(300),
      "\0",
      "' OR 1=1 --",
      "{}",
      "../..",
      "é💡",
    ]);
  }
  const owner = whose();
  return pick(random, [
    `root-${owner}`,
    `agent-${owner}`,
    `thread-${owner}`,
    `letter-${owner}`,
    `root-${owner}-turn`,
    `root-${owner}-tool:result`,
    `turn-${owner}`,
    `${owner === "unrecorded" ? "" : owners[owner].user}`,
    owners[owner].application,
    "root-shared",
    marker(owner),
  ]);
}

const times = ["2026-11-20T00:00:00Z", "2026-11-22T00:00:00Z"];

function valueOf(random: Random, whose: Whose, { name, schema }: Parameter): string {
  const allowed = schema?.enum;
  if (allowed !== undefined && random() < 0.9) return String(pick(random, allowed));
  if (/limit|bins|top/.test(name) && random() < 0.8) return String(1 + Math.floor(random() * 50));
  if (/time|since|until|_at$/.test(name) && random() < 0.8) return pick(random, times);
  const owner = whose();
  if (/root/.test(name) && random() < 0.93)
    return random() < 0.15 ? "root-shared" : `root-${owner}`;
  if (/agent/.test(name) && random() < 0.93)
    return random() < 0.1 ? "agent-shared" : `agent-${owner}`;
  if (/thread/.test(name) && random() < 0.93) return `thread-${owner}`;
  return drawn(random, whose);
}

function queryOf(random: Random, whose: Whose, parameters: readonly Parameter[]): URLSearchParams {
  const [share, ids] = [random(), random()];
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    if (parameter.in !== "query" || parameter.name === "cursor") continue;
    // Two filters that name different owners answer nothing, so most requests have few.
    const isId = /root|agent|thread/.test(parameter.name);
    if (parameter.required === true || (isId ? random() < ids : random() < share * 0.08)) {
      query.append(parameter.name, valueOf(random, whose, parameter));
    }
  }
  return query;
}

/** A body of the route's own form, with ids of any owner in it. */
function bodyOf(
  random: Random,
  whose: Whose,
  route: string,
): { readonly text: string; readonly type: string } {
  const requested = table[route]?.[1];
  const owner = whose();
  const filled = (text: string): string =>
    text.replaceAll(/(root|agent|thread|letter)-O/g, `$1-${owner}`);
  if (requested?.form !== undefined) {
    return { text: filled(requested.form), type: "application/x-www-form-urlencoded" };
  }
  const body = JSON.parse(filled(JSON.stringify(requested?.body ?? {}))) as Record<string, unknown>;
  const names = Object.keys(body);
  if (names.length > 0 && random() < 0.5) body[pick(random, names)] = drawn(random, whose);
  return { text: JSON.stringify(body), type: "application/json" };
}

function headersOf(name: Name): Record<string, string> {
  if (name === "missing") return {};
  return { authorization: `Bearer ${name === "producer" ? ingestToken : token(name)}` };
}

/** An answer's content; a stream until its first piece. */
async function stated(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.includes("event-stream")) {
    return Buffer.from(await response.arrayBuffer()).toString("latin1");
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value;
}

let address = 0;

/** One request, held to its promise; answers its status and whether it saw what is its own. */
async function attack(
  desk: Desk,
  operation: Operation,
  random: Random,
  name: Name,
): Promise<{ readonly status: number; readonly sawOwn: boolean }> {
  const { method, parameters } = operation;
  const one = pick(random, random() < 0.6 ? (visible[name] ?? everyOwner) : everyOwner) as
    | Owner
    | undefined;
  const isMixed = one === undefined || random() < 0.25;
  const whose: Whose = () => (isMixed ? pick(random, everyOwner) : one);
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_, key: string) => {
    if (random() < 0.2) return encodeURIComponent(drawn(random, whose) || "x");
    const kind = /agent/.test(key) ? "agent" : /thread/.test(key) ? "thread" : "root";
    return `${kind}-${random() < 0.3 && kind !== "thread" ? "shared" : whose()}`;
  });
  const query = queryOf(random, whose, parameters);
  const body =
    method === "get"
      ? undefined
      : bodyOf(
          random,
          whose,
          `${method.toUpperCase()} ${operation.path.replaceAll(/\{([^}]+)\}/g, ":$1")}`,
        );
  address += 1;
  const remoteAddress = `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
  const url = `http://localhost:4318${path}${query.size === 0 ? "" : `?${query}`}`;
  const init = {
    method: method.toUpperCase(),
    headers: { ...headersOf(name), ...(body && { "content-type": body.type }) },
    ...(body && { body: body.text }),
  };
  const isIngest = path.startsWith("/v1/");
  const response = isIngest
    ? await desk.collector.app.request(url, init)
    : await desk.collector.app.request(url, init, { incoming: { socket: { remoteAddress } } });
  const text = await stated(response);
  const place = `${method} ${operation.path}`;
  const what = `${name} ${place}`;
  const isExpected = response.status === 501 && notConfigured.has(place);
  assert.ok(response.status < 500 || isExpected, `${what} was answered ${response.status}`);
  const sent = `${decodeURIComponent(path)} ${query} ${body?.text ?? ""}`;
  for (const other of everyOwner) {
    if ((visible[name] ?? everyOwner).includes(other)) continue;
    // What was typed may come back; what was not typed may not.
    for (const word of [
      marker(other),
      `root-${other}-model`,
      `words of ${other}`,
      `turn-${other}`,
    ]) {
      if (sent.includes(word) || sent.includes(marker(other))) continue;
      assert.ok(!text.includes(word), `${what} was told of ${other}`);
    }
  }
  // An oracle that never sees a row would prove nothing.
  const sawOwn = (visible[name] ?? []).some((owner) => text.includes(marker(owner)));
  return { status: response.status, sawOwn };
}

interface World {
  readonly desk: Desk;
  /** Two seconds pass: a principal may send only so many requests in a minute. */
  tick(): void;
  readonly operations: readonly Operation[];
}

async function openWorld(): Promise<World> {
  const memory = ephemeralMemory();
  let now = Date.parse("2026-11-21T12:00:00Z");
  const options = {
    store: ephemeral(),
    memory,
    hooks,
    judge: false,
    now: () => (now += 2_000),
  } as const;
  const desk = await openDesk(roleEnv, options);
  await fillWorld(desk, memory);
  const { paths } = await desk.json<Description>("/openapi.json", headersOf("admin"));
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined || path === "/logout") return [];
      return [{ method, path, parameters: operation.parameters ?? [] }];
    }),
  );
  return { desk, operations, tick: () => void (now += 2_000) };
}

/** No answer has a row of another tenant, and nothing fails. */
export const principals: Campaign = {
  name: "principals",
  promise:
    "Requests by nine principals over every operation of the API description, with ids of others " +
    "in each parameter: no foreign row is answered, and no answer is an unexpected 5xx.",
  unit: "requests",
  goal: 100_000,
  async open(): Promise<Rounds> {
    let world: World | undefined;
    let rounds = 0;
    return {
      async round(seed): Promise<Figures> {
        if (rounds % roundsOfWorld === 0) {
          await world?.desk.collector.close();
          world = undefined;
        }
        rounds += 1;
        world ??= await openWorld();
        const random = seeded(seed);
        let answered = 0;
        let own = 0;
        for (let at = 0; at < requestsOfRound; at += 1) {
          // Every operation and principal in turn, so that none is left out by chance.
          const number = seed * requestsOfRound + at;
          const name = names[number % names.length] as Name;
          const { operations } = world;
          const operation = operations[
            Math.floor(number / names.length) % operations.length
          ] as Operation;
          world.tick();
          const { status, sawOwn } = await attack(world.desk, operation, random, name);
          if (status < 300) answered += 1;
          if (sawOwn) own += 1;
        }
        return {
          requests: requestsOfRound,
          answered_with_2xx: answered,
          showed_own_rows: own,
          operations_max: world.operations.length,
        };
      },
      close: async () => world?.desk.collector.close(),
    };
  },
};
