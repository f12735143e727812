import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Remote } from '../../src/core/remote.ts';
import { concurrencyTests } from './concurrency-tests.ts';
import type { ContractTest, Feature } from './contract-test.ts';
import { World } from './contract-world.ts';
import { copyAndMoveTests } from './copy-and-move-tests.ts';
import { directoryTests } from './directory-tests.ts';
import { failedWriteTests } from './failed-write-tests.ts';
import { keptMetadataTests } from './kept-metadata-tests.ts';
import { listingTests } from './listing-tests.ts';
import { metadataTests } from './metadata-tests.ts';
import { nameTests } from './name-tests.ts';
import { readingTests } from './reading-tests.ts';
import { removingTests } from './removing-tests.ts';
import { writingTests } from './writing-tests.ts';

/** A remote for the contract's tests, at an empty root that stands in a bucket where the store has buckets. */
export interface OpenedRemote {
  readonly remote: Remote;
  /** Removes all that was made for the tests; called once, after the last. */
  cleanup(): Promise<void>;
}

/** What is known to differ from the whole contract: declared, so that nothing is skipped unseen. */
export interface Expectations {
  /** What the store has not. Must be exactly what its traits and capabilities leave out. */
  readonly lacks?: readonly Feature[];
  /** How many tests are skipped for it. */
  readonly skipped?: number;
  /** How many entries a listing page has at most; 1,000 if absent. */
  readonly pageSize?: number;
}

/** What every `Remote` promises, as tests. Each test works in a directory of its own below the root. */
export function describeRemote(
  name: string,
  open: () => Promise<OpenedRemote>,
  expectations: Expectations = {},
): void {
  const { lacks = [], skipped = 0, pageSize = 1000 } = expectations;
  const tests: ContractTest[] = [
    ...listingTests,
    ...nameTests,
    ...readingTests,
    ...writingTests,
    ...failedWriteTests,
    ...concurrencyTests,
    ...metadataTests,
    ...keptMetadataTests,
    ...removingTests,
    ...directoryTests,
    ...copyAndMoveTests,
  ];
  const isSkipped = (test: ContractTest) =>
    test.needs.some((feature) => lacks.includes(feature)) ||
    (test.onlyWithout !== undefined && !lacks.includes(test.onlyWithout));

  describe(`contract: ${name}`, () => {
    let opened: OpenedRemote;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.remote.close();
      await opened?.cleanup();
    });

    it('lacks what it is declared to lack, and nothing else', () => {
      const undeclared = DECLARED_ONLY.filter((feature) => lacks.includes(feature));
      expect([...missingFeatures(opened.remote), ...undeclared].sort()).toEqual([...lacks].sort());
      expect(tests.filter(isSkipped).length).toBe(skipped);
    });

    for (const [index, test] of tests.entries()) {
      it.skipIf(isSkipped(test))(test.name, async () => {
        const dir = `t${String(index).padStart(3, '0')}`;
        await test.run(new World(opened.remote, dir, pageSize));
      });
    }
  });
}

/** Features that no trait tells; whether a store has them only its tests' declaration says. */
const DECLARED_ONLY: readonly Feature[] = [
  ...(['tellsMissing', 'otherTiers', 'unicodeForms', 'reservedNames', 'longNames'] as const),
  ...(['anyTimes', 'longPaths', 'ownMetadata', 'oddNames', 'notUtf8', 'oneKindPerName'] as const),
];

const CAPABILITIES = [
  'details',
  'hash',
  'setModTime',
  'setDirModTime',
  'copyFrom',
  'moveFrom',
  'moveDirFrom',
  'purge',
  'deletesAtOnce',
  'listTreePage',
  'about',
  'publicLink',
  'setTier',
  'cleanUp',
] as const satisfies readonly (keyof Remote['can'])[];

function missingFeatures({ can, traits }: Remote): Feature[] {
  const missing: Feature[] = CAPABILITIES.filter((capability) => can[capability] === undefined);
  if (can.details?.checksums !== true) missing.push('checksums');
  if (can.details?.body !== true) missing.push('openedWithDetails');
  if (!traits.emptyDirs) missing.push('directories');
  if (!traits.sortedPages) missing.push('sortedPages');
  if (traits.modTimePrecision === undefined) missing.push('modTime');
  if (traits.caseInsensitive) missing.push('caseSensitive');
  if (traits.hashes.length === 0) missing.push('hashes');
  return missing;
}
