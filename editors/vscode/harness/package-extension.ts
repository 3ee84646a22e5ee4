/** The extension as users get it: packed, and installed into a folder of extensions. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { EXTENSION, NODE, NPM, SERVER_MAIN } from './places.ts';
import { run } from './programs.ts';
import type { Scene } from './scene.ts';

const VSCE = path.join(EXTENSION, 'node_modules', '@vscode', 'vsce', 'vsce');

/** Packs the extension and installs it; gives the folder of extensions. */
export async function installPacked(scene: Scene): Promise<string> {
  const packed = scene.path('sennit.vsix');
  const extensions = scene.path('extensions');
  mkdirSync(extensions);
  await run(NODE, [VSCE, 'package', '--no-dependencies', '--skip-license', '--allow-missing-repository', '--out', packed], EXTENSION, withNpm(scene));
  await run(
    NODE,
    [SERVER_MAIN, '--install-extension', packed, '--extensions-dir', extensions, '--server-data-dir', scene.path('install'), '--accept-server-license-terms'],
    scene.folder,
    scene.environment,
  );
  if (!readdirSync(extensions).some((name) => name.startsWith('sennit.sennit-'))) {
    throw new Error(`the package was not installed into ${extensions}`);
  }
  return extensions;
}

/** vsce builds by the `npm` of PATH; the one that came with our Node has no such program, only a script. */
function withNpm(scene: Scene): NodeJS.ProcessEnv {
  const bin = scene.path('bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\nexec '${NODE}' '${NPM}' "$@"\n`, { mode: 0o755 });
  return { ...scene.environment, PATH: [bin, path.dirname(NODE), scene.environment['PATH'] ?? ''].join(':') };
}
