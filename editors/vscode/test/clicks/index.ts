/** The suites that a person's hands do in the window. */

import { answering } from './answering.ts';
import { cancelling } from './cancelling.ts';
import type { Suite } from './desk.ts';
import { mainJob } from './main-job.ts';
import { surviving } from './surviving.ts';
import { untrusted } from './untrusted.ts';

export type { Suite } from './desk.ts';

export const clickSuites: readonly Suite[] = [mainJob, cancelling, answering, surviving];
export const untrustedSuites: readonly Suite[] = [untrusted];
