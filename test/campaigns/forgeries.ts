/** @module Forgeries: mutants of cursors, session cookies and signed verdicts. */
import { randomBytes } from "node:crypto";

import type { Campaign, Rounds } from "./campaign.ts";
import { mutant } from "./mutants.ts";
import { openCursor, sealCursor } from "../../collector/src/access/cursor-seal.ts";
import { createKeyring } from "../../collector/src/access/keyring.ts";
import { createSessions } from "../../collector/src/access/sessions.ts";
import { createStatementSigner } from "../../collector/src/judge/statement.ts";
import { checkStatement } from "../../collector/src/judge/statement-check.ts";
import { openDesk, turnEvents } from "../suite/collector/desk.ts";
import type { Desk } from "../suite/collector/desk.ts";
import { honestStatement } from "../suite/collector/honest-statement.ts";
import { seeded } from "../suite/journal/simulated-disk.ts";

/** Mutants of a round, of each of three kinds, and those among them that go through the routes. */
const cursorsOfRound = 600;
const cookiesOfRound = 300;
const statementsOfRound = 100;
const requestsOfRound = 40;

const token = "admin-q7KxZt4Wm9Rc2Yd8-abcdef";
const bearer = { authorization: `Bearer ${token}` };

class Accepted extends Error {
  constructor(kind: string, at: number) {
    super(`a mutated ${kind} was accepted, mutant ${at} of its round`);
  }
}

/** Whether a text is accepted. */
type Accepts = (text: string) => Promise<boolean> | boolean;

interface Attack {
  readonly kind: string;
  readonly count: number;
  readonly genuine: readonly [string, string];
  readonly accepts: Accepts;
}

async function attacked(attack: Attack, seed: number): Promise<number> {
  const random = seeded(seed);
  const { genuine, accepts, kind, count } = attack;
  if (!(await accepts(genuine[0]))) throw new Error(`a genuine ${kind} was refused`);
  for (let at = 0; at < count; at += 1) {
    const forged = mutant(...genuine, random);
    if (await accepts(forged)) throw new Accepted(kind, at);
  }
  return count;
}

function cursorAttack(): Attack {
  const keyring = createKeyring([
    { kid: "k2", secret: randomBytes(32) },
    { kid: "k1", secret: randomBytes(32) },
  ]);
  const place = { deployment: "here", route: "GET /traces/turns.json" };
  const sealed = (text: string): string => sealCursor(keyring, place, text);
  return {
    kind: "cursor",
    count: cursorsOfRound,
    genuine: [sealed('{"after":"one"}'), sealed(`{"after":"${"two".repeat(20)}"}`)],
    accepts: (text) => {
      try {
        openCursor(keyring, place, text);
        return true;
      } catch {
        return false;
      }
    },
  };
}

async function cookieAttack(): Promise<Attack> {
  const keyring = createKeyring([{ kid: "k1", secret: randomBytes(32) }]);
  const sessions = createSessions({ keyring });
  const open = async (name: string): Promise<string> =>
    (await sessions.open({ principal: name, credential: "digest" })).cookie;
  return {
    kind: "cookie",
    count: cookiesOfRound,
    genuine: [await open("anna"), await open("otto")],
    accepts: async (text) => (await sessions.find(text)) !== undefined,
  };
}

async function statementAttack(): Promise<Attack> {
  const signer = await createStatementSigner(undefined, undefined);
  const genuine: [string, string] = [
    await signer.sign(honestStatement),
    await signer.sign({ ...honestStatement, status: "failed" }),
  ];
  return {
    kind: "statement",
    count: statementsOfRound,
    genuine,
    // A line end around a statement is no part of it.
    accepts: async (text) =>
      (text === genuine[0] || !genuine.includes(text.trim())) &&
      (await checkStatement(text, signer.keys)).signature === "valid",
  };
}

/** The same through the routes of a collector. */
async function routeAttacks(desk: Desk): Promise<readonly Attack[]> {
  const path = "/traces/events.json?limit=7";
  const cursor = async (): Promise<string> =>
    (await desk.json<{ next_cursor: string }>(path, bearer)).next_cursor;
  const signIn = async (): Promise<string> => {
    const answer = await desk.collector.app.request("http://localhost:4318/login", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `token=${token}`,
    });
    return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const [cookie, other] = [await signIn(), await signIn()];
  const name = cookie.slice(0, cookie.indexOf("=") + 1);
  const status = async (url: string, headers: Record<string, string>): Promise<number> => {
    const answer = await desk.get(url, headers);
    await answer.body?.cancel();
    if (answer.status >= 500) throw new Error(`a forged request was answered ${answer.status}`);
    return answer.status;
  };
  const isText = /^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/;
  return [
    {
      kind: "cursor in a request",
      count: requestsOfRound,
      genuine: [await cursor(), await cursor()],
      // An empty cursor is the first page.
      accepts: async (text) =>
        text !== "" && (await status(`${path}&cursor=${encodeURIComponent(text)}`, bearer)) === 200,
    },
    {
      kind: "cookie in a request",
      count: requestsOfRound,
      genuine: [cookie.slice(name.length), other.slice(name.length)],
      // Other characters end a cookie or cannot stand in a header.
      accepts: async (text) =>
        isText.test(text) && (await status(path, { cookie: `${name}${text}` })) === 200,
    },
  ];
}

/** No mutant of any genuine text is taken for genuine. */
export const forgeries: Campaign = {
  name: "forgeries",
  promise:
    "No mutated, spliced, cut or respelled cursor, session cookie or signed verdict is accepted, " +
    "by its own check and through the routes.",
  unit: "mutants",
  goal: 1_000_000,
  async open(): Promise<Rounds> {
    const accounts = JSON.stringify({ anna: { token, role: "admin" } });
    const desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
    for (let index = 0; index < 20; index += 1) {
      await desk.put(turnEvents({ root: `root-${index}`, user: "alice" }));
    }
    return {
      async round(seed) {
        const attacks = [
          cursorAttack(),
          await cookieAttack(),
          await statementAttack(),
          ...(await routeAttacks(desk)),
        ];
        let mutants = 0;
        for (const [at, attack] of attacks.entries()) {
          mutants += await attacked(attack, seed * attacks.length + at);
        }
        return { mutants, through_routes: 2 * requestsOfRound };
      },
      close: () => desk.collector.close(),
    };
  },
};
