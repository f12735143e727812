import type { Case } from './case.ts';
import { sizeOfContent } from './content.ts';
import type { CaseFlags } from './flags.ts';
import { shareHash, TRAITS } from './traits.ts';
import type { FoundFile } from './tree.ts';

/** What is to happen to a file that both sides have. */
export type PairAction = 'transfer' | 'skip' | 'set-time' | 'refuse';

/** How two files compare: `same-content`: their times differ. */
type Equality = 'equal' | 'same-content' | 'differs';

/** What rclone's documentation says about a file on both sides. */
export function pairAction(
  { command, from, to }: Pick<Case, 'command' | 'from' | 'to'>,
  flags: CaseFlags,
  source: FoundFile,
  dest: FoundFile,
): PairAction {
  const windows = [TRAITS[from].precision, TRAITS[to].precision, modifyWindow(flags)];
  const window = windows.sort((one, other) => (one < other ? 1 : -1))[0] ?? 1n;
  const hash = shareHash(from, to);
  // Of what a move deletes, the hashes in listings count, and the times if there is no hash (docs/rclone.md).
  const isMove = command.startsWith('move');
  const listsHashes = isMove && hash && from !== 'local' && to !== 'local';
  const lead = dest.time - source.time;
  const change = (action: 'transfer' | 'set-time'): PairAction =>
    flags.has('immutable') ? 'refuse' : action;
  if (flags.has('ignore-existing')) return 'skip';
  if (flags.has('ignore-times')) return change('transfer');
  let [checksum, sizeOnly] = [flags.has('checksum'), flags.has('size-only')];
  let setsTime = true;
  if (flags.has('update')) {
    if (lead >= window) return 'skip';
    if (lead <= -window) {
      setsTime = !checksum;
      if (!sizeOnly) return byHash(setsTime);
    } else if (!checksum) sizeOnly = true;
  }
  const equality = compare();
  if (equality === 'differs') return change('transfer');
  if (equality === 'equal' || flags.has('no-update-modtime')) return 'skip';
  return change('set-time');

  function byHash(timeAfter: boolean): PairAction {
    if (sizesDiffer() || (!hash && (timeAfter || isMove))) return change('transfer');
    if (!hash) return 'skip';
    if (source.content !== dest.content) return change('transfer');
    return timeAfter && !flags.has('no-update-modtime') ? change('set-time') : 'skip';
  }

  function sizesDiffer(): boolean {
    return sizeOfContent(source.content) !== sizeOfContent(dest.content);
  }

  function compare(): Equality {
    if (sizesDiffer()) return 'differs';
    if (sizeOnly) return 'equal';
    const isOther = source.content !== dest.content;
    const isSameTime = lead < window && lead > -window;
    if (checksum && !hash) return isMove && !isSameTime ? 'differs' : 'equal';
    if (checksum) return isOther ? 'differs' : 'equal';
    if (isSameTime) return listsHashes && isOther ? 'differs' : 'equal';
    if (!hash) return 'differs';
    return source.content === dest.content ? 'same-content' : 'differs';
  }
}

function modifyWindow(flags: CaseFlags): bigint {
  const seconds = flags.text('modify-window');
  return seconds === undefined ? 1n : BigInt(Number.parseInt(seconds, 10)) * 1_000_000_000n;
}
