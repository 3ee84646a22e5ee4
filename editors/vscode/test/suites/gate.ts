/** Where an agent of a test stands still until it is let through. */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, open } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { quoted } from "./session";
import { until } from "./until";

const IS_NOBODY_THERE = -constants.errno.ENXIO;

export class Gate {
  private constructor(private readonly folder: string) {}

  static async make(): Promise<Gate> {
    const gate = new Gate(await mkdtemp(path.join(tmpdir(), "gate-")));
    await promisify(execFile)("mkfifo", [gate.go]);
    return gate;
  }

  /** Lines of shell: work, stand still, more work. */
  script(before: string, after = ":"): string {
    const at = quoted(this.at);
    return `${before}; echo $$ > ${at}.new; mv ${at}.new ${at}; read _ < ${quoted(this.go)}; ${after}`;
  }

  /** Waits until an agent stands there; gives its process. */
  async reached(): Promise<number> {
    await until(`an agent comes to ${this.at}`, () => existsSync(this.at));
    return Number(readFileSync(this.at, "utf8"));
  }

  async open(): Promise<void> {
    await until(`somebody stands at ${this.go}`, () => this.opened());
  }

  private async opened(): Promise<boolean> {
    try {
      const pipe = await open(this.go, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
      await pipe.write("\n");
      await pipe.close();
      return true;
    } catch (error) {
      if (error instanceof Error && "errno" in error && error.errno === IS_NOBODY_THERE) {
        return false;
      }
      throw error;
    }
  }

  private get go(): string {
    return path.join(this.folder, "go");
  }

  private get at(): string {
    return path.join(this.folder, "at");
  }
}

/** Whether a process is there and no zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${String(pid)}/status`, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) {
      return false;
    }
    throw error;
  }
}
