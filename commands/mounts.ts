import type { Command, Invocation } from '../src/app/command.ts';
import { listMounts } from '../src/app/mount/list-mounts.ts';
import { mountLines } from '../src/app/mount/mount-lines.ts';

/** `syncer mounts` */
export const mountsCommand: Command = { run };

async function run({ flags, env, out, context }: Invocation): Promise<void> {
  const mounts = await listMounts(flags, env);
  if (flags['mounts-json']) await out.write(`${JSON.stringify(mounts, null, 2)}\n`);
  else for (const line of mountLines(mounts, context.clock.now())) await out.write(`${line}\n`);
}
