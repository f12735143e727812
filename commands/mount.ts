import type { Command } from '../src/app/command.ts';

/** `syncer mount remote:path /mnt` */
export const mountCommand: Command = {
  async run(invocation) {
    const { runMount } = await import('../src/app/mount/run-mount.ts');
    await runMount(invocation);
  },
};
