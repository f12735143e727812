import { SyncerError } from '../../src/core/errors.ts';
import { aboutJson, aboutText } from '../../src/listing/size-texts.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { ABOUT_FLAGS } from './command.ts';

/** `syncer about remote:` */
export async function aboutCommand(invocation: Invocation<typeof ABOUT_FLAGS>): Promise<void> {
  const { args, flags, context, out } = invocation;
  const { remote } = await invocation.remotes.openPath(args[0] ?? '');
  const { about } = remote.can;
  if (about === undefined) {
    throw new SyncerError('unsupported', `${remote.title} doesn't support about`, {
      advice: 'use syncer size to add up its files',
    });
  }
  const numbers = await about({ signal: context.signal });
  await out.write(flags.json ? aboutJson(numbers) : aboutText(numbers, flags.full));
}
