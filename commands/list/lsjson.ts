import { SyncerError } from '../../src/core/errors.ts';
import type { Entry } from '../../src/core/remote.ts';
import { goJson } from '../../src/go/go-json.ts';
import { parseHashName } from '../../src/listing/hash-name.ts';
import { shownDirSize } from '../../src/listing/ls-lines.ts';
import { lsjsonRecord } from '../../src/listing/lsjson-record.ts';
import { fractionDigits } from '../../src/listing/time-format.ts';
import { systemMimeTypes } from '../../src/names/mime-types.ts';
import { listedEntries, writeLines } from '../../src/run/listing/listed-entries.ts';
import { type Listing, onePage, openListing } from '../../src/run/listing/open-listing.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';

/** `syncer lsjson remote:path` */
export async function lsjsonCommand(invocation: Invocation): Promise<void> {
  return invocation.flags.stat ? tellOne(invocation) : tellAll(invocation);
}

/** One line per entry. As in rclone, the opening bracket is printed before anything can fail. */
async function tellAll(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  const listing = await openListing(invocation);
  await out.write('[\n');
  const { wanted, rules } = telling(invocation, listing);
  const { pages, isFlat } = listedEntries(listing, flags);
  let separator = '';
  const line = (entry: Entry) => {
    const { size: dirSize = shownDirSize(entry, listing.remote, isFlat) } = entry;
    const text = separator + goJson(lsjsonRecord(entry, { ...rules, dirSize }));
    separator = ',\n';
    return text;
  };
  await writeLines(out, listing.detailed(pages, wanted), line);
  await out.write(separator === '' ? ']\n' : '\n]\n');
  listing.finish();
}

/** `--stat`: the named file or directory, on several lines; `null` if it is of the other kind. */
async function tellOne(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  const listing = await openListing(invocation, undefined, { filtersFile: false });
  const { wanted, rules } = telling(invocation, listing);
  const { remote, file, run } = listing;
  const isHidden = file === undefined ? flags['files-only'] : flags['ls-dirs-only'];
  const isShownDir = file === undefined && !isHidden;
  if (isShownDir) await remote.listPage('', undefined, run.op);
  const isAllBuckets = remote.traits.bucketBased && remote.root === '';
  // A look at a directory is free on a disk; elsewhere its time is unknown.
  const known = isShownDir && remote.traits.onDisk ? await remote.stat('', run.op) : undefined;
  const entry: Entry = file ?? known ?? { kind: 'dir', path: '', isBucket: isAllBuckets };
  for await (const [told = entry] of listing.detailed(onePage([entry]), wanted)) {
    const record = lsjsonRecord(told, { ...rules, dirSize: -1 });
    await out.write(isHidden ? 'null\n' : `${goJson(record, '\t')}\n`);
  }
  listing.finish();
}

/** What to print of an entry, apart from the size of a directory. */
function telling({ flags }: Invocation, { remote, now }: Listing) {
  if (flags.encrypted) {
    throw new SyncerError('unsupported', 'the remote needs to be of type "crypt"');
  }
  const types = flags['hash-type'].map((name) => parseHashName(name, 'usage'));
  const asked = flags['lsjson-hash'] ? remote.traits.hashes : [];
  const hashes = types.length > 0 ? types : asked;
  const { onDisk, modTimePrecision } = remote.traits;
  const shown = {
    modTime: !flags['no-modtime'],
    mimeType: !flags['no-mimetype'],
    metadata: flags.metadata,
    hashes,
  };
  return {
    wanted: shown,
    rules: {
      ...shown,
      now,
      // A disk may report more precise times than it can store.
      fractionDigits: onDisk ? 9 : fractionDigits(modTimePrecision),
      mimeTypes: systemMimeTypes(),
      original: flags.original,
      tier: remote.can.setTier !== undefined,
    },
  };
}
