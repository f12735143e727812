import type { Command, Invocation } from '../src/app/command.ts';
import { windowColumns } from '../src/app/output/output.ts';
import { endMountAt, listMounts } from '../src/mount/list-mounts.ts';
import { mountLines } from '../src/mount/mount-lines.ts';

/** `syncer mount remote:path /mnt` */
export const mountCommand: Command = async (invocation) => {
  const { runMount } = await import('../src/mount/run-mount.ts');
  await runMount(invocation);
};

/** `syncer mounts` */
export async function mountsCommand({ flags, env, out, context }: Invocation): Promise<void> {
  const mounts = await listMounts(flags, env);
  if (flags['mounts-json']) return out.write(`${JSON.stringify(mounts, null, 2)}\n`);
  const lines = mountLines(mounts, context.clock.now(), windowColumns(out));
  for (const line of lines) await out.write(`${line}\n`);
}

/** `syncer unmount /mnt` */
export const unmountCommand: Command = ({ args, flags, env }: Invocation) =>
  endMountAt(args[0] ?? '', flags, env);
