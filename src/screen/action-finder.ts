import { fill } from './cells.ts';
import { cursorList, moveCursor } from './cursor-list.ts';
import type { Key } from './key.ts';
import { type actionsIn, spelled } from './key-table.ts';
import type { Glyphs } from './look.ts';
import type { FrameLine } from './screen-frame.ts';
import type { Size } from './screen-model.ts';
import { span } from './span.ts';
import { type EditedText, editByKey, editText } from './text-edit.ts';

/** The search for an action by its name: what was typed, and the cursor among what that finds. */
export interface ActionSearch {
  readonly typed: EditedText;
  readonly cursor: number;
  /** The cursor was moved since something was typed. */
  readonly isMoved?: boolean;
}

/** The actions that were found. */
export type FoundActions = ReturnType<typeof actionsIn>;

/** A search that begins. */
export const NOTHING_TYPED: ActionSearch = { typed: editText(''), cursor: 0 };

/** Types or edits. */
export function typeAction({ typed }: ActionSearch, key: Key): ActionSearch {
  return { typed: editByKey(typed, key) ?? typed, cursor: 0 };
}

/** Moves the cursor by `step` lines, among those found. */
export function moveAction(
  { typed, cursor }: ActionSearch,
  step: number,
  found: FoundActions,
): ActionSearch {
  return { typed, cursor: moveCursor(cursor, step, found.length), isMoved: true };
}

/** The action that Enter runs. None behind a `:` alone, which may have been typed for the shell: that is no choice. */
export function chosenAction(
  { typed, cursor, isMoved = false }: ActionSearch,
  found: FoundActions,
): FoundActions[number] | undefined {
  return isMoved || typed.text.trim() !== '' ? found[cursor] : undefined;
}

/** What was found around the cursor, as many lines as there are rows. */
export function actionLines(
  { cursor }: ActionSearch,
  found: FoundActions,
  size: Size,
  glyphs: Glyphs,
): readonly FrameLine[] {
  if (found.length === 0) return [{ line: [span('no action of this name', 'dim')] }];
  return cursorList(found, cursor, size, glyphs, ({ key, name }, selected) => [
    span(fill(spelled(key, glyphs), 7, ''), 'key', true),
    span(spelled(name, glyphs), selected ? 'cursor' : 'plain', selected),
  ]);
}
