import { createClient } from "@clickhouse/client";
import { createChdbConnection } from "chdb/connection";
import { readFileSync } from "node:fs";
const dir = process.argv[2]!;
const client = createClient({ connection: createChdbConnection({ path: dir + "/clickhouse" }) as any });
const q = async (sql: string, s: any = {}) => (await (await client.query({ query: sql, format: "JSONEachRow", clickhouse_settings: s })).json()) as any[];
const parts = readFileSync(process.argv[3]!, "utf8").split(/\n---\n/);
for (const p of parts) {
  const m = /^-- (.*)\n/.exec(p); const sql = p.replace(/^-- .*\n/, "");
  if (m?.[1]?.startsWith("explain")) { console.log(m[1]); for (const r of await q("EXPLAIN indexes = 1 " + sql)) console.log("   ", Object.values(r)[0]); continue; }
  if (m?.[1]?.startsWith("do")) { await client.command({ query: sql }); continue; }
  let n = 0; const t: number[] = [], c: number[] = [];
  for (let i = 0; i < 9; i++) { const a = performance.now(), u = process.cpuUsage(); const r = await q(sql); n = r.length; t.push(performance.now() - a); const d = process.cpuUsage(u); c.push((d.user + d.system) / 1000); if (m?.[1]?.startsWith("show")) { console.log(JSON.stringify(r).slice(0, 1500)); break; } }
  t.sort((a, b) => a - b); c.sort((a, b) => a - b);
  console.log((m?.[1] ?? "?").padEnd(40), "wall min", t[0]!.toFixed(1), "CPU min", c[0]!.toFixed(1), "p50", c[c.length >> 1]!.toFixed(1), "rows", n);
}
await client.close();
