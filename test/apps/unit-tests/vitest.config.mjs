/** @module VitestConfig: the desk's own, so that nothing of this repository's applies. */
export default { test: { include: ["desk.vitest.mjs"], pool: "forks" } };
