/** The machines of a run: one for each part, so that parts that run side by side do not meet. */

import { CHROMIUM, VSCODE } from './places.ts';
import { installPacked } from './package-extension.ts';
import type { Found } from './processes.ts';
import { Scene } from './scene.ts';

export class Scenes {
  readonly #made: Scene[] = [];
  #packed: Promise<string> | undefined;

  make(): Scene {
    const scene = new Scene();
    this.#made.push(scene);
    return scene;
  }

  /** The folder of the packed and installed extension; it is packed once a run. */
  packed(): Promise<string> {
    this.#packed ??= installPacked(this.make());
    return this.#packed;
  }

  /** What tests have changed in git directories that are the user's. */
  touched(): string[] {
    return this.#made.flatMap((scene) => scene.repos).flatMap((repo) => repo.touched().map((name) => `${repo.folder}/.git/${name}`));
  }

  /** Ends everything; gives what should have ended by itself. */
  async close(): Promise<Found[]> {
    const left = await Promise.all(this.#made.map((scene) => scene.close()));
    return left.flat().filter((one) => !isOfVsCode(one));
  }
}

/** VS Code's own processes may take their time; what counts is the extension's, and what its server started. */
function isOfVsCode(one: Found): boolean {
  return one.command.includes(VSCODE) || one.command.includes(CHROMIUM) || one.command.includes('chromium');
}
