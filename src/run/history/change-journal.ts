import { dirname } from 'node:path';
import type { Clock, Context } from '../../core/context.ts';
import { formatRfc3339NanoUtc } from '../../core/mod-time.ts';
import type { Remote } from '../../core/remote.ts';
import { goErrno } from '../../go/go-texts.ts';
import { logText } from '../../shell/log/log-text.ts';
import { goesOn, putRun, type RunSum } from '../../state/runs.ts';
import type { Stores } from '../../state/stores.ts';
import { rootOf } from '../../system/fs-path.ts';
import { DirsBefore } from '../journal/dirs-before.ts';
import { JournalFile, type RunJournal } from '../journal/journal-file.ts';
import { isTidy, tidyRuns } from '../journal/kept-runs.ts';
import type { TrashPlan } from '../journal/trash.ts';
import { withJournal } from '../journal/with-journal.ts';
import { entryOf, type KnownWords } from './note-run.ts';

/** The journal of the changes that a run makes. */
export class ChangeJournal implements RunJournal {
  readonly file: JournalFile;
  /** Absent without `--trash`, and not in a review. */
  readonly trash: TrashPlan | undefined;
  readonly #dirs = new Map<string, DirsBefore>();
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #stores: Stores;

  /** @param folder that of the run, below those of all runs */
  constructor(
    run: KnownWords,
    folder: string,
    { emit, clock }: Context,
    stores: Stores,
    trash?: TrashPlan,
  ) {
    this.trash = trash;
    this.#folder = folder;
    this.#clock = clock;
    this.#stores = stores;
    const entry = entryOf(run);
    this.file = new JournalFile(
      folder,
      () =>
        void stores.tryState('the history has not all of this run', (state) =>
          putRun(state, entry),
        ),
      (error) => {
        const what =
          'the history of this run is incomplete, and its further changes cannot be undone';
        emit(logText('notice', `${what}: cannot write to ${folder}: ${goErrno(error)}`));
      },
      trash?.into,
    );
  }

  /** The remote with its changes in the journal. */
  async around(remote: Remote): Promise<Remote> {
    const { trash } = this;
    if (trash === undefined) return withJournal(remote, this);
    const { Trash } = await import('../journal/trash.ts');
    return withJournal(remote, this, new Trash(remote, trash));
  }

  /** Ends the journal, and deletes old ones. Never rejects. */
  async close(): Promise<RunSum> {
    this.file.close();
    const nowMs = this.#clock.now();
    if (isTidy(dirname(this.#folder), this.file.bytes, nowMs)) return this.file.sum;
    // Also where that is not known.
    const mayGoOn = (id: string) =>
      this.#stores.look(false, (state) => goesOn(state, id)).catch(() => true);
    await tidyRuns(this.#folder, nowMs, mayGoOn);
    return this.file.sum;
  }

  dirsOf(remote: Remote): DirsBefore | undefined {
    if (!remote.traits.emptyDirs) return undefined;
    const key = `${remote.name}\n${rootOf(remote)}`;
    const known = this.#dirs.get(key);
    if (known !== undefined) return known;
    const dirs = new DirsBefore(remote, (dir, { modTime, metadata }) => {
      const time = modTime === undefined ? {} : { time: formatRfc3339NanoUtc(modTime) };
      const place = this.file.placeOf(remote);
      this.file.place({ place, dir, ...time, ...(metadata && { metadata }) });
    });
    this.#dirs.set(key, dirs);
    return dirs;
  }
}
