import { counted } from '../kit/counted.ts';
import { undecided } from './conflict-keys.ts';
import { sureText } from './review-lines.ts';
import type { ReviewState } from './review-state.ts';

/** The question that a review asks now; `''` where there is none. */
export function questionText({ mode, tree }: Pick<ReviewState, 'mode' | 'tree'>): string {
  if (mode === 'sure') return sureText(tree.root.chosen);
  if (mode !== 'rest') return '';
  const left = counted(undecided(tree).length, 'conflict');
  return `Of ${left}, keep: 1 path1, 2 path2, b both, n newer, o older, l larger, s smaller`;
}
