/**
 * @module Main: the program `turnproof`; all its functions are commands. Its modules import what an
 * older Node lacks, so they load after the version is known. `bin/turnproof.js` finds a newer Node.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 15)) {
  const { run } = await import("./cli/program.ts");
  await run(process.argv);
} else {
  process.stderr.write(
    `turnproof needs Node 22.15 or newer; this is ${process.version}. Run \`npx turnproof\`: it ` +
      "runs in the Node of the project, or names the command that installs one.\n",
  );
  process.exitCode = 1;
}
