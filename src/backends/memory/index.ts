import type { Backend } from '../backend.ts';

/** `:memory:`: files that live as long as the program; for tests and experiments. */
export const memory: Backend = {
  type: 'memory',
  group: 'This computer',
  summary: 'In memory object storage system.',
  options: [],
  load: () => import('./memory-remote.ts'),
};
