import type { ComponentType } from 'react';
import { BrowserView } from '../../../components/browser/browser-view.tsx';
import { type MakeSide, PairModel } from '../../../components/browser/pair-model.ts';
import { WizardModel } from '../../../components/config/wizard-model.ts';
import { WizardView } from '../../../components/config/wizard-view.tsx';
import { HomeModel } from '../../../components/home/home-model.ts';
import { HomeView } from '../../../components/home/home-view.tsx';
import { HooksView } from '../../../components/hooks/hooks-view.tsx';
import { InstallerView } from '../../../components/installer/installer-view.tsx';
import { MenuModel } from '../../../components/installer/menu-model.ts';
import { ReviewModel } from '../../../components/review/review-model.ts';
import { ReviewView } from '../../../components/review/review-view.tsx';
import type { ScreenViewProps } from '../../../components/ui/screen.tsx';
import { menuScript } from '../../../src/config/dialogue/menu-script.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Entry } from '../../../src/core/remote.ts';
import type { HomeCommand, HomeContents } from '../../../src/run/home-entry.ts';
import type { ReviewResult } from '../../../src/run/review/review-state.ts';
import { expandPath, shellLine } from '../../../src/system/shell-words.ts';
import type { Key, MouseAct } from '../../../src/terminal/key.ts';
import type { KeyedScreen, Size } from '../../../src/terminal/screen-model.ts';
import { showScreen } from '../components/draw-screen.tsx';
import { filledScreen, keyedScreen } from '../components/hooks/screen-world.ts';
import { resultOf } from '../config/dialogue/walk.ts';
import { completing, firstHome, runningRun, walkedHome } from '../run/home-world.ts';
import { MIXED } from '../run/review/a-plan.ts';
import { type FakeBrowser, KEPT_SAMPLE, listedBrowser } from '../size-tree/fake-effects.ts';
import type { Deed, OpenScreen, WalkedScreen } from './random-keys.ts';
import { attached, progress } from './walked-progress.ts';
import { FORMER, WORLD, wizardDeed, YES } from './wizard-deeds.ts';

const expand = (typed: string) => expandPath(typed, { HOME: '/home/me' });

/** A screen of a model with its actions, drawn with its view. */
function screenOf<Result, Model extends KeyedScreen<Result> = KeyedScreen<Result>>(
  model: Model,
  deeds: () => readonly Deed[],
  onEnd: (result: Result) => readonly Deed[],
  View: ComponentType<ScreenViewProps<Model>>,
): WalkedScreen {
  const walked = viewOf(model, View);
  const ended: Deed[] = [];
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  model.result.then((result) => {
    over();
    ended.push(...onEnd(result));
  }, over);
  return {
    ...walked,
    deeds: () => [...deeds(), ...ended.splice(0)],
    isOver: () => isOver,
  };
}

/** A question, a text or a form is drawn when it is looked at: nothing else has to be read before something is done. */
function viewOf<Model extends KeyedScreen<unknown>>(
  model: Model,
  View: ComponentType<ScreenViewProps<Model>>,
) {
  const { screen, draw } = showScreen(model, View);
  let size: Size = { columns: 80, rows: 24 };
  return {
    table: () => screen.keys(),
    press: (key: Key) => screen.press(key),
    point: (act: MouseAct) => {
      draw(size);
      screen.point(act);
    },
    resize: (next: Size) => {
      size = next;
      screen.resize(next);
    },
    look: (next: Size) => {
      size = next;
      const acts = screen.keys().some(({ confirms, does }) => confirms === true || does === 'save');
      const text = acts || screen.takesText() ? draw(next).join('\n') : '';
      return () => text;
    },
  };
}

function homeDeeds(command: HomeCommand | undefined): readonly Deed[] {
  const { words = [], dir } = command ?? {};
  const line = shellLine(words);
  const strays = words.some((word) => word.startsWith('~')) ? ['a directory named ~'] : [];
  if (dir !== undefined) {
    const names = ['Run it again', shellLine(words.filter((word) => word !== '--review'))];
    return [{ what: 'run again', names: [...names, '34 deleted'], keys: ['y', 'p'] }];
  }
  if (words[0] === 'run' && words.includes('--review')) return [{ what: 'plan', names: [] }];
  if (words[0] === 'run' && words.includes('--check')) return [{ what: 'compare', names: [] }];
  if (['run', 'job', 'unmount', 'config', 'stop'].includes(words[0] ?? '') && words.length > 1) {
    const asks = !(words[0] === 'config' && ['new', 'edit', 'reconnect'].includes(words[1] ?? ''));
    const whole = words[0] === 'stop' ? [shellLine(runningRun.words)] : [];
    return asks ? [{ what: line, names: [line, ...whole], keys: YES }] : [];
  }
  if (!['copy', 'sync', 'mount', 'check', 'move'].includes(words[0] ?? '')) return [];
  const isPlanned = words[0] !== 'sync' || words.includes('--review');
  return [{ what: words[0] ?? '', names: [line, ...strays], ...(isPlanned ? {} : { keys: YES }) }];
}

const homeOf = (shown: HomeContents) => (): WalkedScreen => {
  const model = new HomeModel(shown, completing);
  return screenOf(model, () => [], homeDeeds, HomeView);
};
const home = homeOf({ ...walkedHome, expand });
const homeAtFirst = homeOf(firstHome);

const LOSING = ['update', 'move', 'delete', 'remove-dir'];

function reviewDeeds(chosen: ReviewResult): readonly Deed[] {
  if (chosen === undefined || chosen === 'with-renames') return [];
  const count = (...kinds: string[]) =>
    [...chosen].filter(({ kind }) => kinds.includes(kind)).length;
  if (count(...LOSING) === 0) return [{ what: 'apply', names: [], keys: ['a', 'Enter'] }];
  const told = (kind: string, word: string) =>
    count(kind) === 0 ? [] : [`${count(kind)} ${word}`];
  // The line may be broken between these words.
  const dirs = told('remove-dir', 'directory').flatMap((text) => text.split(' '));
  const files = (kind: string, what: string) =>
    count(kind) === 0 ? [] : [`${count(kind)} file`, what, 'not kept'];
  const names = [
    ...['Apply', ...told('copy', 'cop'), ...files('update', 'replaced')],
    ...[...files('delete', 'deleted'), ...dirs],
  ];
  return [{ what: 'apply with losses', names, keys: YES }];
}

const review = (): WalkedScreen => {
  const model = new ReviewModel({
    ...{ plan: MIXED, title: 'sync', subject: 'a → b', problems: [], readOnly: false },
  });
  return screenOf(model, () => [], reviewDeeds, ReviewView);
};

const installer = (): WalkedScreen => {
  const deeds: Deed[] = [];
  const steps = ['delete the program /usr/bin/webhook', 'delete /etc/webhook.conf'];
  const model = new MenuModel({
    look: async (deed) => ({ title: `${deed} webhook`, steps, notes: ['kept: nothing'] }),
    async begin(deed) {
      deeds.push({ what: deed, names: [`${deed} webhook?`], keys: YES });
      return { code: 0, lines: ['done'] };
    },
    interrupt: () => undefined,
  });
  return screenOf(
    model,
    () => deeds.splice(0),
    () => [],
    InstallerView,
  );
};

const wizard = (isEncrypted: boolean, isGood: boolean) => (): WalkedScreen => {
  const deeds: Deed[] = [];
  const world = { ...WORLD, isEncrypted, former: FORMER };
  const model = new WizardModel(
    {
      look: async () => world,
      script: menuScript,
      repeats: true,
      works: {
        login: async (how, draft) => resultOf({ type: 'login', how, draft }) as string,
        setUp: async (draft, input) =>
          resultOf({ type: 'set-up', draft, input }) as { state: string },
        readImport: async () => ({
          isLocked: false,
          remotes: [
            { name: 'fresh', type: 's3', outcome: 'imported' },
            { name: 'store', type: 's3', outcome: 'exists' },
          ],
        }),
        test: async () => {
          if (isGood) return { entries: 0, hasMore: false, names: [] };
          throw new SyncerError('sign-in', 'the secret key is wrong', { fault: 'secret-key' });
        },
      },
      async carryOut(outcome) {
        deeds.push(wizardDeed(outcome));
        return 'done';
      },
      signal: new AbortController().signal,
    },
    world,
  );
  return screenOf(
    model,
    () => deeds.splice(0),
    () => [],
    WizardView,
  );
};

/** The only keys that change something at the place that is shown. */
const PLACE_KEYS: Record<string, readonly string[]> = {
  ...{ rename: ['Enter'], 'make-dir': ['Enter'], upload: YES, save: YES, remove: [...YES, 'D'] },
};

/** What the effects of a browser were asked for. */
function browserDeeds({ removals, transfers, places }: FakeBrowser): readonly Deed[] {
  return [
    ...removals.splice(0).map(({ paths, report, done }): Deed => {
      report.failed(0, paths[0] ?? '', 'refused, to be tried again');
      const shown = paths.slice(0, 3).map((path) => path.slice(0, 20));
      done();
      return { what: 'delete', names: ['Delete', ...shown], keys: YES };
    }),
    ...transfers.splice(0).map(({ request: { verb, dest, nodes }, fail }): Deed => {
      const isDownload = dest === '.';
      const names = [isDownload ? '/work' : dest.replace('/home/me', ''), `${nodes.length} entr`];
      fail(new Error('refused'));
      const isTyped = !isDownload && !dest.startsWith('store:bucket');
      if (verb === 'copy' && isTyped) return { what: 'copy', names };
      return { what: isDownload ? 'download' : verb, names, keys: YES };
    }),
    ...places.splice(0).flatMap(({ what, names }): readonly Deed[] => {
      const keys = PLACE_KEYS[what];
      const shown = names.map((name) => name.replace('/home/me', '').slice(0, 20));
      return keys === undefined ? [] : [{ what, names: shown, keys }];
    }),
  ];
}

const browser = (entries?: readonly Entry[]) => (): WalkedScreen => {
  const opened = listedBrowser({}, {}, entries);
  return screenOf(
    opened.alone,
    () => browserDeeds(opened),
    () => [],
    BrowserView,
  );
};

const twoBrowsers = (): WalkedScreen => {
  const sides: FakeBrowser[] = [];
  const make: MakeSide = (own) => {
    const side = listedBrowser({ sides: own });
    sides.push(side);
    return side.model;
  };
  const pair = new PairModel([make, make], () => make);
  return screenOf(
    pair,
    () => sides.flatMap(browserDeeds),
    () => [],
    BrowserView,
  );
};

const hooks = (): WalkedScreen => {
  const shown = filledScreen();
  return {
    ...viewOf(keyedScreen(shown), HooksView),
    deeds: () =>
      shown.effects.splice(0).flatMap((effect): readonly Deed[] => {
        if (effect.type !== 'rerun') return [];
        return [{ what: 'rerun', names: [`request of ${effect.run}?`], keys: YES }];
      }),
    isOver: () => false,
  };
};

const HOME_STARTS = [
  'jjr',
  'jjd',
  'jjjr',
  'jjjju',
  ':',
  'jj:',
  '',
  'h\r',
  'h\rr',
  '\rc~/x',
  '\ru~/x\r',
  '\rs/z',
  '\rm',
];
const WIZARD_STARTS = [
  '',
  'd',
  'dk',
  'suk',
  'r',
  'c',
  'u',
  's',
  'su',
  'sapw\rpw',
  'i/x\r',
  'e',
  '\r\ry',
  '\rjj\rx\rs',
  'nx\rs3\r',
];
const BROWSER_STARTS =
  ' d dyt dyt\r vjvD vjvb P/tmp/z p~/x w L Ld LvjvD L4 X ljXhd lXhD Rx Nx W~/x\r jjO \rO !'.split(
    ' ',
  );

const KEPT_STARTS = ['', 'd', 'de', 'deyt', 'do', '\rd', 'ljvjvjvjvD', 'llV'];

/** All screens. */
export const WALKED_SCREENS: readonly OpenScreen[] = [
  { name: 'home and history', starts: HOME_STARTS, open: home },
  { name: 'home, first run', starts: ['', '\r'], open: homeAtFirst },
  { name: 'review', starts: ['', 'a', 'd', '/j\r'], open: review },
  { name: 'installer', starts: ['', '1', '2'], open: installer },
  { name: 'wizard, tests pass', starts: WIZARD_STARTS, open: wizard(false, true) },
  { name: 'wizard, encrypted, tests fail', starts: WIZARD_STARTS, open: wizard(true, false) },
  { name: 'browser', starts: BROWSER_STARTS, open: browser() },
  {
    name: 'two browsers',
    starts: ['', '\t', 'p', 'P', 'd', 'P\t', 'pt~/x', '|', '||/y\r'],
    open: twoBrowsers,
  },
  { name: 'browser, old versions', starts: KEPT_STARTS, open: browser(KEPT_SAMPLE) },
  { name: 'hooks', starts: ['', 'r', '\r\r'], open: hooks },
  { name: 'progress', starts: ['', 'b5M'], open: progress(false) },
  { name: 'progress, stopping', starts: ['', 'b5M'], open: progress(true) },
  { name: 'attached', starts: ['', 's', ':'], open: attached },
];
