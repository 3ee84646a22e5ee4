/** Paths as the file system has them: the server knows no symbolic links. */

export type RealPath = (path: string) => string;

/** A path without symbolic links; as it is where it does not exist. */
export function realOr(path: string, realPath: RealPath): string {
  try {
    return realPath(path);
  } catch {
    return path; // What is not there is no link either.
  }
}
