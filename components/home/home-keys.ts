import { toSyncerError } from '../../src/core/errors.ts';
import { canPlan, runSum } from '../../src/run/history/run-text.ts';
import type { HomeCommand, HomeContents } from '../../src/run/home-entry.ts';
import { whereItWaits } from '../../src/run/presence/running-text.ts';
import type { PastRun } from '../../src/state/runs.ts';
import { moveCursor } from '../../src/terminal/cursor-list.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { scrolledBy } from '../../src/terminal/help-lines.ts';
import { ACTIONS, CTRL_C, HELP, row, typing } from '../../src/terminal/key-table.ts';
import { filterKeys, type NamedRows } from '../../src/terminal/list-filter.ts';
import { MOVE, SCROLL, SCROLL_QUESTION, stepOf } from '../../src/terminal/list-keys.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { stepTo } from '../../src/terminal/state-screen.ts';
import { commonStart, editByKey, editText } from '../../src/terminal/text-edit.ts';
import {
  type AskState,
  actionsFor,
  type HomeAction,
  type HomeListState,
  type HomeRule,
  type HomeState,
  type HomeStep,
  homeItems,
  isOpenItem,
  listAt,
  numberedRemotes,
  type OpenItem,
  type PageState,
  type PastRunState,
  pinText,
  type RunsState,
  rootOf,
  type SureState,
  shownRuns,
  withFlags,
} from './home-item.ts';
import { pastRunLines, questionLines } from './item-details.ts';

const OPEN = {
  keys: 'Enter',
  also: '→ l',
  does: 'open',
  more: 'open the item at the cursor; also → and l',
};
const BACK = { keys: 'Esc', also: '← h q', does: 'back', more: 'go back; also ←, h and q' };
/** `g` is the configuration there. */
const WITHOUT_G = {
  also: MOVE.also.replace(' g ', ' '),
  more: 'move; also j and k, PgUp and PgDn, Home and End, G',
};
const PAGE = 10;

/** The keys that work now, the most important first. */
export function homeKeys(
  contents: HomeContents,
  state: HomeState,
  size: Size,
): readonly HomeRule[] {
  const isList = state.at === 'remotes' || state.at === 'runs';
  if (isList && state.isFiltering) return [...filterRows(contents, state), CTRL_C];
  switch (state.at) {
    case 'remotes':
      return [...remotesKeys(contents, state), ACTIONS, CTRL_C];
    case 'actions':
      return [...actionsKeys(contents, state), ACTIONS, CTRL_C];
    case 'ask':
      return [...askKeys(contents, state), CTRL_C];
    case 'runs':
      return [...runsKeys(contents, state), ACTIONS, CTRL_C];
    case 'run':
      return [...runKeys(contents, state, size), ACTIONS, CTRL_C];
    case 'sure':
      return [...sureKeys(state), CTRL_C];
  }
}

function end(state: HomeState, command?: HomeCommand): HomeStep {
  return stepTo(state, { type: 'end', command });
}

function remotesKeys(
  contents: HomeContents,
  { notice: _, ...state }: HomeListState,
): readonly HomeRule[] {
  const { flags } = contents;
  const items = homeItems(contents, state);
  const item = items[state.cursor];
  const page = (key: string): HomeStep => {
    if (key === 'h') return stepTo({ at: 'runs', cursor: 0, home: item } as const);
    const words = key === 'n' ? ['config', 'new'] : ['config'];
    return end(state, withFlags({ words, hasScreen: true }, flags));
  };
  const open = (): HomeStep => {
    if (item === undefined) return stepTo(state);
    if (item.kind === 'page') return page(item.page.key);
    if (item.kind === 'past') return openRun(item.run, state);
    if (item.kind === 'running' && item.run.state === 'waiting')
      return stepTo({ ...state, notice: whereItWaits(item.run) });
    if (item.kind === 'running') {
      const [attach] = actionsFor(item);
      return attach === undefined ? stepTo(state) : taken(contents, state, item, attach);
    }
    if (item.kind !== 'offer') return stepTo({ at: 'actions', item, cursor: 0 });
    const { question, command: own } = item.offer;
    const command = withFlags(own, flags);
    return stepTo({ at: 'sure', question, command, first: 0, back: state });
  };
  return [
    { ...OPEN, run: open },
    { ...MOVE, ...WITHOUT_G, run: (name) => moved(state, name, items.length) },
    ...(item?.kind === 'past' ? [undoKey(contents, state, item.run)] : []),
    row('q', 'quit', 'quit; also Esc; inside a list they go back', () => end(state), {
      also: state.filter === undefined ? 'Esc' : '',
    }),
    HELP,
    row('n', 'new remote', '', page),
    row('h', 'history', '', page),
    row('g', 'configuration', '', page),
    ...filterRows(contents, state),
    row('1…9', 'go to remote', 'go to the remote with that number', (name) => {
      const remote = numberedRemotes(contents)[Number(name) - 1];
      const at = items.findIndex((one) => one.kind === 'remote' && one.name === remote);
      return stepTo(at < 0 ? state : { ...state, cursor: at });
    }),
    ...(isOpenItem(item) ? itemKeys(contents, state, item) : []),
  ];
}

function filterRows(contents: HomeContents, state: HomeListState | RunsState): readonly HomeRule[] {
  type List = HomeListState | RunsState;
  const named = (list: List) =>
    list.at === 'runs'
      ? shownRuns(contents, list).map(({ id }) => id)
      : homeItems(contents, list).map(({ kind, name }) => `${kind} ${name}`);
  const rows: NamedRows<List> = {
    rowAt: (list) => named(list)[list.cursor],
    goTo: (list, row) => ({ ...list, cursor: Math.max(0, named(list).indexOf(row ?? '')) }),
  };
  return filterKeys<List, HomeStep>(state, rows, stepTo);
}

function actionsKeys(
  contents: HomeContents,
  state: HomeState & { at: 'actions' },
): readonly HomeRule[] {
  const { item, cursor } = state;
  const actions = actionsFor(item);
  const take = () => {
    const action = actions[cursor];
    return action === undefined ? stepTo(state) : taken(contents, state, item, action);
  };
  return [
    { ...OPEN, run: take },
    { ...BACK, run: () => stepTo(listAt(item, contents)) },
    { ...MOVE, run: (name) => moved(state, name, actions.length) },
    HELP,
    ...itemKeys(contents, state, item),
  ];
}

function itemKeys(contents: HomeContents, state: PageState, item: OpenItem): readonly HomeRule[] {
  const rules = actionsFor(item).map((action): HomeRule => {
    const { key, label, note } = action;
    const run = () => taken(contents, state, item, action);
    return row(key, label, `${label.replace('…', '')}: ${note}`, run, { short: '' });
  });
  if (item.kind !== 'place' && item.kind !== 'remote') return rules;
  // Pinned ones stand first in the list.
  const isPinned = !item.isPinned;
  const pin = (): HomeStep => {
    const now = state.at === 'actions' ? { ...state, item: { ...item, isPinned } } : state;
    return stepTo(now, { type: 'pin', path: rootOf(item), isPinned } as const);
  };
  const { label, note } = pinText(item);
  const pinned = [...rules, row('p', label.toLowerCase(), `${label}: ${note}`, pin)];
  if (item.kind === 'place' || !item.remote.isKnown || item.remote.needsLogin) return pinned;
  const { remote } = item;
  const ask = () => stepTo(state, { type: 'ask', remote } as const);
  return [
    ...pinned,
    row('r', 'refresh', 'ask the remote whether it works, and for its space', ask),
  ];
}

/** What an action does: it asks for texts, asks whether to do it, or ends the screen with its command. */
function taken(
  contents: HomeContents,
  state: PageState,
  item: OpenItem,
  action: HomeAction,
): HomeStep {
  const root = rootOf(item);
  const { asks, question, isTest } = action;
  if (isTest) {
    const cursor = actionsFor(item).findIndex(({ key }) => key === action.key);
    const test = { type: 'test', remote: item.name } as const;
    return stepTo({ at: 'actions', item, cursor, test: 'running' } as const, test);
  }
  if (asks.length > 0) {
    const fields = asks.map(({ preset }) => editText(preset(root)));
    const field = Math.max(
      0,
      fields.findIndex(({ text }) => text === ''),
    );
    return stepTo({ at: 'ask', item, action, fields, field } as const);
  }
  const command = withFlags(action.command(root, []), contents.flags);
  if (question === undefined) return end(state, command);
  const plan = action.canPlan ? { plan: withFlags(command, ['--review']) } : {};
  return stepTo({ at: 'sure', question, command, ...plan, first: 0, back: state });
}

function runsKeys(contents: HomeContents, state: HomeState & { at: 'runs' }): readonly HomeRule[] {
  const { notice: _, ...list } = state;
  const runs = shownRuns(contents, state);
  const run = runs[list.cursor];
  const open = () => (run === undefined ? stepTo(state) : openRun(run, list));
  return [
    { ...OPEN, run: open },
    { ...MOVE, run: (name) => moved(list, name, runs.length) },
    undoKey(contents, state, run),
    {
      ...BACK,
      ...(state.filter && { keys: '←', also: 'h q' }),
      // The last item is the history.
      run: () => stepTo(listAt(list.home, contents, Number.POSITIVE_INFINITY)),
    },
    ...filterRows(contents, state),
    HELP,
  ];
}

/** The page of a run of a list. */
function openRun(run: PastRun, list: PastRunState['list']): HomeStep {
  return stepTo({ at: 'run', run, first: 0, list } as const, { type: 'changes', id: run.id });
}

/** The key that shows what an undo of a run would do, asks, and does it. */
function undoKey(contents: HomeContents, state: PageState, run: PastRun | undefined): HomeRule {
  const more = 'undo the run: shows what that would change, and asks';
  return row('u', 'undo', more, (): HomeStep => {
    if (run === undefined) return stepTo(state);
    const { can = false, text } = contents.undo.get(run.id) ?? {};
    const notice = `This run cannot be undone: ${text || 'its changes are not kept'}.`;
    if (!can) return stepTo({ ...state, notice } as HomeState);
    const command = { words: ['undo', run.id, '--review'], hasScreen: false };
    return end(state, withFlags(command, contents.flags));
  });
}

function runKeys(contents: HomeContents, state: PastRunState, size: Size): readonly HomeRule[] {
  const { run, list } = state;
  const { inner } = layoutOf(size, false);
  const rows = contentRows(inner, state.notice === undefined ? 0 : 1);
  const total = pastRunLines(state, contents, inner.columns).length;
  const scroll = (name: string) => {
    const first = scrolledBy(state.first, stepOf(name, rows), total, rows);
    const { notice: _, ...page } = state;
    return stepTo({ ...page, first });
  };
  // Neither with a word that is left out nor with relative paths that would mean another place.
  const isWhole = run.dir !== '' && !run.words.some((word) => word.includes('REDACTED'));
  const again = (): HomeStep => {
    if (!isWhole) return stepTo(state);
    const command = { words: run.words, hasScreen: false, dir: run.dir };
    const plan = canPlan(run) ? { plan: withFlags(command, ['--review']) } : {};
    const question = `Run it again now? Last time: ${runSum(run)}.`;
    return stepTo({ at: 'sure', question, command, ...plan, first: 0, back: state });
  };
  return [
    undoKey(contents, state, run),
    row(
      'r',
      'run again',
      'run the same command line again, in the same directory (asks first)',
      again,
    ),
    { ...BACK, run: () => stepTo(list) },
    HELP,
    ...(total > rows ? [{ ...SCROLL, run: scroll }] : []),
  ];
}

/** Enter is No: it may still be held down from the list. */
function sureKeys(state: SureState): readonly HomeRule[] {
  const { command, plan, back } = state;
  // In the narrowest window.
  const lines = questionLines(state, 40).length;
  const scroll: HomeRule['run'] = (name) =>
    stepTo({ ...state, first: moveCursor(state.first, stepOf(name, PAGE), lines) });
  const planned = row('p', 'plan first', 'show what it would do first, and choose', () =>
    end(state, plan),
  );
  return [
    row('y', 'yes', 'yes, run it', () => end(state, command), { confirms: true }),
    ...(plan === undefined ? [] : [planned]),
    row('n', 'cancel', 'go back; also Esc, Enter, ← and q', () => stepTo(back), {
      also: 'Esc Enter ← q',
    }),
    ...(lines <= ENOUGH_LINES ? [] : [{ ...SCROLL_QUESTION, run: scroll }]),
  ];
}

function moved<Page extends PageState & { readonly cursor: number }>(
  state: Page,
  name: string,
  total: number,
): HomeStep {
  return stepTo({ ...state, cursor: moveCursor(state.cursor, stepOf(name, PAGE), total) });
}

function askKeys(contents: HomeContents, state: AskState): readonly HomeRule[] {
  const { item, action, fields, field } = state;
  const go = (step: number) =>
    stepTo({ ...quiet(state), field: (field + step + fields.length) % fields.length });
  const cursor = actionsFor(item).findIndex(({ key }) => key === action.key);
  const [verb = ''] = action.command('', []).words;
  return [
    row('Enter', 'next, then run', '', () => next(contents, state)),
    row('Esc', 'back', 'go back', () => stepTo({ at: 'actions', item, cursor })),
    row(
      'Tab',
      'other field',
      'go to the other field; also Shift-Tab, ↑ and ↓',
      (name) => go(name === '↑' || name === 'Shift-Tab' ? -1 : 1),
      { also: 'Shift-Tab ↑↓' },
    ),
    row('^N', 'complete', 'complete the path; a second time show what matches', () =>
      stepTo(state, {
        type: 'complete',
        words: [verb, ...fields.slice(0, field).map(({ text }) => typed(text) || '.')],
        typed: fields[field]?.text ?? '',
      } as const),
    ),
    row('^T', 'swap', 'swap the two paths', () =>
      stepTo(fields.length === 2 ? { ...quiet(state), fields: fields.toReversed() } : state),
    ),
    { ...HELP, keys: '^G', short: '' },
    typing((_, key) => {
      const edited = editByKey(fields[field] ?? editText(''), key);
      if (edited === undefined) return stepTo(state);
      return stepTo({ ...quiet(state), fields: fields.with(field, edited) });
    }),
  ];
}

/** The command that the form makes; paths that cannot be expanded stay as they were typed. */
export function shownCommand(contents: HomeContents, state: AskState, empty: string): HomeCommand {
  const { action, item, fields } = state;
  const answers = fields.map(({ text }) => {
    try {
      return contents.expand(typed(text)) || empty;
    } catch {
      return typed(text);
    }
  });
  return commandOf(contents, action, rootOf(item), answers);
}

/** The command of an action; without a history there is no trash. */
export function commandOf(
  { noHistory, flags }: HomeContents,
  action: HomeAction,
  root: string,
  answers: readonly string[],
): HomeCommand {
  const { words, ...command } = action.command(root, answers);
  const known = noHistory === true ? words.filter((word) => word !== '--trash') : words;
  return withFlags({ ...command, words: known }, flags);
}

/** Takes the completions of a text: what they have in common is typed, and they are shown. */
export function takeMatches(
  state: HomeState,
  typed: string,
  matches: readonly string[],
): HomeState {
  if (state.at !== 'ask' || state.fields[state.field]?.text !== typed) return state;
  const common = commonStart(matches);
  const text = common.length > typed.length ? common : typed;
  const fields = state.fields.with(state.field, editText(text));
  if (matches.length === 0) return { ...quiet(state), complaint: `nothing starts with "${typed}"` };
  return { ...quiet(state), fields, ...(text === typed ? { matches } : {}) };
}

/** Goes to the first field without an answer, or runs the command. */
function next(contents: HomeContents, state: AskState): HomeStep {
  const { item, action, fields, field } = state;
  const empty = fields.findIndex(({ text }, index) => index <= field && typed(text) === '');
  if (empty >= 0) {
    const { label = '', example = '' } = action.asks[empty] ?? {};
    const complaint = `enter "${label}", such as ${example}`;
    return stepTo({ ...quiet(state), field: empty, complaint });
  }
  if (field < fields.length - 1) return stepTo({ ...quiet(state), field: field + 1 });
  const answers: string[] = [];
  for (const { text } of fields) {
    try {
      answers.push(contents.expand(typed(text)));
    } catch (thrown) {
      const complaint = toSyncerError(thrown).message;
      return stepTo({ ...quiet(state), field: answers.length, complaint });
    }
  }
  return end(state, commandOf(contents, action, rootOf(item), answers));
}

/** A path that was pasted with the end of its line is the path. */
const typed = (text: string): string => text.replaceAll('\n', '').trim();

const quiet = ({ complaint: _, matches: __, ...state }: AskState): AskState => state;
