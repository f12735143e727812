import { PassThrough } from 'node:stream';
import type { ComponentType } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { BrowserView } from '../../../../components/browser/browser-view.tsx';
import { HomeModel } from '../../../../components/home/home-model.ts';
import { HomeView } from '../../../../components/home/home-view.tsx';
import { ReviewModel } from '../../../../components/review/review-model.ts';
import { ReviewView } from '../../../../components/review/review-view.tsx';
import { runPlainScreen } from '../../../../components/shared/run-plain-screen.tsx';
import { Page } from '../../../../components/ui/page.tsx';
import { shortQuestion } from '../../../../components/ui/question.ts';
import {
  type DrawnScreenProps,
  type ScreenViewProps,
  screenView,
} from '../../../../components/ui/screen.tsx';
import { Lines } from '../../../../components/ui/text.tsx';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { TreeFeed } from '../../../../src/size-tree/tree-feed.ts';
import type { RemoteHealth } from '../../../../src/state/home.ts';
import { ActionScreen } from '../../../../src/terminal/action-screen.ts';
import { row } from '../../../../src/terminal/key-table.ts';
import { UNICODE_GLYPHS } from '../../../../src/terminal/look.ts';
import type { KeyedScreen } from '../../../../src/terminal/screen-model.ts';
import { span } from '../../../../src/terminal/span.ts';
import { homeContents, homeRemote, homeWorks } from '../../run/home-world.ts';
import { MIXED } from '../../run/review/a-plan.ts';
import { fakeBrowser, fileEntry } from '../../size-tree/fake-effects.ts';

afterEach(() => void vi.useRealTimers());

function CountedView({ model }: ScreenViewProps<KeyedScreen<void> & { draw(): number }>) {
  return <Page>{<Lines lines={[[span(`drawn ${model.draw()}`)]]} />}</Page>;
}

function AskedView({ model }: ScreenViewProps<KeyedScreen<void>>) {
  const question = model.asked?.() === true ? shortQuestion('Delete all?', 'warn') : undefined;
  return <Page question={question}>{null}</Page>;
}

type PlainView = ComponentType<DrawnScreenProps>;

test('a question of a view is printed, and a line answers it', async () => {
  const model = new ReviewModel({
    plan: MIXED,
    title: 'sync',
    subject: 'a → b',
    problems: [],
    readOnly: false,
  });
  const { stdin, stdout, left } = plain(model, undefined, screenView(model, ReviewView, 'sync'));
  stdin.end('a\nenter\na\nyes\n');
  expect(await left).toEqual(new Set(MIXED.values()));
  const shown = String(stdout.read());
  expect(shown.match(/^Apply /gm)).toHaveLength(2);
  expect(shown).not.toContain('enlarge');
});

test('a line that is no key does nothing, also while the screen changes by itself', async () => {
  const ended = Promise.withResolvers<void>();
  let drawn = 0;
  const keys = () => [row('q', 'quit', '', () => undefined)];
  const model: KeyedScreen<void> = {
    result: ended.promise,
    keys,
    press: ({ text }) => text === 'q' && ended.resolve(),
    resize: () => undefined,
    subscribe: () => () => undefined,
    version: () => drawn,
  };
  const draw = () => ++drawn;
  const counted = { ...model, draw };
  const { stdin, stdout, left } = plain(model, undefined, screenView(counted, CountedView, 'test'));
  stdin.end('directory\n@\n\nq\n');
  await left;
  const shown = String(stdout.read()).split('> ');
  expect(shown[1]).toBe('directory: does nothing here; ? lists the keys\n');
  expect(shown[2]).toBe('@: does nothing here; ? lists the keys\n');
  // An empty line shows the screen again.
  expect(shown[3]).toContain('drawn 2');
  expect(drawn).toBe(2);
});

test('the page is printed when its scan has ended, and an empty line opens only what was printed', async () => {
  const { model, alone, scans, tree } = fakeBrowser();
  const View = screenView(alone, BrowserView, 'ncdu');
  const { stdin, stdout, left } = plain(alone, undefined, View);
  const printed = async () => {
    let text = '';
    await expect.poll(() => (text += stdout.read() ?? '')).toMatch(/> $/);
    return text;
  };
  expect(await printed()).toContain('listing');
  scans[0]?.feed.flatPage([fileEntry('first/inside', 5)]);
  scans[0]?.done();
  expect(await printed()).toMatch(/^\n.*first\/\n/s);
  new TreeFeed(tree, ROOT).flatPage([fileEntry('larger/part', 9)]);
  model.rows.refresh(true);
  model.changed();
  stdin.write('\n');
  expect(await printed()).toMatch(/first.*larger|larger.*first/s);
  stdin.write('\n');
  expect(await printed()).toMatch(/bucket\/(?:first.*inside|larger.*part)/s);
  stdin.end('q\n');
  await left;
});

test('the home screen is printed when its remotes have answered', async () => {
  const answer = Promise.withResolvers<RemoteHealth>();
  const works = homeWorks({ askRemote: () => answer.promise });
  const model = new HomeModel(homeContents({ remotes: [homeRemote('one')] }), works);
  const { stdin, stdout, left } = plain(model, undefined, screenView(model, HomeView, ''));
  model.watch();
  stdin.write('?\n');
  stdin.write('esc\n');
  let text = '';
  await expect.poll(() => (text += stdout.read() ?? '')).toContain('checking');
  answer.resolve({ askedMs: 0 });
  await expect.poll(() => (text += stdout.read() ?? '')).toMatch(/> \n(?!.*checking).*> $/s);
  stdin.end('q\n');
  await left;
});

test('on a terminal no line confirms a question that was typed ahead or right behind another', async () => {
  // The clock stands still; only what waits for the screen goes on.
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  const ended = Promise.withResolvers<void>();
  let isAsked = false;
  const asks = [row('y', 'delete', '', ended.resolve, { confirms: true }), row('n', 'no', '', no)];
  const keys = () => (isAsked ? asks : [row('d', 'delete', '', no)]);
  function no() {}
  const model: KeyedScreen<void> = {
    result: ended.promise,
    keys,
    asked: () => isAsked,
    press({ text }) {
      isAsked = text === 'd';
      if (text === 'y') ended.resolve();
    },
    ...{ resize() {}, subscribe: () => () => {}, version: () => (isAsked ? 1 : 0) },
  };
  const Shown = screenView(model, AskedView, 'test');
  const { stdin, stdout, left } = plain(model, () => performance.now(), Shown);
  let text = '';
  const shown = (what: RegExp) => expect.poll(() => (text += stdout.read() ?? '')).toMatch(what);
  stdin.write('d\ny\ny\n');
  await shown(/(Press y again.*){2}> $/s);
  expect(text).not.toContain('does nothing here');
  vi.advanceTimersByTime(1000);
  stdin.write('word\ny\n');
  await shown(/word: does nothing here.*Press y again.*> $/s);
  vi.advanceTimersByTime(1000);
  stdin.write('y\n');
  await left;
});

function plain(model: KeyedScreen<unknown>, nowMs: (() => number) | undefined, View: PlainView) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const left = runPlainScreen(new ActionScreen(model, nowMs), View, {
    stdin: stdin as never,
    stdout: stdout as never,
    look: { colour: false, glyphs: UNICODE_GLYPHS, plain: true },
    mouse: false,
    escapeMs: 150,
    signal: new AbortController().signal,
  });
  return { stdin, stdout, left };
}
