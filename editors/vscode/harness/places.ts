/** Where everything lies in this checkout. */

import path from 'node:path';

export const HARNESS = import.meta.dirname;
export const EXTENSION = path.dirname(HARNESS);
export const ROOT = path.resolve(EXTENSION, '..', '..');
export const CACHE = path.join(ROOT, '.cache', 'editors', 'vscode');
export const VSCODE = path.join(CACHE, 'node_modules', 'code-server', 'lib', 'vscode');
export const SERVER_MAIN = path.join(VSCODE, 'out', 'server-main.js');
export const SENNIT = path.join(ROOT, '.venv', 'bin', 'sennit');
export const PYTHON = path.join(ROOT, '.venv', 'bin', 'python');
/** An agent that speaks ACP and does what it is told, line by line. */
export const PEER = path.join(ROOT, 'tests', 'acp_peer.py');
export const NODE = process.execPath;
export const NPM = path.resolve(path.dirname(NODE), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
export const CHROMIUM = '/usr/bin/chromium';
