/** What a remote control answers, as JSON. */
type Told = Readonly<Record<string, unknown>>;

/** A false answer of rclone's remote control. */
export interface RcloneLie {
  /** The call that is answered so. */
  readonly call: string;
  /** The call is not carried out, and its answer is that of success. */
  readonly isUndone?: true;
  /** The service behind rclone lists its files without sizes: rclone lists them as empty, and fails to copy them. */
  readonly hidesSizes?: true;
  /** rclone ends before it has answered; its next run tells the truth. */
  readonly endsOnce?: true;
  /** The answer, made of the right one of a call that succeeds: a text as it is, anything else as JSON. */
  readonly says?: (told: Told) => { readonly status?: number; readonly body: unknown };
}

const HTML = '<html><body>Please log in</body></html>';

/** Answers that are none to any call. */
const NO_ANSWERS: Readonly<Record<string, RcloneLie['says']>> = {
  'a page of HTML': () => ({ body: HTML }),
  'no text': () => ({ body: '' }),
  'half of the JSON': (told) => ({ body: JSON.stringify(told).slice(0, -1) }),
  null: () => ({ body: null }),
  'a list': () => ({ body: [] }),
  'a text': () => ({ body: 'done' }),
  'an error with status 200': () => ({ body: { error: 'directory not found', status: 404 } }),
  'a page of HTML with status 404': () => ({ status: 404, body: HTML }),
};

type Changed = (item: Told) => unknown;

/** Answers of listings, by how they change the first entry. */
const ITEMS: Readonly<Record<string, Changed>> = {
  'null as an entry': () => null,
  'a text as an entry': ({ Name }) => Name,
  'an entry without Path': ({ Path: _, ...others }) => others,
  'an entry with a number as Path': (item) => ({ ...item, Path: 7 }),
  'an entry without Name': ({ Name: _, ...others }) => others,
  'an entry without Size': ({ Size: _, ...others }) => others,
  'an entry with a text as Size': (item) => ({ ...item, Size: '4' }),
  'an entry with Size -2': (item) => ({ ...item, Size: -2 }),
  'an entry with half a byte': (item) => ({ ...item, Size: 1.5 }),
  'an entry without IsDir': ({ IsDir: _, ...others }) => others,
  'an entry with a text as IsDir': (item) => ({ ...item, IsDir: 'false' }),
  'an entry without ModTime': ({ ModTime: _, ...others }) => others,
  'an entry with a number as ModTime': (item) => ({ ...item, ModTime: 1 }),
  'an entry with words as ModTime': (item) => ({ ...item, ModTime: 'yesterday' }),
  'an entry with a list of Hashes': (item) => ({ ...item, Hashes: [1] }),
  'an entry with a number as hash': (item) => ({ ...item, Hashes: { md5: 5 } }),
  'an entry with a number as Metadata': (item) => ({ ...item, Metadata: { mtime: 5 } }),
  'an entry elsewhere': (item) => ({ ...item, Path: `elsewhere/deep/${item['Name']}` }),
};

/** Those of listings that are none of one entry. */
const LISTS: Readonly<Record<string, (list: readonly Told[]) => unknown>> = {
  'no list': () => undefined,
  'null as the list': () => null,
  'an object as the list': (list) => ({ ...list }),
  'a text as the list': () => '[]',
  'an entry twice': (list) => [...list, ...list.slice(0, 1)],
  'an entry with another Name': ([first, ...others]) => [{ ...first, Name: 'other' }, ...others],
  'an entry of a directory below': (list) => [...list, moved(list, 'below/file')],
  'the directory above': (list) => [...list, moved(list, '..')],
  'the directory itself': (list) => [...list, moved(list, '.')],
};

/** The first entry with another name. */
function moved([first]: readonly Told[], name: string): Told {
  const dir = String(first?.['Path']).split('/').slice(0, -1);
  return { ...first, Path: [...dir, name].join('/'), Name: name };
}

type Texts = Readonly<Record<string, (told: Told) => unknown>>;

const INFOS: Texts = {
  'no Features': ({ Features: _, ...others }) => others,
  'a list of Features': (told) => ({ ...told, Features: ['Move'] }),
  'a text as a feature': (told) => ({ ...told, Features: { Move: 'true' } }),
  'no Hashes': ({ Hashes: _, ...others }) => others,
  'a text as Hashes': (told) => ({ ...told, Hashes: 'md5' }),
  'no Precision': ({ Precision: _, ...others }) => others,
  'a text as Precision': (told) => ({ ...told, Precision: '1' }),
  'a negative Precision': (told) => ({ ...told, Precision: -1 }),
  'no String': ({ String: _, ...others }) => others,
};

const ITEM: Texts = {
  'no item': () => ({}),
  'a text as the item': () => ({ item: 'file' }),
  'a list as the item': ({ item }) => ({ item: [item] }),
  'the item of another path': ({ item }) => ({
    item: item === null ? null : { ...(item as Told), Path: 'other' },
  }),
};

const HASHES: Texts = {
  'no hash': () => ({}),
  'null as the hash': () => ({ hash: null, hashType: 'md5' }),
  'another hash': ({ hash }) => ({ hash, hashType: 'sha1' }),
};

const LINKS: Texts = { 'no URL': () => ({}), 'a word as URL': () => ({ url: 'link' }) };
const ABOUTS: Texts = { 'a text as the space': () => ({ free: '5' }) };

const CALLS: Readonly<Record<string, Texts>> = {
  'operations/fsinfo': INFOS,
  'operations/list': {
    ...texts(LISTS, ({ list }, change) => ({ list: change(list as readonly Told[]) })),
    ...texts(ITEMS, ({ list }, change) => {
      const [first, ...others] = list as readonly Told[];
      return { list: first === undefined ? [null] : [change(first), ...others] };
    }),
  },
  'operations/stat': {
    ...ITEM,
    // `null` says that nothing is there.
    ...texts(ITEMS, ({ item }, change) => ({ item: (item && change(item as Told)) ?? 1 })),
  },
  'operations/copyfile': {},
  'operations/movefile': {},
  'operations/deletefile': {},
  'operations/purge': {},
  'operations/mkdir': {},
  'operations/rmdir': {},
  'operations/hashsumfile': HASHES,
  'operations/about': ABOUTS,
  'operations/publiclink': LINKS,
  'sync/move': {},
  'job/batch': {},
};

function texts<Change>(
  changes: Readonly<Record<string, Change>>,
  apply: (told: Told, change: Change) => unknown,
): Texts {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [name, (told: Told) => apply(told, change)]),
  );
}

/** Calls that can answer as if they had been carried out. */
const UNDONE = ['operations/copyfile', 'operations/movefile', 'sync/move'];

/** A service that lists files without their sizes. */
export const SIZELESS = 'operations/list: files without sizes';

/** No lie, but no answer either. */
export const ENDING = 'operations/list: rclone ends, once';

function sizeless({ list }: Told) {
  const items = list as readonly Told[];
  return { body: { list: items.map((item) => ({ ...item, Size: item['IsDir'] ? -1 : 0 })) } };
}

/** Every lie, by the call and what it says: `operations/list: no list`. */
export const RCLONE_LIES: Readonly<Record<string, RcloneLie>> = Object.fromEntries([
  ...Object.entries(CALLS).flatMap(([call, own]) => [
    ...Object.entries(NO_ANSWERS).map(([name, says]) => [`${call}: ${name}`, { call, says }]),
    ...Object.entries(own).map(([name, body]) => [
      `${call}: ${name}`,
      { call, says: (told: Told) => ({ body: body(told) }) },
    ]),
  ]),
  [SIZELESS, { call: 'operations/list', hidesSizes: true, says: sizeless }],
  [ENDING, { call: 'operations/list', endsOnce: true }],
  ...UNDONE.map((call) => [`${call}: done, and it was not`, { call, isUndone: true }]),
]);

/** The lies about a call, by name, that its answer alone shows. */
export const liesAbout = (call: string): readonly string[] =>
  Object.keys(RCLONE_LIES).filter((name) => {
    const lie = RCLONE_LIES[name];
    return lie?.call === call && lie.hidesSizes === undefined && lie.endsOnce === undefined;
  });
