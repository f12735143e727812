import { ChildReaper } from './child-reaper.ts';
import { NativeStarter } from './native-starter.ts';
import { NodeStarter } from './node-starter.ts';
import type { ProcessStarter } from './process-starter.ts';
import { loadSpawnCalls } from './spawn-calls.ts';

/** The best way to start processes that there is here. */
export async function openStarter({ on }: Pick<NodeJS.Process, 'on'>): Promise<ProcessStarter> {
  const calls = await loadSpawnCalls();
  if (calls === undefined) return new NodeStarter();
  const reaper = new ChildReaper(calls, process.pid === 1);
  on.call(process, 'SIGCHLD', () => reaper.reap());
  return new NativeStarter(calls, reaper);
}
