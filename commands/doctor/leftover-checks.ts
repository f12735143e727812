import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { counted } from '../../src/core/counted.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { ListedRecord, UploadRecordsAccess } from '../../src/core/upload-records.ts';
import { formatSizeUnit } from '../../src/go/byte-size.ts';
import { deadEntries, listEntries, type RunList } from '../../src/run/presence/list-entries.ts';
import { leftFiles } from '../../src/state/replace-file.ts';
import { shellWord } from '../../src/system/shell-words.ts';
import { type CheckResult, failed, ok, warning } from './check.ts';

/** Where interrupted runs may have left files. */
export interface LeftoverPlaces {
  /** `undefined`: in memory only. */
  readonly config: string | undefined;
  /** Names of the remotes of the configuration. */
  readonly remotes: ReadonlySet<string>;
  readonly state: string | undefined;
  readonly list: RunList;
}

/** Temporary files of ended processes, and logins of deleted remotes. */
export async function* leftoverChecks(places: LeftoverPlaces): AsyncGenerator<CheckResult> {
  const left = leftovers(places);
  yield deleted('leftovers', 'temporary files of interrupted runs', left);
  yield await deadRuns(places.list);
  yield deleted('old-logins', 'logins of remotes that no longer exist', await logins(places));
}

function deleted(check: string, what: string, paths: readonly string[]): CheckResult {
  if (paths.length === 0) return ok(check, 'none');
  const fix = async () => {
    for (const path of paths) await rm(path, { force: true });
    return `deleted ${paths.length}`;
  };
  const mend = ['rm', ...paths.map(shellWord)].join(' ');
  return { ...warning(check, `${paths.length} ${what}`, mend), fix };
}

async function deadRuns(list: RunList): Promise<CheckResult> {
  const check = 'dead-runs';
  const found = await deadEntries(list).catch(toSyncerError);
  if (found instanceof SyncerError) return failed(check, found.message);
  const { length } = found;
  if (length === 0) return ok(check, 'none');
  const fix = async () => {
    await listEntries(list);
    return `deleted ${length}`;
  };
  const text = `${counted(length, 'run')} in the list of runs in progress whose process is gone`;
  return { ...warning(check, text, 'syncer ps'), fix };
}

/** What interrupted changes of the configuration and of the state have left. */
function leftovers({ config, state }: LeftoverPlaces): readonly string[] {
  const ofConfig = config === undefined ? [] : leftFiles(dirname(config));
  const isOfConfig = (path: string) => basename(path).startsWith(`.${basename(config ?? '')}.`);
  const ofState = state === undefined ? [] : leftFiles(state);
  return [...new Set([...ofConfig.filter(isOfConfig), ...ofState])].sort();
}

/** See `TokenStore`; an encrypted one does not show whose it is. */
async function logins({ state, config, remotes }: LeftoverPlaces): Promise<readonly string[]> {
  if (state === undefined || config === undefined) return [];
  const found: string[] = [];
  const folder = join(state, 'tokens');
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort()) {
    const path = join(folder, name);
    if (!path.endsWith('.json')) continue;
    try {
      const stored = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
      const isGone = !remotes.has(String(stored['remote']));
      if (stored['config'] === config && isGone) found.push(path);
    } catch {
      // Not a login in plain text.
    }
  }
  return found;
}

/** Where interrupted transfers are recorded. */
interface UnfinishedPlaces {
  readonly uploads: UploadRecordsAccess | undefined;
  readonly downloads: UploadRecordsAccess | undefined;
  /** The name of the remote with this `storeId`; `undefined` if none of the configuration has it. */
  readonly remoteOf: (store: string) => Promise<string | undefined>;
}

const RESUMED = 'the next run of the same command resumes it';

/** Uploads and downloads of ended processes, with what the service or the disk keeps of them. */
export async function* unfinishedChecks({
  uploads,
  downloads,
  remoteOf,
}: UnfinishedPlaces): AsyncGenerator<CheckResult> {
  const check = 'unfinished-transfers';
  let isOk = true;
  for (const record of await left(uploads)) {
    isOk = false;
    const { store, path } = record.head;
    const name = await remoteOf(store);
    if (name === undefined) {
      yield warning(check, `${storedOf(record)} for ${path} of a remote that is not configured`);
      continue;
    }
    const place = `${name}:${path}`;
    const mend = `syncer uploads abort ${shellWord(place)}`;
    yield warning(check, `${storedOf(record)} for ${place}: ${RESUMED}`, mend);
  }
  for (const record of await left(downloads)) {
    isOk = false;
    const { id, path } = record.head;
    yield warning(check, `${storedOf(record)} for ${path}: ${RESUMED}`, `rm ${shellWord(id)}`);
  }
  if (isOk) yield ok(check, 'none');
}

async function left(access: UploadRecordsAccess | undefined): Promise<readonly ListedRecord[]> {
  const records = await access?.open();
  return ((await records?.list()) ?? []).filter(({ isRunning }) => !isRunning);
}

function storedOf({ head, parts }: ListedRecord): string {
  const stored = parts.reduce((sum, { size }) => sum + size, 0);
  return `${formatSizeUnit(stored)} of ${formatSizeUnit(head.size)} are kept`;
}
