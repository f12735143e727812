import { ReviewModel } from '../../components/review/review-model.ts';
import type { Keeping } from '../../src/run/review/plan-loss.ts';
import { ctrlKey, type Key, namedKey, textKey } from '../../src/terminal/key.ts';
import { MIXED } from '../unit/run/review/a-plan.ts';

/** Keys by the names that tests give them; any other name is a letter. */
export const keys: Readonly<Record<string, Key>> = {
  Down: namedKey('down'),
  Up: namedKey('up'),
  Left: namedKey('left'),
  Right: namedKey('right'),
  Enter: namedKey('enter'),
  Esc: namedKey('escape'),
  PgDn: namedKey('page-down'),
  End: namedKey('end'),
  Space: textKey(' '),
  'C-c': ctrlKey('c'),
};

/** A review of a plan in a window of 80x24, and how its keys are pressed. */
export function startReview(plan = MIXED, readOnly = false, saves = false, keeping?: Keeping) {
  const about = { title: 'sync', subject: 'a → b', problems: [], readOnly, saves };
  const contents = { plan, ...about, ...(keeping && { keeping }) };
  const model = new ReviewModel(contents);
  model.resize({ columns: 80, rows: 24 });
  const press = (...names: string[]) => {
    for (const name of names) model.press(keys[name] ?? textKey(name));
  };
  const under = () => model.state.lines[model.state.cursor]?.path;
  return { model, press, under };
}

/** The paths that the review has applied; `undefined` where it was left. */
export async function applied(model: ReviewModel): Promise<string[] | undefined> {
  const result = await Promise.race([model.result, Promise.resolve('open' as const)]);
  if (result === 'open') throw new Error('the review is still open');
  if (result === 'with-renames') throw new Error('it would be planned again');
  return result && [...result].map(({ path }) => path).sort();
}
