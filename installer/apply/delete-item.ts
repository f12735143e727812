import { rm } from 'node:fs/promises';
import { insideRoot } from '../machine/inside-root.ts';
import type { StepOf } from '../plan/step.ts';
import { onFile } from './file-error.ts';
import type { Doer } from './job.ts';

/** Deletes a file, a link, or a folder with all that is in it. */
export const deleteItem: Doer<StepOf<'delete'>> = async ({ path }, { options }) => {
  const target = await insideRoot(options.root, path);
  await onFile('delete', path, () => rm(target, { recursive: true, force: true }));
  return '';
};
