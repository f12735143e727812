import type { Command, Invocation } from '../src/app/command.ts';
import { SyncerError } from '../src/core/errors.ts';

/** `syncer link remote:path` */
export const linkCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { args, flags, context, out } = invocation;
  const [spec = ''] = args;
  const op = { signal: context.signal };
  const { remote, file } = await invocation.openPath(spec);
  const { title, traits } = remote;
  const { publicLink, removeLink } = remote.can;
  if (publicLink === undefined) {
    throw new SyncerError('unsupported', `${title} doesn't support public links`);
  }
  // A store without directories of its own is asked in vain: it says so itself.
  const entry = file ?? (traits.emptyDirs ? await remote.stat('', op) : { kind: 'dir', path: '' });
  if (entry === undefined) {
    throw new SyncerError('file-not-found', `there is nothing at ${spec}`, { path: spec });
  }
  if (!flags.unlink) return out.write(`${await publicLink(entry, flags.expire, op)}\n`);
  if (removeLink === undefined) {
    throw new SyncerError('unsupported', `links of ${title} cannot be withdrawn: they expire`);
  }
  await removeLink(entry, op);
}
