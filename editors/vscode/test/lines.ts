/** Reports each test by one line that tells all: parts of a run go side by side, so their lines may mix. */

import Mocha from "mocha";

/** A hook that takes as long as this is told too. */
const LONG_HOOK_MS = 1_000;

/** A reporter that hands its lines to `write`; `part` begins each of them. */
export function linesTo(write: (line: string) => void, part: string): Mocha.ReporterConstructor {
  return class Lines extends Mocha.reporters.Base {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
      super(runner, options);
      const tell = (mark: string, of: Mocha.Runnable): void => {
        write(`${mark} ${part}: ${of.titlePath().join(" › ")} (${((of.duration ?? 0) / 1_000).toFixed(1)} s)`);
      };
      runner.on("pass", (test) => { tell("✔", test); });
      runner.on("pending", (test) => { tell("-", test); });
      runner.on("fail", (test, error: unknown) => {
        tell("✘", test);
        write(error instanceof Error ? (error.stack ?? error.message) : String(error));
      });
      runner.on("hook end", (hook) => {
        if ((hook.duration ?? 0) >= LONG_HOOK_MS) {
          tell("·", hook);
        }
      });
    }
  };
}
