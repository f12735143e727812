import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import type { Run } from '../../engine/run.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import { counted } from '../../kit/counted.ts';
import type { Invocation } from '../command.ts';
import { countOf, guardError, refuseCount } from '../guards/count-guard.ts';
import { isAllowed } from '../guards/number-guards.ts';
import { canAsk } from '../interactive/ask-aside.ts';
import { logText } from '../log/log-text.ts';
import { requestsAtOnce } from '../remotes/remote-flags.ts';
import { takePlaces } from '../running/take-places.ts';
import { runWithSum } from '../transfer/run-attempts.ts';
import { askNumber } from '../versions/ask-number.ts';
import { chooseTrash, nothingChosen, refusePart } from './choose-trash.ts';
import { deleteTrashed } from './delete-trashed.ts';
import { nameOf } from './list-trash.ts';
import type { TrashedFile } from './trashed-file.ts';

/** `syncer trash empty`: deletes what is in the trash for good. */
export async function emptyTrashOf(invocation: Invocation, remote: Remote): Promise<void> {
  const { guard, out, context } = invocation;
  refuseUnasked(invocation);
  const chosen = await chooseTrash(invocation, remote);
  if (chosen.files.length === 0 && invocation.args.length > 2) throw nothingChosen(chosen);
  const files = chosen.files.filter(({ kept }) => kept.in !== 'bin');
  const inBin = chosen.files.length - files.length;
  if (inBin > 0) {
    const text = `${counted(inBin, 'file')} ${inBin === 1 ? 'stays' : 'stay'} in the recycle bin of ${remote.title}: only its website empties it`;
    context.emit(logText('notice', text));
  }
  await consent(invocation, remote, files);
  await takePlaces(invocation, { remotes: [remote], isFile: false });
  const gone = new Set<TrashedFile>();
  const width = requestsAtOnce(invocation.flags, remote);
  const empty = (run: Run) => deleteTrashed(run, { ...chosen, files }, width, gone);
  await runWithSum(invocation, empty, async (failed) => {
    const bytes = [...gone].reduce((sum, { old }) => sum + Math.max(0, old.size), 0);
    const done = guard?.flag === '--dry-run' ? 'Would delete' : 'Deleted';
    const text = `${done} ${counted(gone.size, 'file')} (${formatSizeUnit(bytes)}) from the trash`;
    await out.write(`${text}${failed}\n`);
  });
  refusePart(chosen);
}

/** Throws `usage` if no person can be asked and nothing says what may go. */
function refuseUnasked({ flags, args, guard }: Invocation): void {
  const { 'trash-older-than': age, 'trash-run': run, 'allow-deletes': allowed } = flags;
  const isSaid = age !== undefined || run !== undefined || allowed !== undefined || args.length > 2;
  if (isSaid || guard !== undefined || canAsk()) return;
  const text =
    'without a terminal, trash empty needs --older-than, --run, --allow-deletes or a path';
  throw new SyncerError('usage', text, { advice: '--older-than 0s deletes everything' });
}

/** The guard `count`, and on a terminal the number of files as it must be typed. */
async function consent(
  invocation: Invocation,
  remote: Remote,
  files: readonly TrashedFile[],
): Promise<void> {
  const { flags, guard } = invocation;
  if (guard?.flag === '--interactive') return;
  const examples = files
    .slice(0, 6)
    .map((file): FileEntry => ({ kind: 'file', path: nameOf(file), size: file.old.size }));
  const counting = { files: files.length, examples };
  await refuseCount(invocation, countOf(invocation), async () => counting);
  const allowed = flags['allow-deletes'];
  if (allowed !== undefined && !isAllowed(allowed, files.length)) {
    const tripped = { name: 'empty', why: `${counted(files.length, 'file')} would be deleted` };
    const error = guardError(invocation, tripped, counting);
    if (error !== undefined) throw error;
  }
  if (guard !== undefined || allowed !== undefined) return;
  await askNumber(invocation, async () => {
    const bytes = files.reduce((sum, { old }) => sum + Math.max(0, old.size), 0);
    const sum = `${counted(files.length, 'file')} (${formatSizeUnit(bytes)})`;
    return {
      total: files.length,
      text: `This deletes ${sum} from the trash of ${remote.title} for good.`,
    };
  });
}
