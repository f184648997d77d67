import { tellWeek } from "./apps/week/week.ts";
await tellWeek({ endpoint: process.argv[2]!, endMs: Date.now(), turns: 800, seed: "pictures" });
