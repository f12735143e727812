import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { cleanPath, isWithin } from '../../core/remote-path.ts';
import { isRunning } from '../../journal/read-head.ts';
import { counted } from '../../kit/counted.ts';
import { findRunId, hasBegunBefore, runTimeMs } from '../../kit/run-id.ts';
import type { Invocation } from '../command.ts';
import { cannotUse } from '../flags/exclusions.ts';
import { logText } from '../log/log-text.ts';
import { readTrash, type TrashContents } from './read-trash.ts';
import type { TrashedDir } from './trashed-file.ts';

/** What a command chose of a trash. */
export interface ChosenTrash extends TrashContents {
  /** Whole runs are chosen, by no path and no filter. */
  readonly isWhole: boolean;
}

/**
 * What the arguments and flags of `syncer trash` choose of the trash of a remote: paths, `--run`, `--older-than` and
 * filters. Logs what could not be listed. Throws `usage` for a run that is not in it.
 */
export async function chooseTrash(invocation: Invocation, remote: Remote): Promise<ChosenTrash> {
  const { args, flags, context, beganMs, env } = invocation;
  const filter = await invocation.filter();
  if (filter.needsMetadata === true) {
    throw cannotUse(
      'filters for metadata',
      'syncer trash',
      'listings of the trash have no metadata',
    );
  }
  const found = await readTrash(invocation, remote);
  const run = runOf(flags['trash-run'], found);
  const paths = args.slice(2).map(cleanPath);
  const age = flags['trash-older-than'];
  const beforeMs = beganMs - (age ?? 0);
  // Also an age that is unknown is more than nothing.
  const isOlder = age === 0 ? (id: string) => runTimeMs(id) < beforeMs : hasBegunBefore;
  const folder = stateDir(env);
  const running = new Set<string>();
  const ids = args[0] === 'ls' ? [] : found.dirs.map(({ runId }) => runId);
  for (const runId of new Set(ids)) {
    if (folder !== undefined && (await isRunning(join(folder, 'runs', runId)))) running.add(runId);
  }
  const isChosen = ({ runId }: Pick<TrashedDir, 'runId'>) =>
    !running.has(runId) &&
    (run === undefined || run === runId) &&
    (age === undefined || isOlder(runId, beforeMs));
  const { maxDepth } = filter;
  const files = found.files.filter((file) => {
    const { shown, old, stored } = file;
    const isNamed = paths.length === 0 || paths.some((path) => isWithin(path, shown));
    if (!isChosen(file) || !isNamed) return false;
    if (maxDepth >= 0 && shown.split('/').length > maxDepth) return false;
    const { modTime } = stored ?? {};
    return filter.keepFile({ path: shown, size: old.size, ...(modTime && { modTime }) });
  });
  for (const error of found.failures) {
    context.emit(logText('error', `Cannot read all of the trash: ${error.message}`));
  }
  for (const runId of running) {
    context.emit(logText('notice', `The run ${runId} is not finished: its trash is left alone`));
  }
  const unknown = new Set(files.map((file) => file.runId).filter((id) => found.unknown.has(id)));
  if (unknown.size > 0) {
    const [are, their] = unknown.size === 1 ? ['is', 'its'] : ['are', 'their'];
    const text = `${counted(unknown.size, 'run')} ${are} not in the history of this user: ${their} files are listed as they are in the trash`;
    context.emit(logText('notice', text));
  }
  const isWhole = paths.length === 0 && !filter.hasRules && maxDepth < 0;
  return { ...found, files, dirs: found.dirs.filter(isChosen), isWhole };
}

/** Throws the error of a trash that could not be listed, when all else is done. */
export function refusePart({ failures }: TrashContents): void {
  const [first] = failures;
  if (first !== undefined) throw first;
}

/** The error of a command for which nothing is in the trash. */
export function nothingChosen({ failures: [failure] }: TrashContents): SyncerError {
  const advice = '"syncer trash ls" lists what is in it';
  return failure ?? new SyncerError('file-not-found', 'nothing in the trash is chosen', { advice });
}

function runOf(typed: string | undefined, { files, dirs }: TrashContents): string | undefined {
  if (typed === undefined) return undefined;
  const ids = [...new Set([...files, ...dirs].map(({ runId }) => runId))];
  const run = findRunId(typed, ids);
  if (run !== undefined) return run;
  const several = ids.some((id) => typed !== '' && id.endsWith(typed));
  const text = several
    ? `several runs in the trash end in "${typed}"`
    : `no run "${typed}" in this trash`;
  throw new SyncerError('usage', text, { advice: '"syncer trash ls" lists them' });
}
