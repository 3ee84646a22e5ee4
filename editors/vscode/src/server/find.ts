/** Where the server may be: the setting, then `PATH`, then the project's own environment. */
import * as path from "node:path";
import { type RealPath, realOr } from "../model/real-paths.ts";

export interface Surroundings {
  /** `sennit.server.command`; it counts alone where it is set. */
  readonly setting: readonly string[];
  readonly pathVariable: string;
  /** Absolute paths of the workspace folders. */
  readonly folders: readonly string[];
  /** Programs of a workspace that is not trusted are not even looked for. */
  readonly trusted: boolean;
  readonly windows: boolean;
  /** Symbolic links lead into the workspace too. */
  readonly realPath: RealPath;
}

export type Source = "setting" | "path" | "environment";

export interface Candidate {
  readonly argv: readonly [string, ...string[]];
  readonly source: Source;
}

const ENVIRONMENTS = [".venv", "venv"];

/** Every command line that is worth a look, best first. */
export function candidates(around: Surroundings): readonly Candidate[] {
  const [program, ...rest] = around.setting;
  if (program !== undefined) {
    return [{ argv: [program, ...rest], source: "setting" }];
  }
  const name = around.windows ? "sennit.exe" : "sennit";
  const onPath = searchPath(around).map((folder) => found(path.join(folder, name), "path"));
  const bin = around.windows ? "Scripts" : "bin";
  const ofProject = around.folders.flatMap((folder) =>
    ENVIRONMENTS.map((environment) => found(path.join(folder, environment, bin, name), "environment")),
  );
  return around.trusted ? [...onPath, ...ofProject] : onPath;
}

function found(program: string, source: Source): Candidate {
  return { argv: [program, "serve"], source };
}

/**
 * The folders of `PATH` that are no trap: relative ones would be looked for in the workspace, and
 * those inside it are the workspace's own, which count only when it is trusted.
 */
function searchPath(around: Surroundings): readonly string[] {
  const separator = around.windows ? ";" : ":";
  return around.pathVariable
    .split(separator)
    .filter((folder) => path.isAbsolute(folder))
    .filter((folder) => around.trusted || !isOfWorkspace(folder, around));
}

function isOfWorkspace(folder: string, { folders, realPath }: Surroundings): boolean {
  const real = realOr(folder, realPath);
  return folders.some((top) => isInside(folder, top) || isInside(real, realOr(top, realPath)));
}

/** The value of `sennit.server.command`; undefined for anything but a list of texts. */
export function commandOf(value: unknown): readonly string[] | undefined {
  if (value === null || value === undefined) {
    return [];
  }
  if (!Array.isArray(value) || value[0] === "") {
    return undefined;
  }
  return value.every((part) => typeof part === "string") ? value : undefined;
}

function isInside(folder: string, top: string): boolean {
  const relative = path.relative(top, folder);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

/** Whether a program is named by its place, and not to be looked for on `PATH`. */
export function isPlace(program: string): boolean {
  return program.includes("/") || program.includes(path.sep);
}
