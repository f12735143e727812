import { cacheStoreOf, HashCache } from '../../src/caches/hashes/hash-cache.ts';
import { cacheDir } from '../../src/config/config-path.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { commonHash, type HashName } from '../../src/core/hash-names.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { joinPath } from '../../src/core/remote-path.ts';
import { counted } from '../../src/core/shown-text.ts';
import { hashOf } from '../../src/engine/compare-pair.ts';
import { openSuspects } from '../../src/run/guards/suspects.ts';
import { hashReader } from '../../src/run/listing/hash-reader.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import type {
  CommandCall,
  Environment,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { shortSize } from '../../src/shell/progress/short-size.ts';
import { shellLine } from '../../src/system/shell-words.ts';
import type { SCRUB_FLAGS } from './command.ts';
import {
  loadForget,
  parseScrubLimit,
  recordOf,
  runScrub,
  ScrubBudget,
  type ScrubLimit,
  type ScrubTotals,
  type ScrubWork,
  verifiedMs,
} from './scrub-files.ts';

/**
 * `syncer scrub`: reads files again and compares them with the hashes that earlier runs recorded. Rejects with
 * `differences` if there are suspects or unreadable files.
 */
export async function scrubCommand(
  invocation: CommandCall<typeof SCRUB_FLAGS> & Environment & Remotes & StandardOutput,
): Promise<void> {
  const { flags } = invocation;
  const limit = parseScrubLimit(flags.budget);
  const work = await openWork(invocation);
  const { listing, cache, suspects } = work;
  try {
    if (flags.status) {
      const status = await scrubStatus(work, flags.every);
      const text = flags['scrub-json'] ? statusJson(status) : statusText(status, flags.every > 0);
      await invocation.out.write(text);
    } else await verify(invocation, work, limit);
    // Suspects that earlier runs found count, too, until they are settled.
    const all = suspects.below(listing.file?.path ?? '');
    const suspect = all.filter(({ result }) => result === 'suspect').length;
    const unreadable = all.length - suspect;
    const found = [
      ...(suspect > 0 ? [counted(suspect, 'suspect file')] : []),
      ...(unreadable > 0 ? [counted(unreadable, 'unreadable file')] : []),
    ];
    const advice =
      '--status lists them, --with compares them with a copy, --accept takes their content as right';
    if (found.length > 0)
      throw new SyncerError('differences', found.join(', '), suspect > 0 ? { advice } : {});
    listing.finish();
  } finally {
    await cache.close();
  }
}

async function openWork(
  invocation: CommandCall<typeof SCRUB_FLAGS> & Environment & Remotes,
): Promise<ScrubWork> {
  const { flags, env, context, runId, stores } = invocation;
  // Without a cache there is nothing to compare with.
  cacheDir(env, flags['cache-dir']);
  const listing = await openListing(invocation);
  const { remote } = listing;
  if (cacheStoreOf(remote) === undefined) {
    throw new SyncerError('unsupported', `cannot scrub ${remote.title}: its files do not last`);
  }
  const fail = (error: SyncerError, text = error.message) => {
    context.emit(logText('error', text));
    context.emit({ type: 'error', error });
  };
  const onTrouble = (thrown: unknown) => {
    const error = toSyncerError(thrown);
    fail(error, `The hashes of this run cannot be kept: ${error.message}`);
  };
  const cache = new HashCache({ stores, clock: context.clock, onTrouble });
  await cache.opened();
  const suspects = await openSuspects(remote, stores, fail, flags['dry-run']);
  const forget = remote.traits.onDisk ? await loadForget() : undefined;
  const reads = remote.traits.slowHash || flags['scrub-download'];
  return { flags, runId, listing, cache, suspects, reads, forget };
}

async function verify(
  invocation: CommandCall<typeof SCRUB_FLAGS> & Remotes & StandardOutput,
  work: ScrubWork,
  limit: ScrubLimit,
): Promise<void> {
  const { flags, context, out, remotes, args } = invocation;
  const { title } = work.listing.remote;
  if (!work.reads) {
    const text = 'Compares ETags and hashes of the listing only; --download reads the files';
    context.emit(logText('notice', text, title));
  }
  const { with: spec = '' } = flags;
  const remote = flags.with === undefined ? undefined : await remotes.openDir(spec);
  const other = remote && { remote, spec, ownSpec: args[0] ?? '' };
  const budget = new ScrubBudget(limit, () => context.clock.monotonic());
  const totals = await runScrub(work, budget, async (scrubbed) => {
    const { file, result, reason } = scrubbed;
    const { path, size } = file;
    const isOpen = other !== undefined && result === 'suspect';
    const side = isOpen ? await findRightSide(work, file, other) : undefined;
    const { found, command } = side ?? {};
    if (side && found) {
      const when = side.isOpen ? 'if a program changed it on purpose' : 'to settle it';
      const text = command === undefined ? found : `${found}; ${when}: ${command}`;
      context.emit(logText('notice', text, path));
    }
    if (flags['scrub-json'])
      await out.write(json({ path, size, result, reason, otherSide: found, command }));
  });
  const { new: fresh, ok, changed, suspect, accepted } = totals.counts;
  if (fresh > 0 && ok + changed + suspect + accepted === 0) {
    const text = 'no hash of these files was known, so that none was compared; the next scrub does';
    context.emit(logText('notice', text, title));
  }
  const { counts, bytes, left } = totals;
  const summary = { ...counts, bytes, left };
  await out.write(flags['scrub-json'] ? json({ summary }) : totalsText(totals, work.reads));
}

const json = (value: object) => `${JSON.stringify(value)}\n`;

function totalsText({ counts, bytes, left }: ScrubTotals, reads: boolean): string {
  const { ok, new: fresh, changed, suspect, accepted, unreadable } = counts;
  const files = ok + fresh + changed + suspect + accepted + unreadable;
  const size = reads ? `, ${shortSize(bytes)}` : '';
  const results = [
    `${ok} ok`,
    `${fresh} new`,
    `${changed} changed`,
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
    `${suspect} suspect`,
    `${unreadable} unreadable`,
  ];
  const rest = left > 0 ? `; ${counted(left, 'file')} left for the next run` : '';
  return `${counted(files, 'file')}${size}: ${results.join(', ')}${rest}\n`;
}

function statusJson({ oldestMs, suspects, ...counts }: ScrubStatus): string {
  const oldest = oldestMs === undefined ? undefined : new Date(oldestMs).toISOString();
  const found = suspects.map(({ foundMs, checkedMs, ...suspect }) => ({
    ...suspect,
    found: new Date(foundMs).toISOString(),
    checked: new Date(checkedMs).toISOString(),
  }));
  return json({ ...counts, oldest, suspects: found });
}

function statusText(status: ScrubStatus, hasPeriod: boolean): string {
  const { verified, due, changed, never, oldestMs, suspects } = status;
  const row = (title: string, { files, bytes }: typeof due) =>
    `${`${title}:`.padEnd(11)}${counted(files, 'file')}, ${shortSize(bytes)}\n`;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return [
    row('verified', verified),
    hasPeriod ? row('due', due) : '',
    row('changed', changed),
    row('never', never),
    oldestMs === undefined ? '' : `oldest:    ${day(oldestMs)}\n`,
    ...suspects.map(
      ({ path, result, reason, foundMs }) => `${result}: ${path}: ${reason} (${day(foundMs)})\n`,
    ),
  ].join('');
}

/**
 * Compares a suspect with its other copy by hash: what that shows, and the command that would settle it. Changes nothing.
 * `isOpen`: the copy may have been made of the suspect and proves nothing.
 *
 * @param other where the other copy of the files is, as the user named both
 */
async function findRightSide(
  work: ScrubWork,
  file: FileEntry,
  other: { readonly remote: Remote; readonly spec: string; readonly ownSpec: string },
): Promise<{ readonly found: string; readonly command?: string; readonly isOpen?: true }> {
  const { remote, run } = work.listing;
  const { op } = run;
  const { 'scrub-download': download, 'low-level-retries': tries } = work.flags;
  const place = joinPath(other.spec.replace(/\/$/, ''), file.path);
  const own = joinPath(other.ownSpec.replace(/\/$/, ''), file.path);
  const was = work.suspects.at(file.path)?.was ?? {};
  const recorded = (Object.keys(was) as HashName[]).filter((name) => was[name] !== undefined);
  try {
    const entry = await other.remote.stat(file.path, op);
    if (entry?.kind !== 'file') return { found: `${other.spec} has no such file` };
    for (const name of recorded) {
      const there = download
        ? await hashReader(run, other.remote, name, { download, tries })(entry)
        : await hashOf(other.remote, entry, name, op);
      if (there === undefined) continue;
      if (there === was[name]) {
        const command = shellLine(['copyto', place, own, '--ignore-times']);
        return { found: `${place} has the recorded content`, command };
      }
      const here = await hashOf(remote, file, name, op);
      if (here !== there) return { found: `${place} has neither content` };
      const command = shellLine(['scrub', '--accept', own]);
      return { found: `${place} has the new content, too`, command, isOpen: true };
    }
    const common = commonHash(remote.traits.hashes, other.remote.traits.hashes);
    const why =
      common === undefined ? 'the sides have no hash in common' : `${common} was not recorded`;
    throw new SyncerError('unsupported', `${why}; with --download the copy is read`);
  } catch (thrown) {
    op.signal.throwIfAborted();
    return { found: `the copy at ${other.spec} cannot be read: ${toSyncerError(thrown).message}` };
  }
}

type ScrubStatus = Awaited<ReturnType<typeof scrubStatus>>;

/** Lists a tree, and looks up what is recorded about its files; reads none. */
async function scrubStatus(work: ScrubWork, everyMs: number) {
  const { listing, suspects } = work;
  const nowMs = listing.run.context.clock.now();
  const none = () => ({ files: 0, bytes: 0 });
  // Due is what was verified, but longer ago than `--every`; changed, what has changed since.
  const counts = { verified: none(), due: none(), changed: none(), never: none() };
  let oldestMs = Number.POSITIVE_INFINITY;
  for await (const files of listing.files()) {
    for (const file of files) {
      const ms = verifiedMs(work, file);
      const isDue = everyMs > 0 && ms <= nowMs - everyMs;
      const record = recordOf(work, file);
      const isKnown = record !== undefined && record.isUnread !== true;
      const of = ms > 0 ? (isDue ? 'due' : 'verified') : isKnown ? 'changed' : 'never';
      counts[of].files++;
      counts[of].bytes += Math.max(0, file.size);
      if (ms > 0) oldestMs = Math.min(oldestMs, ms);
    }
  }
  return {
    ...counts,
    oldestMs: Number.isFinite(oldestMs) ? oldestMs : undefined,
    suspects: suspects.below(listing.file?.path ?? ''),
  };
}
