import { counted } from '../core/counted.ts';
import type { Job } from './job.ts';

/** The jobs with a path on the remote `name`, in a sentence; `''` if there are none. */
export function jobsUsing(jobs: readonly Job[], name: string): string {
  const used = jobs.filter(({ words }) =>
    words.some((word) => /^([^:,]+)[:,]/.exec(word)?.[1] === name),
  );
  if (used.length === 0) return '';
  const verb = used.length === 1 ? 'uses' : 'use';
  return `${counted(used.length, 'job')} ${verb} ${name}: ${used.map((job) => job.name).join(', ')}.`;
}
