/**
 * @module EvidenceWriter: a process that stores evidence and its turns in a directory, deletes what
 * is one user's, and lets retention run, round after round until it is killed. It reports to its
 * parent what is done, and what it is about to take away. Run by fork only, with the directory and
 * a name.
 */
import { filesystem, recordStored } from "@turnproof/store";
import { defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants, receivedAt, sampleTurn } from "@turnproof/store/testing";

/** What the parent receives. */
export type Reported =
  | { readonly did: "stored" | "recorded"; readonly batch: string; readonly roots: string[] }
  | { readonly did: "erasing" | "erased" | "retaining" | "retained" };

const [directory = "", name = ""] = process.argv.slice(2);
const provider = await filesystem({ directory });
const { evidence } = provider;

/** Resolves when the message is out of this process, so that a kill cannot take it back. */
function notify(reported: Reported): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(reported, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

const rootsPerUser = 12;
const longAgo = "2020-01-01T00:00:00.000000Z";

/** Three batches of which one is old; each has roots of a user who stays and of one who goes. */
async function store(round: number): Promise<void> {
  for (const [at, kind] of ["new", "new", "old"].entries()) {
    const batch = `${name}-${round}-${at}-${kind}`;
    const users = ["stays", "goes"].flatMap((user) => Array<string>(rootsPerUser).fill(user));
    const roots = users.map((user, place) => `${batch}-${place}-${user}`);
    const events = roots.flatMap((root, place) =>
      sampleTurn(root, { user_id: users[place] as string, thread_id: name }),
    );
    const received = kind === "old" ? longAgo : receivedAt(round % 3_600);
    await evidence.append({ batchId: batch, receivedAt: received, events });
    await notify({ did: "stored", batch, roots });
    await recordStored(evidence, allTenants, roots);
    await notify({ did: "recorded", batch, roots });
  }
}

for (let round = 0; ; round += 1) {
  await store(round);
  await notify({ did: "erasing" });
  await deleteUserEvidence(evidence, { userId: "goes", dryRun: false });
  await notify({ did: "erased" });
  await store(round + 0.5);
  await notify({ did: "retaining" });
  const policy = defaultRetention;
  await provider.retention.evidence({ policy, now: receivedAt(7_200), dryRun: false });
  await notify({ did: "retained" });
}
