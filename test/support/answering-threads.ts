import { readdirSync, readFileSync } from 'node:fs';

/** What the processor has done, in its ticks, for each thread of a hook server that answers beside the main one. */
export function answeringThreads(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const stat = statOf(`/proc/${pid}/task/${task}/stat`);
    if (!stat.startsWith(`${task} (webhook)`) || task === `${pid}`) return [];
    return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[11])];
  });
}

/** Empty where the thread has just ended. */
function statOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
