/** The suites that a person's hands do in the window. */

import type { Suite } from './desk.ts';
import { inOneWindow } from './in-one-window.ts';
import { mainJob } from './main-job.ts';
import { surviving } from './surviving.ts';
import { untrusted } from './untrusted.ts';

export type { Suite } from './desk.ts';

export const clickSuites: readonly Suite[] = [mainJob, inOneWindow, surviving];
export const untrustedSuites: readonly Suite[] = [untrusted];
