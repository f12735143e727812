import { harmless } from '../../core/harmless.ts';
import { compareNames } from '../../core/name-order.ts';
import type { Plan } from './plan-guard.ts';
import { buildPlanTree } from './plan-tree.ts';
import { KIND_LETTERS, reviewSize } from './planned-change.ts';
import { totalsText } from './review-lines.ts';

/** A plan as text, sorted by path: letter, size, path (directories end with `/`) and reason of each change; then sums. */
export function* planText(plan: Plan): Generator<string> {
  const changes = [...plan.values()].sort((a, b) => compareNames(a.path, b.path));
  for (const { kind, path, size, reason, isDir } of changes) {
    const shown = isDir ? `${path === '' ? '.' : path}/` : path;
    yield `${KIND_LETTERS[kind]} ${reviewSize(size).padStart(10)} ${harmless(shown)}: ${harmless(reason)}\n`;
  }
  const { chosen } = buildPlanTree(plan).root;
  yield `${chosen.changes === 0 ? 'Nothing to do' : `To do: ${totalsText(chosen, '·')}`}\n`;
}
