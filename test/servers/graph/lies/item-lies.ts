import { isObject } from '../graph-call.ts';
import type { GraphOperation } from '../graph-fault.ts';
import { type GraphLie, type GraphLies, ofAnother, withJson } from './graph-lie.ts';

/** The requests that are answered with an item. */
const ITEM: readonly GraphOperation[] = [
  'getItem',
  'patchItem',
  'putContent',
  'createFolder',
  'putFragment',
];

const changed = (
  about: string,
  change: Readonly<Record<string, unknown>>,
  of: readonly GraphOperation[] = ITEM,
): GraphLie => ({
  about,
  of,
  tell({ ask }) {
    const answer = ask();
    return answer.status === 202 ? answer : withJson(answer, change);
  },
});

/** An item as it was before, where the request is one to change it. */
const unchanged = ({ askFor }: Parameters<GraphLie['tell']>[0]) =>
  askFor({ method: 'GET', body: Buffer.alloc(0) });

/** Lies about an item that was asked for, made or changed. */
export const ITEM_LIES: GraphLies = {
  'item-of-another': {
    about: 'it is done, and another file is told of',
    of: ITEM,
    tell(call) {
      const answer = call.ask();
      return answer.status === 202 ? answer : (ofAnother(answer, call) ?? answer);
    },
  },
  'item-without-id': changed('an item without an id', { id: undefined }),
  'item-without-name': changed('an item without a name', { name: undefined }),
  'item-of-another-name': changed('an item of another name', { name: 'another name' }),
  'item-elsewhere': changed('an item of another directory', {
    parentReference: { id: 'ELSEWHERE!1', driveId: 'x', path: '/drives/x/root:/elsewhere' },
  }),
  'item-of-other-size': changed('a file of another size', { size: 123_456_789 }, [
    'putContent',
    'putFragment',
  ]),
  'item-of-other-hash': changed(
    'a file of other hashes',
    { file: { hashes: { quickXorHash: 'AQIDBAUGBwgJCgsMDQ4PEBESExQ=' } } },
    ['putContent', 'putFragment'],
  ),
  'folder-is-file': changed('a file where a directory was made', { folder: undefined, file: {} }, [
    'createFolder',
  ]),
  'patch-not-done': {
    about: 'the item as it was before, and nothing is done',
    of: ['patchItem'],
    tell: unchanged,
  },
  'patch-without-change': changed(
    'it is done, and the changed parts are not told',
    { fileSystemInfo: undefined, lastModifiedDateTime: undefined, name: undefined },
    ['patchItem'],
  ),
  'folder-uncounted': {
    about: 'a directory that does not say how much it holds, and a look into it that finds nothing',
    of: ['getItem', 'listChildren'],
    tell({ ask, call }) {
      const answer = ask();
      const json = isObject(answer.json) ? answer.json : {};
      if (call.query.get('$top') === '1') return withJson(answer, { value: [] });
      return json['folder'] === undefined ? answer : withJson(answer, { folder: {} });
    },
  },
  'empty-folder': {
    about: 'a directory that holds nothing, though it does',
    of: ['getItem'],
    tell({ ask }) {
      const answer = ask();
      const isFolder = isObject(answer.json) && answer.json['folder'] !== undefined;
      return isFolder ? withJson(answer, { folder: { childCount: 0 } }) : answer;
    },
  },
};
