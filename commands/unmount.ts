import type { Command, Invocation } from '../src/app/command.ts';
import { endMountAt } from '../src/app/mount/end-mount-at.ts';

/** `syncer unmount /mnt` */
export const unmountCommand: Command = {
  run: ({ args, flags, env }: Invocation) => endMountAt(args[0] ?? '', flags, env),
};
