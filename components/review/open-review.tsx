import {
  type ReviewContents,
  type ReviewResult,
  startReview,
} from '../../src/review/review-model.ts';
import type { ScreenTerminal } from '../../src/screen/screen-terminal.ts';
import { runScreen } from '../shared/run-screen.tsx';
import { ReviewView } from './review-view.tsx';

/** Shows a plan; resolves to the changes to make, `undefined` where the user leaves. */
export function openReview(
  contents: ReviewContents,
  terminal: ScreenTerminal,
): Promise<ReviewResult> {
  return runScreen<ReviewResult, ReturnType<typeof startReview>>(
    startReview(contents),
    ReviewView,
    terminal,
  );
}
