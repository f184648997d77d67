/** @module Next.js takes this folder for its root, and lints nothing. */
export default {
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
};
