import { randomFrom } from '../../../support/random-from.ts';
import type { GraphOperation } from '../graph-fault.ts';
import type { GraphLie } from './graph-lie.ts';
import { GRAPH_LIES } from './graph-lies.ts';

/** Which lie a service tells, and how often. */
export interface GraphLying {
  /** A name of `GRAPH_LIES`, or a lie. */
  readonly lie: string | GraphLie;
  /** It is told about one in so many of the requests that it can be told about; 1 (all) where absent. */
  readonly every?: number;
  /** Chance decides which, by this seed; else each `every`th. */
  readonly seed?: number;
  /** Only about these requests. */
  readonly of?: readonly GraphOperation[];
}

/** Decides about one request after the other whether the lie is told. */
export function lieChooser(
  lying: GraphLying | undefined,
): (operation: GraphOperation) => GraphLie | undefined {
  if (lying === undefined) return () => undefined;
  const { every = 1, seed, of } = lying;
  const lie = typeof lying.lie === 'string' ? GRAPH_LIES[lying.lie] : lying.lie;
  if (lie === undefined) throw new Error(`no lie is called ${lying.lie}`);
  const random = seed === undefined ? undefined : randomFrom(seed);
  let n = 0;
  return (operation) => {
    if (!lie.of.includes(operation) || of?.includes(operation) === false) return undefined;
    const isChosen = random === undefined ? ++n % every === 0 : random(every) === 0;
    return isChosen ? lie : undefined;
  };
}
