// Bundles the extension, and its tests where they are, for VS Code's extension host.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";

const production = process.argv.includes("--production");

const shared = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  sourcemap: !production,
  minify: production,
  metafile: true,
  logLevel: "warning",
};

const extension = await esbuild.build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
});

if (production) {
  writeFileSync("dist/THIRD_PARTY_NOTICES.txt", notices(Object.keys(extension.metafile.inputs)));
} else if (existsSync("test/index.ts")) {
  await esbuild.build({
    ...shared,
    entryPoints: ["test/index.ts"],
    outfile: "dist/test/index.js",
    external: ["vscode", "mocha"],
  });
}

/** The licences of the packages whose code is in the bundle. */
function notices(inputs) {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(input)?.[0] ?? []));
  return [...folders].sort().map(notice).join("\n");
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/iu.test(each));
  if (file === undefined) {
    throw new Error(`${folder} has no licence text to pass on`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
}
