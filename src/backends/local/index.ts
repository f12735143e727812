import type { Backend } from '../backend.ts';
import { LOCAL_OPTIONS } from './local-options.ts';

/** Files of this machine: what a path without a remote's name means. */
export const local: Backend = {
  type: 'local',
  summary: 'Local Disk.',
  options: LOCAL_OPTIONS,
  load: () => import('./open-local.ts'),
};
