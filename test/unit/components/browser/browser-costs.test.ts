import { describe, expect, test } from 'vitest';
import { parsePrices } from '../../../../commands/ncdu/price-file.ts';
import type { Entry } from '../../../../src/core/remote.ts';
import { scannedBrowser } from '../../size-tree/fake-effects.ts';

const GIB = 1024 ** 3;

const object = (path: string, size: number, tier?: string): Entry => ({
  ...{ kind: 'file', path, size },
  ...(tier === undefined ? {} : { tier }),
});

const OBJECTS: readonly Entry[] = [
  object('a/hot', 2 * GIB, 'STANDARD'),
  object('a/cold', 100 * GIB, 'DEEP_ARCHIVE'),
  object('b/plain', GIB / 2),
  object('b/odd', GIB, 'ODD'),
];

const PATH = '/home/me/.config/syncer/prices.conf';
const FILE = 'currency = EUR\nStandard = 0.5\n# old\nDEEP_ARCHIVE = .001\n[other]\nSTANDARD = 9\n';

const rows = (screen: string) =>
  screen
    .split('\n')
    .slice(1, -2)
    .map((line) =>
      line
        .replace(/[▏▎▍▌▋▊▉█▒░]+/g, '')
        .replace(/ +/g, ' ')
        .trim(),
    );

describe('S shows storage classes, and costs where there are prices', () => {
  const opened = (prices: string | undefined, remote = 'store') =>
    scannedBrowser(
      {},
      {
        pricePath: () => PATH,
        prices: async () => (prices === undefined ? undefined : parsePrices(prices, PATH, remote)),
      },
      OBJECTS,
    );

  test('classes alone without prices; the help says how to make them', async () => {
    const browser = await opened(undefined);
    browser.keys('<enter>S');
    await browser.settle();
    expect(browser.screen()).toContain('no prices yet: ? says how');
    expect(rows(browser.screen())).toEqual([
      'size class name',
      '❯ 100.0 GiB 98% DEEP_ARCHIVE cold',
      '2.0 GiB 2% STANDARD hot',
    ]);
    browser.keysOver('?<end>');
    expect(browser.screen()).toContain(PATH);
    browser.keysOver('<escape>');
    browser.keys('S');
    expect(browser.screen()).not.toContain('DEEP_ARCHIVE');
  });

  test('costs of files and directories; excluded ones cost nothing', async () => {
    const browser = await opened(FILE);
    browser.keys('S');
    await browser.settle();
    expect(browser.screen()).toContain('no price for ODD: directories do not count it');
    expect(rows(browser.screen())).toEqual([
      'size EUR/month class name',
      '❯ 102.0 GiB 99% 1.10 a/',
      '1.5 GiB 1% 0.25 b/',
    ]);
    browser.keys('j<enter>');
    expect(rows(browser.screen()).slice(1)).toEqual([
      '❯ 1.0 GiB 67% ? ODD odd',
      '512.0 MiB 33% 0.25 plain',
    ]);
    browser.keys('h<home><enter>Xh');
    expect(rows(browser.screen())[1]).toBe('❯ 2.0 GiB 57% 1.00 a/');
  });

  test('old versions and uploads cost, too', async () => {
    const kept = (entry: Entry, kind: 'old' | 'upload' | 'marker', id: string): Entry => ({
      ...(entry as Entry & { kind: 'file' }),
      kept: { kind, id },
    });
    const browser = await scannedBrowser(
      {},
      { prices: async () => parsePrices(FILE, PATH, 'other') },
      [
        kept(object('d/a', GIB, 'STANDARD'), 'old', '1'),
        kept(object('d/b', GIB, 'STANDARD'), 'upload', '2'),
        kept(object('d/c', 0), 'marker', '3'),
      ],
    );
    browser.keys('S');
    await browser.settle();
    expect(rows(browser.screen())[1]).toBe('❯ 2.0 GiB 100% 18.00 d/');
  });

  test('a wrong price is said, with its file', async () => {
    const browser = await opened('STANDARD = cheap\n');
    browser.keys('S');
    await browser.settle();
    expect(browser.screen({ columns: 99, rows: 24 })).toContain(
      `${PATH}: STANDARD = cheap is not a price such as 0.5`,
    );
  });
});
