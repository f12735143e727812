import { SyncerError } from '../../src/core/errors.ts';
import { parseDedupeMode } from '../../src/engine/dedupe-mode.ts';
import { startRun } from '../../src/engine/run.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { SKIP_LINKS } from '../../src/run/remotes/remote-flags.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { cannotUse } from '../../src/shell/flags/exclusions.ts';
import type { DEDUPE_FLAGS } from './command.ts';
import { deleteDuplicates } from './delete-duplicates.ts';

/** `syncer dedupe [mode] remote:path` */
export async function dedupeCommand(invocation: Invocation<typeof DEDUPE_FLAGS>): Promise<void> {
  const { args, flags, context, approval } = invocation;
  const spec = args.at(-1) ?? '';
  const mode = parseDedupeMode(args.length > 1 ? (args[0] ?? '') : flags['dedupe-mode']);
  const byHash = flags['by-hash'];
  if (byHash && mode === 'rename') {
    throw cannotUse('--by-hash', 'the mode rename', 'it finds files of different names');
  }
  const found = await openListing(invocation, spec);
  // Following a link would show its target as a duplicate.
  const mayFollow = byHash && found.remote.traits.onDisk && found.file === undefined;
  const opened = mayFollow ? await openListing(invocation, spec, { fixed: SKIP_LINKS }) : found;
  const { filter } = opened.run;
  // Only one attempt: do not ask the same questions again.
  const attempt = startRun({ context, filter, approval });
  const listing = opened.within(attempt);
  const { title, traits } = listing.remote;
  const [name] = traits.hashes;
  if (byHash) {
    if (name === undefined) throw new SyncerError('unsupported', `${title} has no hashes`);
    attempt.log('info', title, 'message', {
      text: `Looking for duplicate ${name} hashes using ${mode} mode.`,
    });
    await deleteDuplicates(invocation, listing, name, mode);
  } else {
    const hint = 'Perhaps you wanted --by-hash ? Continuing anyway.';
    attempt.log('notice', title, 'message', { text: `Can't have duplicate names here. ${hint}` });
    attempt.log('info', title, 'message', {
      text: `Looking for duplicate names using ${mode} mode.`,
    });
    // No backend allows duplicate names; the listing checks that the path exists.
    for await (const _ of listing.files());
  }
  listing.finish();
}
