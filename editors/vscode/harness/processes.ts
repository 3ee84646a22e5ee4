/** Which processes belong to a run: those that name its folder, wherever they have gone. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Found {
  readonly pid: number;
  readonly command: string;
}

/**
 * Processes whose command line, folder or environment names `folder`.
 *
 * Parenthood and process groups would miss what has been adopted by init or has left for a session of its own; the folder's
 * name is in HOME, which every program of a run inherits.
 */
export function processesOf(folder: string): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => namesFolder(name, folder))
    .map((name) => ({ pid: Number(name), command: read(name, 'cmdline').replaceAll('\0', ' ').trim() }));
}

function namesFolder(pid: string, folder: string): boolean {
  if (/^State:\s+Z/m.test(read(pid, 'status'))) {
    return false;
  }
  return [read(pid, 'cmdline'), read(pid, 'environ'), folderOf(pid)].some((text) => text.includes(folder));
}

function read(pid: string, name: string): string {
  return ifThere(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
}

function folderOf(pid: string): string {
  return ifThere(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** What /proc says; nothing of a process that has ended meanwhile or belongs to somebody else. */
function ifThere(look: () => string): string {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(error.code))) {
      return '';
    }
    throw error;
  }
}
