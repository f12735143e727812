import type { KeyHint } from '../screen/key-table.ts';
import type { MenuView } from './menu-model.ts';

/** The keys that work now. */
export function menuKeys(view: MenuView): readonly KeyHint[] {
  if (view.at === 'menu') {
    return [
      { keys: '1 2', does: 'choose' },
      { keys: '↑↓', does: 'move' },
      { keys: 'Enter', does: 'run' },
      { keys: 'q', does: 'quit' },
    ];
  }
  if (view.end !== undefined) return [{ keys: 'Enter', does: 'close' }];
  return [{ keys: 'Ctrl-C', does: 'stop and undo' }];
}
