// Builds the drawing page; nothing in it may fetch from outside.
import { cpSync } from "node:fs";
import path from "node:path";
import { defineConfig } from "vite";

const out = process.env.DRAWING_OUT;
const fonts = path.resolve("node_modules/@excalidraw/excalidraw/dist/prod/fonts");

const ownFonts = {
  name: "own-fonts",
  apply: "build",
  closeBundle: () => cpSync(fonts, path.join(out, "fonts"), { recursive: true }),
  // The package names esm.sh as its last source of fonts: exactly one place, pointed at ourselves.
  generateBundle(_, bundle) {
    let replaced = 0;
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue;
      file.code = file.code.replace(/`https:\/\/esm\.sh\/[\s\S]{0,200}?\/dist\/prod\/`/g, () => {
        replaced += 1;
        return "new URL(`/`,location.href).href";
      });
    }
    if (replaced !== 1) this.error(`expected one esm.sh address, found ${replaced}`);
  },
};

export default defineConfig({
  plugins: [ownFonts],
  build: { outDir: out, emptyOutDir: true, chunkSizeWarningLimit: 9000, target: "es2022" },
});
