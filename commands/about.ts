import type { Command, Invocation } from '../src/app/command.ts';
import { SyncerError } from '../src/core/errors.ts';
import { aboutJson, aboutText } from '../src/listing/about-text.ts';

/** `syncer about remote:` */
export const aboutCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { args, flags, context, out } = invocation;
  const { remote } = await invocation.openPath(args[0] ?? '');
  const { about } = remote.can;
  if (about === undefined) {
    throw new SyncerError('unsupported', `${remote.title} doesn't support about`);
  }
  const numbers = await about({ signal: context.signal });
  await out.write(flags.json ? aboutJson(numbers) : aboutText(numbers, flags.full));
}
