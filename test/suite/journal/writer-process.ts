/**
 * @module Writer process: a child that appends as fast as it can and prints on its output which
 * frames were acknowledged, until it is killed. With `hold` it only holds the directory.
 */
import { writeSync } from "node:fs";

import { openJournal } from "@turnproof/journal";

const [, , directory = "", mode = "", round = "0"] = process.argv;
const journal = await openJournal({ directory, segmentBytes: 64 * 1024 });

/** Synchronous, so that the word is out before the next append can be. */
function print(line: string): void {
  writeSync(1, `${line}\n`);
}

async function writer(name: string): Promise<void> {
  for (let index = 0; ; index += 1) {
    const text = `${round}/${name}/${index}/`.padEnd(20 + ((index * 37) % 3_000), "x");
    await journal.append({ payload: Buffer.from(text), spans: 1 });
    print(`${round}/${name}/${index} ${text.length}`);
  }
}

/** Takes frames off like a drain does, so that kills fall between checkpoint and unlink as well. */
async function drain(): Promise<void> {
  for (;;) {
    let through: number | undefined;
    let taken = 0;
    for await (const frame of journal.read()) {
      through = frame.sequence;
      print(`stored ${Buffer.from(frame.payload).toString().split("/", 3).join("/")}`);
      if ((taken += 1) === 40) break;
    }
    if (through !== undefined) await journal.checkpoint(through);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

print("open");
if (mode === "hold") setInterval(() => undefined, 1_000);
else await Promise.all([drain(), ...Array.from({ length: 8 }, (_, index) => writer(`w${index}`))]);
