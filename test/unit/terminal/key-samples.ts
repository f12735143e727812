import { WizardModel } from '../../../components/config/wizard-model.ts';
import { HomeModel } from '../../../components/home/home-model.ts';
import { MenuModel } from '../../../components/installer/menu-model.ts';
import { ReviewModel } from '../../../components/review/review-model.ts';
import { menuScript } from '../../../src/config/dialogue/menu-script.ts';
import type { WizardParts } from '../../../src/config/dialogue/step.ts';
import type { SetUpAnswer } from '../../../src/core/options.ts';
import type { HomeContents } from '../../../src/run/home-entry.ts';
import {
  type ViewAction,
  type ViewedRun,
  ViewScreen,
} from '../../../src/shell/progress/view-keys.ts';
import { ActionScreen } from '../../../src/terminal/action-screen.ts';
import { ctrlKey, type Key, namedKey, pasteKey, textKey } from '../../../src/terminal/key.ts';
import { type KeyRule, ruleOf } from '../../../src/terminal/key-table.ts';
import type { KeyedScreen } from '../../../src/terminal/screen-model.ts';
import { BROWSER_STATES } from '../components/browser/browser-keys.ts';
import { filledScreen, keyedScreen } from '../components/hooks/screen-world.ts';
import { resultOf, worldOf } from '../config/dialogue/walk.ts';
import { completing, firstHome, longHome } from '../run/home-world.ts';
import { MIXED } from '../run/review/a-plan.ts';

/** A screen in one of its states. */
export interface OpenSample {
  table(): readonly KeyRule<unknown>[];
  press(key: Key): void;
  /** What can be seen of its state and of what it has done. */
  seen(): Promise<unknown>;
}

/** A screen, and how to bring it into the states in which all of its keys do something. */
export interface KeySample {
  readonly screen: string;
  readonly states: Readonly<Record<string, () => OpenSample>>;
}

const NAMES = ['up', 'down', 'left', 'right', 'page-up', 'page-down', 'home', 'end'] as const;
const EDIT_NAMES = ['enter', 'escape', 'tab', 'backspace', 'delete'] as const;

/** Every key that a terminal can send, once. */
export const ALL_KEYS: readonly Key[] = [
  pasteKey('pasted'),
  ...[...NAMES, ...EDIT_NAMES].map((name) => namedKey(name)),
  namedKey('tab', true),
  ...Array.from({ length: 95 }, (_, at) => textKey(String.fromCharCode(32 + at))),
  ...[...'abcdefghijklmnopqrstuvwxyz\\'].map((letter) => ctrlKey(letter)),
];

const key = (name: string): Key => {
  const named = [...NAMES, ...EDIT_NAMES].find((one) => one === name);
  return named === undefined ? textKey(name) : namedKey(named);
};

/** A key-driven model after some keys, seen by its state and its result. */
function sampleOf<Model extends KeyedScreen<unknown>>(
  model: Model,
  before: readonly string[],
  seen: (model: Model) => unknown,
): OpenSample {
  const screen = new ActionScreen(model);
  const press = (pressed: Key) => {
    screen.drew({ columns: 80, rows: 24 }, true);
    screen.press(pressed);
  };
  for (const name of before) press(key(name));
  let end: unknown = 'open';
  void model.result.then(
    (value) => {
      end = { value };
    },
    (thrown) => {
      end = String(thrown);
    },
  );
  return {
    table: () => screen.keys(),
    press,
    async seen() {
      await new Promise(setImmediate);
      return [seen(model), screen.finding, screen.helpFrom, end];
    },
  };
}

const TO_JOB = Array.from({ length: 12 }, () => 'down');
const homeOf = (shown: HomeContents) => {
  return (...before: string[]) => {
    const seen = ({ state, contents: { asking } }: HomeModel) => JSON.stringify([state, ...asking]);
    return () => sampleOf(new HomeModel(shown, completing), before, seen);
  };
};
const home = homeOf(longHome);
const homeAtFirst = homeOf(firstHome);

const review = (...before: string[]) => {
  const about = { plan: MIXED, title: 'sync', subject: '', problems: [], readOnly: false };
  const seen = ({ state: { tree, lines, cursor, mode, scroll, filter, edited } }: ReviewModel) =>
    JSON.stringify([
      ...[cursor, mode, scroll, filter, edited, lines.map(({ path }) => path)],
      tree.nodes.map(({ folded, dropped }) => [folded, dropped]),
    ]);
  return () => {
    const model = new ReviewModel(about);
    model.resize({ columns: 80, rows: 7 });
    return sampleOf(model, before, seen);
  };
};

/** `then`: keys that are pressed when the plan is shown. */
const menu = (isOver: boolean, before: readonly string[], ...then: string[]) => {
  return () => {
    const later = [...then];
    const done: string[] = [];
    const end = { code: 0, lines: [] };
    const steps = ['a', 'b', 'c'];
    const model = new MenuModel({
      look: async () => ({ title: 'Uninstall', steps, notes: [] }),
      begin: (deed) => {
        done.push(deed);
        return isOver ? Promise.resolve(end) : new Promise(() => {});
      },
      interrupt: () => done.push('interrupt'),
    });
    const seen = () => JSON.stringify([model.state, done]);
    const sample = sampleOf(model, before, seen);
    return {
      ...sample,
      async seen() {
        await sample.seen();
        for (const name of later.splice(0)) model.press(key(name));
        return sample.seen();
      },
    };
  };
};

const hooks = (...before: string[]) => {
  return () => {
    const shown = filledScreen();
    const screen = new ActionScreen(keyedScreen(shown));
    const help = before.at(-1) === '?';
    let interrupts = 0;
    shown.press(...(help ? before.slice(0, -1) : before));
    if (help) screen.press(key('?'));
    if (shown.state().page === 'run') {
      const text = Array.from({ length: 40 }, (_, at) => `${at}\n`).join('');
      shown.happen({ type: 'output', run: '2', text });
    }
    return {
      table: () => screen.keys(),
      press: (pressed: Key) => {
        screen.drew({ columns: 80, rows: 24 }, true);
        // As in `StateScreen`.
        if (ruleOf(screen.keys(), pressed)?.interrupts === true) interrupts++;
        screen.press(pressed);
      },
      seen: async () => {
        const { finding, helpFrom } = screen;
        return structuredClone([shown.state(), shown.effects, interrupts, finding, helpFrom]);
      },
    };
  };
};

const progress = (isStopping: boolean, ...before: string[]) => viewOf({ isStopping }, ...before);

const viewOf = (run: ViewedRun, ...before: string[]) => {
  return () => {
    const actions: ViewAction[] = [];
    const model = new ViewScreen(
      () => run,
      (action) => actions.push(action),
    );
    return sampleOf(model, before, () => [model.state, actions]);
  };
};

const WIZARD_WORLD = worldOf({
  store: { type: 's3', provider: 'Other', access_key_id: 'AK', secret_access_key: 'sk' },
  od: { type: 'drive_provider_a', token: '{"access_token":"a"}', drive_id: 'd' },
});

const wizard = (...before: string[]) => {
  let tests = 0;
  const parts: WizardParts = {
    look: async () => WIZARD_WORLD,
    script: menuScript,
    repeats: true,
    works: {
      login: () => new Promise(() => {}),
      setUp: async (draft, input) => resultOf({ type: 'set-up', draft, input }) as SetUpAnswer,
      readImport: async () => ({ isLocked: false, remotes: [] }),
      test: async () => ({ entries: tests++, hasMore: false, names: [] }),
    },
    carryOut: async () => 'done',
    signal: new AbortController().signal,
  };
  const seen = ({ state: { world: _, test: __, conversation, ...shown } }: WizardModel) => [
    ...[tests, shown, conversation.given, conversation.step.kind],
  ];
  return () => sampleOf(new WizardModel(parts, WIZARD_WORLD), before, seen);
};

const TO_LOGIN = ['down', 'e', 'down', 'down', 'enter', 'y'];

/** All screens. */
export const KEY_SAMPLES: readonly KeySample[] = [
  {
    screen: 'home',
    states: {
      remotes: home('down', 'down'),
      'the end of the remotes': home('end'),
      'a job': home(...TO_JOB),
      'a mount': home(...TO_JOB, 'down'),
      'an offer?': homeAtFirst('enter'),
      actions: home('enter', 'down', 'down'),
      'actions of a remote': home('down', 'enter', 'down'),
      'actions of a job': home(...TO_JOB, 'enter', 'down'),
      'a job?': home(...TO_JOB, 'r'),
      'actions of a mount': home(...TO_JOB, 'down', 'enter'),
      ask: home('enter', 'c'),
      'another field': home('enter', 'c', 'up', 'x'),
      history: home('h', ...TO_JOB),
      run: home('h', 'enter'),
      'again?': home('h', 'enter', 'r'),
      keys: home('?', 'down'),
      find: home(':', 'c', 'o', 'down'),
    },
  },
  {
    screen: 'review',
    states: {
      browse: review('down', 'down', 'down'),
      folded: review('[', 'down'),
      filtered: review('/', 'j', 'enter'),
      filter: review('/', 'j'),
      help: review('?', 'down'),
      why: review('i', 'down'),
      'sure?': review('a'),
    },
  },
  {
    screen: 'installer',
    states: {
      menu: menu(false, []),
      keys: menu(false, ['?']),
      'second item': menu(false, ['down']),
      'sure?': menu(false, ['enter']),
      'sure?, further down': menu(false, ['enter'], 'down'),
      work: menu(false, ['enter'], 'y'),
      end: menu(true, ['enter'], 'y'),
    },
  },
  {
    screen: 'config wizard',
    states: {
      menu: wizard(),
      'menu, further down': wizard('down', 'down'),
      'menu with a filter': wizard('/', 'p', 'enter'),
      'its text': wizard('/', 'p'),
      name: wizard('n', 'x'),
      kind: wizard('n', 'x', 'enter'),
      'a list with texts': wizard('n', 'x', 'enter', 's', '3', 'enter', 'down'),
      login: wizard(...TO_LOGIN),
      token: wizard(...TO_LOGIN, 'n', 'x'),
      form: wizard('e', 'down'),
      'field of the form': wizard('e', 'down', 'down', 'enter'),
      'save?': wizard('e', 'down', 'down', 'enter', 'x', 'enter', 's'),
      'leave?': wizard('e', 'down', 'down', 'enter', 'x', 'enter', 'escape'),
      'unneeded keys': wizard('e', 'down', 'enter', 'y', 'down'),
      keys: wizard('?', 'down'),
      section: wizard('e', 'tab', 'down'),
      'sure?': wizard('d'),
    },
  },
  { screen: 'browser', states: BROWSER_STATES },
  {
    screen: 'progress',
    states: {
      find: progress(false, ':', 'down'),
      run: progress(false),
      stopping: progress(true),
      help: progress(false, '?', 'down'),
      errors: progress(false, 'e', 'down'),
      limit: progress(false, 'b', '1'),
      attached: viewOf({ isStopping: false, attachedTo: 'copy a b' }),
      'stop?': viewOf({ isStopping: false, attachedTo: 'copy a b' }, 's'),
      'attached to one that cannot be steered': viewOf({
        ...{ isStopping: false, attachedTo: 'copy a b', isFixed: true },
      }),
      'only watched': viewOf({ isStopping: false, isFixed: true }),
    },
  },
  {
    screen: 'hooks',
    states: {
      hooks: hooks(),
      runs: hooks('enter'),
      'all runs': hooks('a', 'down'),
      run: hooks('a', 'down', 'enter'),
      'run scrolled': hooks('a', 'down', 'enter', 'up'),
      keys: hooks('?'),
      question: hooks('r'),
    },
  },
];
