import { fileURLToPath } from "node:url";

/** The console as static files: hashed names, nothing inlined, so that the page needs no exception from its policy. */
export default {
  root: fileURLToPath(new URL("src", import.meta.url)),
  publicDir: fileURLToPath(new URL("public", import.meta.url)),
  build: {
    outDir: fileURLToPath(new URL("bundle", import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
  server: { proxy: { "/v1": "http://127.0.0.1:7437" } },
};
