import { SyncerError } from '../../src/core/errors.ts';
import type { Entry } from '../../src/core/remote.ts';
import { leafName } from '../../src/core/remote-path.ts';
import { goJson, type Json } from '../../src/go/go-json.ts';
import { mimeTypeOf } from '../../src/listing/lsf-format.ts';
import { parseHashName } from '../../src/listing/sum-file.ts';
import { formatRfc3339, formatRfc3339Utc, fractionDigits } from '../../src/listing/time-format.ts';
import { type MimeTypes, systemMimeTypes } from '../../src/names/mime-types.ts';
import { listedEntries, writeLines } from '../../src/run/listing/listed-entries.ts';
import {
  type Listing,
  onePage,
  openListing,
  shownDirSize,
} from '../../src/run/listing/open-listing.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../src/shell/command-line/command.ts';

export async function lsjsonCommand(
  invocation: CommandCall & Remotes & StandardOutput,
): Promise<void> {
  return invocation.flags.stat ? tellOne(invocation) : tellAll(invocation);
}

/** One line per entry. As in rclone, the opening bracket is printed before anything can fail. */
async function tellAll(invocation: CommandCall & Remotes & StandardOutput): Promise<void> {
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
async function tellOne(invocation: CommandCall & Remotes & StandardOutput): Promise<void> {
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
function telling({ flags }: CommandCall, { remote, now }: Listing) {
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

/** Which properties of an entry to print, and how. */
export interface LsjsonRules {
  /** Time of entries whose own time is unknown (prefixes of object storage). */
  readonly now: bigint;
  readonly fractionDigits: number;
  readonly modTime: boolean;
  readonly mimeType: boolean;
  /** Types of files whose own type is unknown. */
  readonly mimeTypes: MimeTypes;
  /** Names of the hashes to print, if any. */
  readonly hashes: readonly string[];
  readonly original: boolean;
  readonly metadata: boolean;
  /** The remote has storage classes. */
  readonly tier: boolean;
  /** The shown size of a directory: -1, or 0. */
  readonly dirSize: number;
}

/**
 * One entry of `lsjson`, with its fields in rclone's order; empty ones are absent. Integer-like keys would
 * come first in a JavaScript object, so hashes and metadata are sorted as names, which is Go's order, too.
 */
export function lsjsonRecord(entry: Entry, rules: LsjsonRules): Record<string, Json | undefined> {
  const isDir = entry.kind === 'dir';
  const file = isDir ? undefined : entry;
  const { modTime = rules.now } = entry;
  // In local time; but the server's own time in UTC, as in rclone.
  const isStores = isDir ? entry.isBucket : entry.storedTime === modTime;
  return {
    Path: entry.path,
    Name: leafName(entry.path),
    Size: file?.size ?? rules.dirSize,
    MimeType: rules.mimeType ? mimeTypeOf(entry, rules.mimeTypes) : undefined,
    ModTime: rules.modTime
      ? (isStores ? formatRfc3339Utc : formatRfc3339)(modTime, rules.fractionDigits)
      : '',
    IsDir: isDir,
    Hashes:
      file && nonEmpty(file.hashes, (name, value) => value !== '' && rules.hashes.includes(name)),
    ID: file?.version === undefined ? entry.id : undefined,
    OrigID: rules.original ? file?.id : undefined,
    Tier: rules.tier ? file?.tier : undefined,
    IsBucket: isDir && entry.isBucket === true ? true : undefined,
    Metadata: rules.metadata ? nonEmpty(entry.metadata, () => true) : undefined,
  };
}

function nonEmpty(
  values: Readonly<Record<string, string | undefined>> | undefined,
  isWanted: (name: string, value: string) => boolean,
): Record<string, string | undefined> | undefined {
  const wanted = Object.entries(values ?? {}).filter(
    ([name, value]) => value !== undefined && isWanted(name, value),
  );
  if (wanted.length === 0) return undefined;
  return Object.fromEntries(wanted.sort(([a], [b]) => (a < b ? -1 : 1)));
}
