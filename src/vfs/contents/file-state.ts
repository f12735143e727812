import { SyncerError } from '../../core/errors.ts';
import type { CacheState } from './journal.ts';

/**
 * Where a cached file is on its way to the remote. The functions below are the arrows of the picture in open-files.md:
 * from a state to the next one. A `CachedFile` keeps its state to itself, and changes it by them alone.
 */
export type FileState = Clean | Waiting | Uploading | Superseded;

/** The states of a version that no upload reads. */
type Waiting = Changed | Committed | Queued;

/** The bytes are those of the remote, or a part of them. */
interface Clean {
  readonly is: 'clean';
}

/** What all states have in which the remote lacks something. */
interface Newer {
  /** An upload ended without a response, or is on its way: the remote may have what it sent. */
  readonly isUncertain: boolean;
}

/** Changed since the last commit. */
interface Changed extends Newer {
  readonly is: 'changed';
  /** The journal has an earlier version, which is uploaded if the program ends now. */
  readonly hasCommitted: boolean;
  /** Its commit failed when it was closed, and is repeated at this turn. */
  readonly turn: Turn | undefined;
}

/** Closed or synced, and still open for writing. */
interface Committed extends Newer {
  readonly is: 'committed';
}

/** Closed; waits for its turn. */
interface Queued extends Newer {
  readonly is: 'queued';
  readonly turn: Turn;
}

/** An upload reads this version. */
interface Uploading extends Newer {
  readonly is: 'uploading';
  readonly turn: Turn;
  readonly upload: FileUpload;
}

/** An upload of an older version, or to an older name, still runs. */
interface Superseded {
  readonly is: 'superseded';
  readonly now: Waiting;
  readonly upload: FileUpload;
}

/** A place in the queue of uploads. */
export interface Turn {
  /** How often the upload of this version has failed, and why it failed last. */
  readonly failures: number;
  readonly failure: SyncerError | undefined;
}

/** What an upload reads, and where it writes to. */
export interface FileUpload {
  readonly path: string;
  /** `CachedFile.isCurrent` knows whether the file still has it. */
  readonly edition: number;
}

const CLEAN: Clean = { is: 'clean' };

/** The state of a file of which the journal says this. */
export function restored(journaled: CacheState): FileState {
  switch (journaled) {
    case 'clean':
      return CLEAN;
    case 'open':
      return changed(undefined);
    case 'pending':
      return { is: 'committed', isUncertain: false };
  }
}

/** Its bytes, its size or its time were changed. Its writer will close it: it leaves the queue until then. */
export function wrote(state: FileState): FileState {
  return state.is === 'clean' ? changed(undefined) : withNewest(state, changed);
}

/** The journal has what was changed. */
export function committed(state: FileState): FileState {
  if (state.is === 'changed') return unchanged(state);
  if (state.is === 'superseded') return behind(state, unchanged);
  throw impossible(state, 'committed');
}

/** Its last writer has closed it, or it is uploaded again for another reason: it waits for this turn. */
export function queued(state: FileState, turn: Turn): FileState {
  const inQueue = (now: Waiting): Waiting =>
    now.is === 'changed' ? { ...now, turn } : { is: 'queued', isUncertain: now.isUncertain, turn };
  if (state.is === 'clean') throw impossible(state, 'queued');
  return withNewest(state, inQueue);
}

/** It is renamed or deleted, or the mount ends: no upload of it starts, and a running one ends soon. */
export function stopped(state: FileState): FileState {
  return state.is === 'clean' ? state : withNewest(state, outOfQueue);
}

/** Its turn has come. */
export function uploadBegan(state: FileState, upload: FileUpload): FileState {
  if (state.is !== 'queued') throw impossible(state, 'uploaded');
  const { isUncertain, turn } = state;
  return { is: 'uploading', isUncertain, turn, upload };
}

/** The remote has what was uploaded. `isCurrent`: and it is the current version. */
export function uploadArrived(state: FileState, isCurrent: boolean): FileState {
  if (state.is === 'uploading' && isCurrent) return CLEAN;
  if (state.is !== 'superseded') throw impossible(state, 'on the remote');
  return isCurrent && state.now.is !== 'changed' ? CLEAN : doubted(state, false);
}

/** Its upload failed, or the commit before that: it waits for another turn. */
export function uploadFailed(state: FileState, turn: Turn): FileState {
  if (state.is === 'changed' && state.turn !== undefined) return { ...state, turn };
  if (state.is !== 'uploading') throw impossible(state, 'uploaded again');
  return { is: 'queued', isUncertain: state.isUncertain, turn };
}

/** Its upload has ended, and reads and writes nothing any more. */
export function uploadEnded(state: FileState): FileState {
  if (state.is === 'uploading') throw impossible(state, 'left without its upload');
  return state.is === 'superseded' ? state.now : state;
}

/** Whether the remote may have what an upload sent has become known, or unknown. */
export function doubted(state: FileState, isUncertain: boolean): FileState {
  if (state.is === 'clean') return state;
  if (state.is === 'superseded') return behind(state, (now) => ({ ...now, isUncertain }));
  return { ...state, isUncertain };
}

/** Its commit failed. `hasCommitted`: as before it. */
export function uncommitted(state: FileState, hasCommitted: boolean): FileState {
  const again = (now: Waiting): Waiting =>
    now.is === 'changed'
      ? { ...now, hasCommitted }
      : { is: 'changed', isUncertain: now.isUncertain, hasCommitted, turn: turnOf(now) };
  return state.is === 'clean' || state.is === 'uploading' ? state : withNewest(state, again);
}

/** What the journal says of a file in this state. */
export function journaledIn(state: FileState): CacheState {
  if (state.is === 'clean') return 'clean';
  return state.is === 'changed' && !state.hasCommitted ? 'open' : 'pending';
}

/** Whether it was changed since the last commit. */
export function isChanged(state: FileState): boolean {
  return newestOf(state).is === 'changed';
}

/** Whether the remote may have what an upload sent. */
export function isUncertain(state: FileState): boolean {
  const newest = newestOf(state);
  return newest.is !== 'clean' && newest.isUncertain;
}

/** Its place in the queue, also while it is uploaded. */
export function turnOf(state: FileState): Turn | undefined {
  const newest = newestOf(state);
  return newest.is === 'clean' || newest.is === 'committed' ? undefined : newest.turn;
}

/** The state of the newest version. */
function newestOf(state: FileState): Exclude<FileState, Superseded> {
  return state.is === 'superseded' ? state.now : state;
}

function changed(state: Waiting | undefined): Changed {
  if (state?.is !== 'changed') {
    const hasCommitted = state !== undefined;
    const isUncertain = state?.isUncertain ?? false;
    return { is: 'changed', isUncertain, hasCommitted, turn: undefined };
  }
  return state.turn === undefined ? state : { ...state, turn: undefined };
}

function unchanged(state: Waiting): Waiting {
  if (state.is !== 'changed') throw impossible(state, 'committed');
  const { isUncertain, turn } = state;
  return turn === undefined
    ? { is: 'committed', isUncertain }
    : { is: 'queued', isUncertain, turn };
}

function outOfQueue(state: Waiting): Waiting {
  if (state.is === 'queued') return { is: 'committed', isUncertain: state.isUncertain };
  return state.is === 'changed' ? changed(state) : state;
}

/** A change of the newest version; an upload that runs is then of an older one. */
function withNewest(
  state: Waiting | Uploading | Superseded,
  change: (now: Waiting) => Waiting,
): FileState {
  switch (state.is) {
    case 'uploading':
    case 'superseded':
      return behind(state, change);
    case 'changed':
    case 'committed':
    case 'queued':
      return change(state);
  }
}

/** A change of the newest version, while an upload of an older one runs. */
function behind(state: Uploading | Superseded, change: (now: Waiting) => Waiting): Superseded {
  if (state.is === 'uploading') {
    const { isUncertain, upload } = state;
    return { is: 'superseded', now: change({ is: 'committed', isUncertain }), upload };
  }
  const now = change(state.now);
  return now === state.now ? state : { ...state, now };
}

function impossible({ is }: FileState, what: string): SyncerError {
  const text = `a file of the mount's cache that is ${is} cannot be ${what}`;
  return new SyncerError('other', text, { advice: 'report this as a bug of syncer' });
}
