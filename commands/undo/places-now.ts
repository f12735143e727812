import { formatRemoteSpec, parseRemoteSpec } from '../../src/config/remote-spec.ts';
import type { KeptAs } from '../../src/core/change-details.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { ModTime } from '../../src/core/mod-time.ts';
import { isTrashDir } from '../../src/core/own-names.ts';
import type { Entry, Op, Remote } from '../../src/core/remote.ts';
import { foldPath, isWithin, parentPath, shownRemote } from '../../src/core/remote-path.ts';
import { fileOf, type PlaceLine } from '../../src/run/journal/journal-line.ts';
import { knownOld, type RunChange } from '../../src/run/journal/read-run.ts';
import { LIST_LINKS } from '../../src/run/remotes/remote-flags.ts';
import type { RemoteOpener } from '../../src/shell/command-line/command.ts';

type Opened = Pick<PlaceLine, 'name' | 'root' | 'storeId' | 'links'>;

/** The remotes that a run changed, opened when they are needed, and what is in them by now. */
export class PlacesNow {
  readonly #remotes: RemoteOpener;
  readonly #places: readonly PlaceLine[];
  readonly #opened = new Map<string, Promise<Remote>>();
  readonly #left = new Map<string, Entry | undefined>();
  /** The remotes of places that have been used. */
  readonly #remoteOf = new Map<number, Remote>();
  readonly #own: { readonly remote: Remote; readonly spec: string } | undefined;

  /** @param own the remote that the user named, with its options, and how */
  constructor(
    remotes: RemoteOpener,
    places: readonly PlaceLine[],
    own?: { readonly remote: Remote; readonly spec: string },
  ) {
    this.#remotes = remotes;
    this.#places = places;
    this.#own = own;
  }

  /** The remote of a place. Rejects with `config` if its name now means another one. */
  async remote(place: number): Promise<Remote> {
    const remote = await this.#open(this.#line(place));
    this.#remoteOf.set(place, remote);
    return remote;
  }

  trashOf(place: number): Promise<Remote> {
    const { trash, links } = this.#line(place);
    if (trash === undefined) return this.remote(place);
    return this.#open(links === undefined ? trash : { ...trash, links });
  }

  isInTrash({ place, path }: { readonly place: number; readonly path: string }): boolean {
    const { name, root } = this.#line(place);
    const isTrash = this.#places.some(
      ({ trash }) => trash?.name === name && isWithin(trash.root, root),
    );
    return isTrash || isTrashDir(parentPath(path));
  }

  /** What is at a path, and whether undoing a later change left it there; not directories that only contents imply. */
  async look(place: number, path: string, op: Op) {
    const remote = await this.remote(place);
    const key = this.#key(place, path);
    if (this.#left.has(key)) return { entry: this.#left.get(key), isOwn: true };
    const entry = await remote.stat(path, op);
    const isNothing = entry?.kind === 'dir' && !remote.traits.emptyDirs;
    return { entry: isNothing ? undefined : entry, isOwn: false };
  }

  /** The time of the root of a place on a disk; `undefined` if it has none. */
  async rootTime(place: number, op: Op): Promise<ModTime | undefined> {
    const remote = await this.remote(place);
    if (!remote.traits.onDisk) return undefined;
    const root = await remote.stat('', op).catch(() => undefined);
    return root?.kind === 'dir' ? root.modTime : undefined;
  }

  /** Drops what was noted of the changes of an attempt, which may have failed. */
  lookAgain(): void {
    this.#left.clear();
  }

  /** Notes what undoing a change leaves at a path. */
  leave(place: number, path: string, entry: Entry | undefined): void {
    this.#left.set(this.#key(place, path), entry);
  }

  #key(place: number, path: string): string {
    const remote = this.#remoteOf.get(place);
    return `${place}\n${remote === undefined ? path : foldPath(remote, path)}`;
  }

  #line(place: number): PlaceLine {
    const line = this.#places[place];
    if (line !== undefined) return line;
    throw new SyncerError('other', `the journal of the run does not name its place ${place}`);
  }

  #open(line: Opened): Promise<Remote> {
    const key = `${line.name}\n${line.root}`;
    const opening = this.#opened.get(key) ?? this.#openNamed(line);
    this.#opened.set(key, opening);
    return opening;
  }

  async #openNamed({ name, root, storeId, links }: Opened): Promise<Remote> {
    const { remote: own, spec: typed } = this.#own ?? { spec: '' };
    const hasLinks = links !== true || own?.traits.linkSuffix !== undefined;
    if (own?.name === name && own.root === root && hasLinks) return own;
    const plain = { name: shownRemote(name), overrides: new Map() };
    const words = own?.name === name ? parseRemoteSpec(typed) : plain;
    // An alias would look for the root below its own.
    const parsed = words.name === plain.name ? words : plain;
    const spec = formatRemoteSpec({ ...parsed, path: root });
    const remote = await this.#remotes.openDir(spec, links ? LIST_LINKS : undefined);
    const isOther = remote.name !== name;
    if (!isOther && (storeId === undefined || remote.storeId === storeId)) return remote;
    const text = `${spec} is not the remote that the run changed: it has other options now`;
    const advice = 'give the flags and variables of the run again, or restore its configuration';
    throw new SyncerError('config', text, { advice });
  }
}

/** Where a server keeps a file of a change whose response did not arrive. */
export async function whereRetained(
  change: RunChange,
  { can }: Remote,
  op: Op,
): Promise<KeptAs | undefined> {
  const { do: deed, path: inRun, was: path = inRun, kept } = change;
  const old = knownOld(change);
  if (old === undefined || kept !== undefined) return undefined;
  if (deed !== 'delete' && deed !== 'replace' && deed !== 'move') return undefined;
  return can.restoring?.find?.(fileOf(path, old), op);
}
