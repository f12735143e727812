import type { ReviewContents, ReviewResult } from '../../src/review/review-keys.ts';
import { ReviewModel } from '../../src/review/review-model.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { ReviewView } from './review-view.tsx';

/** Shows a plan; resolves to the changes to make, `undefined` where the user leaves. */
export function openReview(
  contents: ReviewContents,
  terminal: ScreenTerminal,
): Promise<ReviewResult> {
  return runScreen<ReviewResult, ReviewModel>(new ReviewModel(contents), ReviewView, terminal);
}
