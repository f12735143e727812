import { expect, test } from 'vitest';
import { WizardModel } from '../../../components/config/wizard-model.ts';
import { WizardView } from '../../../components/config/wizard-view.tsx';
import { HomeModel } from '../../../components/home/home-model.ts';
import { HomeView } from '../../../components/home/home-view.tsx';
import { HooksView } from '../../../components/hooks/hooks-view.tsx';
import { InstallerView } from '../../../components/installer/installer-view.tsx';
import { MenuModel } from '../../../components/installer/menu-model.ts';
import { ReviewModel } from '../../../components/review/review-model.ts';
import { ReviewView } from '../../../components/review/review-view.tsx';
import { menuScript } from '../../../src/config/dialogue/menu-script.ts';
import type { WizardParts } from '../../../src/config/dialogue/step.ts';
import { ENLARGE } from '../../../src/terminal/drawn-question.ts';
import type { Key } from '../../../src/terminal/key.ts';
import { keyNamed } from '../../../src/terminal/key-table.ts';
import type { KeyedScreen } from '../../../src/terminal/screen-model.ts';
import { ALL } from '../../support/in-part.ts';
import { worldOf } from '../config/dialogue/walk.ts';
import { completing, firstHome, homeContents, longHome, runningRun } from '../run/home-world.ts';
import { MIXED } from '../run/review/a-plan.ts';
import { type ShownScreen, showScreen, WINDOWS } from './draw-screen.tsx';
import { filledScreen, keyedScreen } from './hooks/screen-world.ts';

const keysOf = (...names: readonly string[]): readonly Key[] => names.map(keyNamed);

const LONG = `/home/somebody/${'a-directory-with-a-long-name/'.repeat(12)}end`;
const S3 = { type: 's3', provider: 'Other', access_key_id: 'AK', secret_access_key: 'sk' };
const MANY = Object.fromEntries(Array.from({ length: 54 }, (_, at) => [`store${at}`, S3]));

/** A screen with a view, and the keys that lead to its question. */
interface Asking {
  readonly shown: () => ShownScreen<unknown>;
  readonly keys: readonly Key[];
}

const asking = <Model extends KeyedScreen<unknown>>(
  open: () => Model,
  View: Parameters<typeof showScreen<unknown, Model>>[1],
  ...keys: readonly string[]
): Asking => ({ shown: () => showScreen<unknown, Model>(open(), View), keys: keysOf(...keys) });

const job = { name: 'docs', words: ['sync', LONG, `shelf:${LONG}`] };
const home = (...keys: readonly string[]) =>
  asking(() => new HomeModel(longHome, completing), HomeView, ...keys);
const longJob = homeContents({ jobs: [job], running: [{ ...runningRun, words: job.words }] });

const review = (...keys: readonly string[]) =>
  asking(
    () =>
      new ReviewModel({ plan: MIXED, title: 'sync', subject: '', problems: [], readOnly: false }),
    ReviewView,
    ...keys,
  );

const menu = (steps: readonly string[]) =>
  asking(
    () =>
      new MenuModel({
        look: async () => ({ title: 'Install webhook 2.8.0', steps, notes: ['a note'] }),
        begin: () => new Promise(() => {}),
        interrupt: () => {},
      }),
    InstallerView,
    '1',
  );

const wizard = (former: ReadonlyMap<string, ReadonlyMap<string, string>>) => {
  const world = { ...worldOf(MANY), former };
  const parts: WizardParts = {
    look: async () => world,
    script: menuScript,
    repeats: true,
    works: {
      login: () => new Promise(() => {}),
      setUp: () => new Promise(() => {}),
      readImport: async () => ({
        isLocked: false,
        remotes: Object.keys(MANY).map((name, at) => ({
          name,
          type: 's3',
          outcome: at < 20 ? ('exists' as const) : ('imported' as const),
        })),
      }),
      test: async () => ({ entries: 0, hasMore: false, names: [] }),
    },
    carryOut: async () => 'done',
    signal: new AbortController().signal,
  };
  return () => new WizardModel(parts, world);
};
const config = (...keys: readonly string[]) => asking(wizard(new Map()), WizardView, ...keys);

/** Every question of the screens outside of the browser. */
const QUESTIONS: Readonly<Record<string, Asking>> = {
  'an offer': asking(() => new HomeModel(firstHome, completing), HomeView, 'Enter'),
  'run again': home('h', 'Enter', 'r'),
  'a job with long paths': asking(() => new HomeModel(longJob, completing), HomeView, 'r'),
  'the deletion of a job': asking(() => new HomeModel(longJob, completing), HomeView, 'd'),
  'the stop of a run': asking(() => new HomeModel(longJob, completing), HomeView, '↓', 's'),
  'a review': review('a'),
  'an installation': menu(Array.from({ length: 60 }, (_, at) => `write ${LONG}/${at}`)),
  'an undo of the configuration': config('u'),
  'the deletion of a remote': config('d'),
  'an import': config('i', '/', 'x', 'Enter'),
  'an import that replaces': config('i', '/', 'x', 'Enter', 'a'),
  'a form': config('e', '↓', '↓', 'Enter', 'x', 'Enter', 's'),
  'a form that is left': config('e', '↓', '↓', 'Enter', 'x', 'Enter', 'Esc'),
  'a hook': {
    shown: () => {
      const { model } = hooksModel();
      return showScreen(model, HooksView);
    },
    keys: keysOf('r'),
  },
};

function hooksModel() {
  const screen = filledScreen();
  return { model: keyedScreen(screen) };
}

test.each(Object.entries(QUESTIONS))(
  'the question of %s can be read and answered in every window',
  async (_, { shown, keys }) => {
    for (const [columns, rows] of ALL ? WINDOWS : WINDOWS.slice(-2)) {
      const { screen, draw } = shown();
      for (const key of keys) {
        draw({ columns, rows });
        screen.press(key);
        await new Promise(setImmediate);
      }
      const text = draw({ columns, rows }).join('\n');
      expect(text, `${columns}x${rows}`).not.toContain(ENLARGE);
      const yes = screen.keys().filter(({ confirms }) => confirms === true);
      expect(yes.length, `${columns}x${rows}: ${text}`).toBeGreaterThan(0);
    }
  },
);
