import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { commonHash, type HashName } from '../../core/hash-names.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { hashOf } from '../../engine/compare-hashes.ts';
import { COMPUTABLE_HASHES } from '../../hashes/content-hasher.ts';
import { shellLine } from '../../home/home-actions.ts';
import { hashReader } from '../listing/hash-reader.ts';
import type { ScrubWork } from './scrub-files.ts';

/** Where the other copy of the files is, as the user named both. */
export interface OtherSide {
  readonly remote: Remote;
  readonly spec: string;
  readonly ownSpec: string;
}

/** What another copy shows about a suspect, and the command that would settle it. */
export interface RightSide {
  readonly found: string;
  readonly command?: string;
  /** The copy may have been made of the suspect: it proves nothing. */
  readonly isOpen?: true;
}

/** What the user reads about a suspect. */
export function sideText({ found, command, isOpen }: RightSide): string {
  if (command === undefined) return found;
  const when = isOpen ? 'if a program changed it on purpose' : 'to settle it';
  return `${found}; ${when}: ${command}`;
}

/** Compares a suspect with its other copy by hash. Changes nothing. */
export async function findRightSide(
  work: ScrubWork,
  file: FileEntry,
  other: OtherSide,
): Promise<RightSide> {
  const { op } = work.listing.run;
  try {
    const entry = await other.remote.stat(file.path, op);
    if (entry?.kind !== 'file') return { found: `${other.spec} has no such file` };
    return await compare(work, file, entry, other, op);
  } catch (thrown) {
    op.signal.throwIfAborted();
    return { found: `the copy at ${other.spec} cannot be read: ${toSyncerError(thrown).message}` };
  }
}

async function compare(
  work: ScrubWork,
  file: FileEntry,
  entry: FileEntry,
  other: OtherSide,
  op: Op,
): Promise<RightSide> {
  const { remote } = work.listing;
  const place = joinPath(other.spec.replace(/\/$/, ''), file.path);
  const own = joinPath(other.ownSpec.replace(/\/$/, ''), file.path);
  const was = work.suspects.at(file.path)?.was ?? {};
  const recorded = (Object.keys(was) as HashName[]).filter((name) => was[name] !== undefined);
  for (const name of recorded) {
    const there = await otherHash(work, entry, name, other);
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
}

/** The hash of the other copy: as its remote has it, or with `--download` of its content. */
async function otherHash(
  { listing: { run }, tries, downloads }: ScrubWork,
  entry: FileEntry,
  name: HashName,
  { remote }: OtherSide,
): Promise<string | undefined> {
  if (!downloads) return hashOf(remote, entry, name, run.op);
  if (!COMPUTABLE_HASHES.includes(name)) return undefined;
  return hashReader(run, remote, name, { download: true, tries })(entry);
}
