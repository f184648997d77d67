import { defineConfig } from "vite";

const jsxDom = `${import.meta.dirname}/src/ui/client/jsx-dom.ts`;

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  resolve: {
    conditions: ["@turnproof/source"],
    // Renders the elements of the pages as DOM nodes in the browser.
    alias: { "hono/jsx/jsx-runtime": jsxDom, "hono/jsx/jsx-dev-runtime": jsxDom },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "hono/jsx", development: false } },
  build: {
    outDir: "dist/client",
    emptyOutDir: true,
    modulePreload: false,
    target: "es2024",
    rolldownOptions: {
      input: {
        app: "src/ui/client/app.ts",
        early: "src/ui/client/early.ts",
      },
      output: {
        // A module loaded from two addresses runs twice, so an entry has one name: its hashed one.
        entryFileNames: "[name]-[hash].js",
        chunkFileNames: "chunk-[hash].js",
        assetFileNames: "app-[hash][extname]",
      },
    },
  },
});
