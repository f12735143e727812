import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fnv1a } from '../../core/fnv1a.ts';
import { AppendLog } from '../../state/append-log.ts';
import type { RunSum } from '../../state/runs.ts';
import { makeFolderSync } from '../../system/make-folder.ts';
import type {
  ChangeLine,
  CreatedLine,
  DirLine,
  DoneLine,
  JournalVerb,
  NewFileMark,
  PlaceLine,
} from './journal-line.ts';

/** Numbers of changes, without those that failed. */
export interface ChangeCounts {
  readonly made: number;
  /** Whether they were made is not known. */
  readonly open: number;
}

/**
 * Writes `journal.jsonl` of a run into its folder, which only the user can read. Both appear with the first change.
 * Lines of one turn of the event loop are written by one call; a change is made when its line is written, so that a
 * killed process loses none. Never throws: a failure is reported once, and the journal ends there.
 */
export class JournalFile {
  readonly #folder: string;
  readonly #onBegin: () => void;
  readonly #onFailed: (error: Error) => void;
  readonly #log: AppendLog;
  /** The error that ended the journal early. */
  failure: Error | undefined;
  /** Lines that wait, without their sums, and how many characters. */
  #waiting: string[] = [];
  #waitingLength = 0;
  /** New files without a line: they get one together. */
  #created: CreatedLine | undefined;
  /** The number of the last line that was written. */
  #lines = 0;
  #done: number[] = [];
  #last = 0;
  /** The size of the journal so far. */
  bytes = 0;
  #writing: Promise<void> | undefined;
  #isSynced = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #changes: Partial<Record<JournalVerb, number>> = {};
  /** Changes without a result, besides those that create a file. */
  readonly #begun = new Map<number, JournalVerb>();
  /** Changes that may lose content: whether they do, their result says. */
  readonly #atRisk = new Set<number>();
  #gone = 0;

  /** @param onBegin called before the first line is written */
  constructor(folder: string, onBegin: () => void, onFailed: (error: Error) => void) {
    this.#folder = folder;
    this.#log = new AppendLog(() => join(folder, 'journal.jsonl'), 'ax');
    this.#onBegin = onBegin;
    this.#onFailed = onFailed;
  }

  /** Whether there was a change. */
  get hasBegun(): boolean {
    return this.#last > 0;
  }

  /** How many changes were made, and how many have no result yet. */
  get counts(): ChangeCounts {
    const all = Object.values(this.#changes).reduce((sum, count) => sum + count, 0);
    return { made: all - this.#begun.size, open: this.#begun.size };
  }

  /** Notes a place before its first change, or a directory as it is. */
  place(line: PlaceLine | DirLine): void {
    this.#add(JSON.stringify(line));
  }

  /** Notes a change; returns its number. It may be made when `written` resolves. */
  begin(place: number, change: Omit<ChangeLine, 'n' | 'place'>): number {
    const n = ++this.#last;
    const file = createdOf(change);
    if (file === undefined && losesContent(change)) this.#atRisk.add(n);
    this.#changes[change.do] = (this.#changes[change.do] ?? 0) + 1;
    if (change.do !== 'create') this.#begun.set(n, change.do);
    if (this.failure !== undefined) return n;
    if (file === undefined) {
      this.#add(`{"n":${n},"place":${place},${JSON.stringify(change).slice(1)}`);
      return n;
    }
    if (this.#created?.place !== place) this.#endCreated();
    this.#created ??= { n, place, created: [] };
    this.#created.created.push(file);
    return n;
  }

  #endCreated(): void {
    const line = this.#created;
    this.#created = undefined;
    if (line !== undefined) this.#add(JSON.stringify(line));
  }

  /** Resolves when all lines so far are written. */
  written(): Promise<void> {
    // After what else the same turn begins: its lines are written by the same call.
    this.#writing ??= turn().then(() => {
      this.#writing = undefined;
      this.#write();
    });
    return this.#writing;
  }

  /** As `written`, and what is written survives a power cut: called before the first deletion. */
  synced(): Promise<void> {
    const writing = this.written();
    if (this.#isSynced) return writing;
    return writing.then(() => {
      if (this.#isSynced) return;
      this.#isSynced = true;
      this.#sync();
    });
  }

  /** Notes the result of a change; of one that went as noted the number is enough. */
  done(n: number, result?: Omit<DoneLine, 'n'>): void {
    const deed = this.#begun.get(n) ?? 'create';
    this.#begun.delete(n);
    // What failed and left a file has changed something.
    const isNone = result?.ok === false && result.new === undefined;
    if (isNone) this.#changes[deed] = (this.#changes[deed] ?? 1) - 1;
    if (this.#atRisk.delete(n) && !isNone && result?.kept === undefined) this.#gone++;
    if (this.failure !== undefined) return;
    if (result === undefined) this.#done.push(n);
    else this.#add(JSON.stringify({ n, ...result }));
    // It waits for the next line, but not long.
    if (this.#waitingLength > 64 * 1024) this.#write();
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#write();
      }, 10).unref();
  }

  get sum(): RunSum {
    const gone = this.#gone + this.#atRisk.size;
    const sum = { changes: this.#changes, gone };
    return this.failure === undefined ? sum : { ...sum, isCut: true };
  }

  /** Ends the journal; does nothing if there was no change. */
  close(): void {
    if (!this.hasBegun) return;
    clearTimeout(this.#timer);
    this.#write('{"end":true}');
    this.#sync();
    this.#log.close();
  }

  #add(json: string): void {
    this.#endCreated();
    this.#waiting.push(json);
    this.#waitingLength += json.length;
  }

  #write(last?: string): void {
    this.#endCreated();
    if (this.#done.length > 0) this.#add(`{"done":[${this.#done.join()}]}`);
    if (last !== undefined) this.#add(last);
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#done = [];
    let text = '';
    for (const json of lines) {
      const rest = json.slice(1);
      const number = ++this.#lines;
      // The sum fits no changed byte; by the number, lines that are missing, repeated or swapped are found.
      text += `{"sum":[${fnv1a(rest, number)},${number}],${rest}\n`;
    }
    if (this.failure !== undefined) return;
    try {
      if (this.bytes === 0) {
        makeFolderSync(this.#folder, 0o700);
        this.#onBegin();
      }
      this.bytes += this.#log.append(text);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** What is written survives a power cut. */
  #sync(): void {
    if (this.failure !== undefined) return;
    try {
      this.#log.sync();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): void {
    this.failure = thrown as Error;
    this.#onFailed(this.failure);
  }
}

/** The new file that a change creates, if its line has nothing else. */
function createdOf(change: Omit<ChangeLine, 'n' | 'place'>): NewFileMark | undefined {
  const { do: deed, path, from, dir, was, old, new: after, kept } = change;
  const isPlain = deed === 'create' && !from && !dir && !was && !old && !kept;
  if (!isPlain || after?.time === undefined) return undefined;
  const { size, time, etag, version, id } = after;
  return etag === undefined && version === undefined && id === undefined
    ? [path, size, time]
    : undefined;
}

/** Whether a change destroys content, as far as it is noted before it is made. */
function losesContent(change: Omit<ChangeLine, 'n' | 'place'>): boolean {
  const { do: deed, old, kept, dir } = change;
  const isHarmless = deed === 'set-time' || deed === 'make-dir' || deed === 'remove-dir';
  if (kept !== undefined || isHarmless) return false;
  return deed === 'delete' ? old !== undefined || dir === true : old !== undefined && dir !== true;
}
