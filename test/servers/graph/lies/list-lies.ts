import type { GraphOperation } from '../graph-fault.ts';
import { itemJson } from '../item-json.ts';
import {
  type GraphLie,
  type GraphLies,
  otherFile,
  withItem,
  withJson,
  withValue,
} from './graph-lie.ts';

const PAGES: readonly GraphOperation[] = ['listChildren', 'delta'];
const isFile = (item: Readonly<Record<string, unknown>>) => item['file'] !== undefined;

const page = (about: string, tell: GraphLie['tell'], of = PAGES): GraphLie => ({ about, of, tell });

const firstFile = (about: string, change: Readonly<Record<string, unknown>>): GraphLie =>
  page(about, ({ ask }) => withItem(ask(), (item) => ({ ...item, ...change }), isFile));

const next = (about: string, link: (call: Parameters<GraphLie['tell']>[0]) => unknown): GraphLie =>
  page(about, (call) => withJson(call.ask(), { '@odata.nextLink': link(call) }));

const addressOf = ({ call: { origin, path, query } }: Parameters<GraphLie['tell']>[0]) =>
  `${origin}${path}?${query}`;

/** Lies about what lies in a directory, or in the drive. */
export const LIST_LIES: GraphLies = {
  'list-without-value': page(
    'a page without items',
    ({ ask }) => withJson(ask(), { value: undefined }),
    [...PAGES, 'listVersions', 'listPermissions'],
  ),
  'list-of-numbers': page('a page of numbers', ({ ask }) => withValue(ask(), () => [1, 2])),
  'list-next-repeats': next('a page that is followed by itself', addressOf),
  'list-next-circle': next('pages that lead in a circle', (call) => {
    const { call: asked } = call;
    const n = (Number(asked.query.get('circle')) + 1) % 3;
    const query = new URLSearchParams(asked.query);
    query.set('circle', String(n));
    return `${asked.origin}${asked.path}?${query}`;
  }),
  'list-next-elsewhere': next(
    'a page that is followed by one of another host',
    () => 'https://evil.invalid/v1.0/next',
  ),
  'list-next-number': next('a page that is followed by a number', () => 7),
  'list-of-another-folder': page(
    'the items of another directory',
    ({ ask, world, call }) => {
      const answer = ask();
      return withValue(answer, (items) => {
        const parents = new Set(items.map((item) => JSON.stringify(item['parentReference'])));
        const drive = world.drives[0];
        const folders = drive === undefined ? [] : [...drive.items.values()];
        const other = folders.find(
          ({ children }) =>
            children !== undefined &&
            children.size > 0 &&
            ![...children.values()].some((child) => items.some(({ id }) => id === child.id)),
        );
        if (other?.children === undefined || drive === undefined || parents.size === 0)
          return items;
        return [...other.children.values()].map((item) => itemJson(item, { world, call, drive }));
      });
    },
    ['listChildren'],
  ),
  'list-mixed': page(
    'an item of another directory among them',
    ({ ask, world, call }) => {
      const answer = ask();
      return withValue(answer, (items) => {
        const [first] = items;
        const id = (first?.['parentReference'] as { id?: string } | undefined)?.id;
        const [item, drive] = otherFile(world, undefined) ?? [];
        if (item === undefined || drive === undefined || item.parent?.id === id) return items;
        return [...items, itemJson(item, { world, call, drive })];
      });
    },
    ['listChildren'],
  ),
  'list-without-id': firstFile('a file without an id', { id: undefined }),
  'list-without-name': firstFile('a file without a name', { name: undefined }),
  'list-empty-name': firstFile('a file whose name is empty', { name: '' }),
  'list-name-with-slash': firstFile('a file whose name has a slash', { name: 'a/b' }),
  'list-name-of-parent': firstFile('a file that is called ..', { name: '..' }),
  'list-without-size': firstFile('a file without a size', { size: undefined }),
  'list-later-404': page('a later page that is not found', ({ call, ask }) =>
    call.query.has('$skiptoken') || call.query.has('token')
      ? { status: 404, json: { error: { code: 'itemNotFound', message: 'no such page' } } }
      : ask(),
  ),
  'delta-without-link': page(
    'a drive whose listing does not end',
    ({ ask }) => withJson(ask(), { '@odata.deltaLink': undefined }),
    ['delta'],
  ),
  'delta-leaves-out': page(
    'a drive without one of its files',
    ({ ask }) => {
      const answer = ask();
      return withValue(answer, (items) => {
        const at = items.findIndex(isFile);
        return items.filter((_, index) => index !== at);
      });
    },
    ['delta'],
  ),
  'delta-uncounted': page(
    'a drive without its files, whose directories do not say how much they hold',
    ({ ask }) =>
      withValue(ask(), (items) =>
        items.flatMap((item) => {
          if (isFile(item)) return [];
          return item['folder'] === undefined ? [item] : [{ ...item, folder: {} }];
        }),
      ),
    ['delta'],
  ),
  'list-cut': {
    ...page(
      'a page that lacks items and says that it is the last',
      ({ ask }) =>
        withJson(
          withValue(ask(), (items) => items.slice(0, -1)),
          { '@odata.nextLink': undefined },
        ),
      ['listChildren'],
    ),
    isHidden: true,
  },
};
