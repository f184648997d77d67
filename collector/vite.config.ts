import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  resolve: { conditions: ["@turnproof/source"] },
  build: {
    outDir: "dist/client",
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: {
      input: { app: "src/client/app.ts" },
      output: { entryFileNames: "[name].js", chunkFileNames: "chunk-[hash].js" },
    },
  },
});
