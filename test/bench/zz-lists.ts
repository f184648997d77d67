import { clickhouse } from "@turnproof/store";
import { everybody } from "@turnproof/store/testing";
import { readFile } from "node:fs/promises";
const dir = process.argv[2]!; const rounds = Number(process.argv[3] ?? 15); const only = process.argv[4];
const store = await clickhouse({ connection: { dataDir: dir } });
const known = JSON.parse(await readFile(dir + "/bench-known.json", "utf8"));
const L = store.ledger; const q = (where: any[]) => ({ scope: everybody, where });
const list = (where: any[], by: string, limit: number, more = {}) => () => (L as any).listTurns(q(where), { order: { by, ...more }, limit }).then((p: any) => p.records.length);
const rare3 = [{ list: "tool_name", has: "tool_20" }, { list: "flag", has: "error" }, { text: "agent_id", is: "agent-3" }];
const page = (query: any, scope: any = everybody) => () => store.page(scope, query, { limit: 250 }).then((s) => s.events.length);
const third = new Date(Date.UTC(2026, 4, 4) + 5 * 86400000).toISOString();
const mid = { value: Date.parse(third) * 1000, key: "zz" };
const cases: Record<string, () => Promise<number>> = {
  "turns receipt 100": list([], "first_received", 100),
  "turns receipt 250": list([], "first_received", 250),
  "turns ended 100": list([], "ended_at", 100),
  "turns ended 250": list([], "ended_at", 250),
  "turns own 100": list([], "own_time", 100),
  "turns own 250": list([], "own_time", 250),
  "turns own 250 deep": () => (L as any).listTurns(q([]), { order: { by: "own_time" }, limit: 250, after: mid }).then((p: any) => p.records.length),
  "turns receipt agent": list([{ text: "agent_id", is: known.agent }], "first_received", 250),
  "turns own agent": list([{ text: "agent_id", is: known.agent }], "own_time", 250),
  "turns own errors": list([{ list: "flag", has: "error" }], "own_time", 250),
  "turns rare3 receipt": list(rare3, "first_received", 250),
  "turns rare3 own": list(rare3, "own_time", 250),
  "turns rare3 duration": list(rare3, "duration_ms", 250),
  "turns failed own": list([{ text: "verdict", is: "failed" }], "own_time", 250),
  "turns ref": list([{ list: "name", has: "ref:" + known.ref }], "own_time", 250),
  "turns ref receipt": list([{ list: "name", has: "ref:" + known.ref }], "first_received", 250),
  "count ref": () => L.countTurns(q([{ list: "name", has: "ref:" + known.ref }]) as any),
  "events newest": page({}),
  "events rare3": page({ tool_name: "tool_20", status: "error", agent_id: "agent-3" }),
  "events ref": page({ resource_ref: known.ref }),
  "events user": page({ user_id: known.user }),
};
for (const [name, run] of Object.entries(cases)) {
  if (only && !name.includes(only)) continue;
  let n: any; try { n = await run(); } catch (e: any) { console.log(name.padEnd(24), "—", e.code ?? e.message?.slice(0, 200)); continue; }
  await run();
  const t: number[] = [], c: number[] = [];
  for (let i = 0; i < rounds; i++) { const a = performance.now(), u = process.cpuUsage(); await run(); t.push(performance.now() - a); const d = process.cpuUsage(u); c.push((d.user + d.system) / 1000); }
  t.sort((a, b) => a - b); c.sort((a, b) => a - b);
  console.log(name.padEnd(24), "min", t[0]!.toFixed(1).padStart(7), "p50", t[rounds >> 1]!.toFixed(1).padStart(7), "CPU p50", c[rounds >> 1]!.toFixed(1).padStart(7), "min", c[0]!.toFixed(1).padStart(7), "rows", n);
}
await store.close();
