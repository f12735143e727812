import { type Answer, isObject } from './graph-call.ts';

/** Where a response has an id. */
type Spot = 'drive' | 'item' | 'parentReference' | 'remoteItem';

/** How personal drives write ids otherwise than as they were made. */
export interface OddIds {
  readonly drive?: readonly Form[];
  /** The part before `!`; and all of an id for `lower`. */
  readonly item?: readonly Form[];
  /** Everywhere where absent. */
  readonly in?: readonly Spot[];
  /** Only every second id. */
  readonly byTurns?: true;
}

/** In lower case; without leading zeros; as no service does. */
type Form = 'lower' | 'short' | 'unknown';

/** All at once, for every second id: what personal drives do since 2025. */
export const IDS_BY_TURNS: OddIds = {
  drive: ['lower', 'short'],
  item: ['lower', 'short'],
  byTurns: true,
};

const UNKNOWN = 'unknown-';

/** The id in full, in the case in which it was made. */
export function fullId(id: string): string {
  if (id.startsWith(UNKNOWN)) return fullId(id.slice(UNKNOWN.length));
  const [drive = '', ...item] = id.toUpperCase().split('!');
  return [drive.padStart(16, '0'), ...item].join('!');
}

/** Writes the ids of an answer in other forms. */
export class IdWriter {
  #count = 0;

  write(odd: OddIds | undefined, answer: Answer): Answer {
    if (odd === undefined || answer.json === undefined) return answer;
    return { ...answer, json: this.#value(odd, answer.json, 'item') };
  }

  #value(odd: OddIds, value: unknown, spot: Spot): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#value(odd, one, spot));
    if (!isObject(value)) return value;
    const isDrive = value['driveType'] !== undefined && value['driveId'] === undefined;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        if (typeof one === 'string') {
          const forms = formsOf(odd, name, one, isDrive);
          return [name, forms ? this.#id(odd, forms, one, isDrive ? 'drive' : spot) : one];
        }
        const isSpot = name === 'remoteItem' || (name === 'parentReference' && spot === 'item');
        return [name, this.#value(odd, one, isSpot ? name : spot)];
      }),
    );
  }

  #id(odd: OddIds, forms: readonly Form[], id: string, spot: Spot): string {
    if (odd.in?.includes(spot) === false) return id;
    if (odd.byTurns && this.#count++ % 2 === 0) return id;
    if (forms.includes('unknown')) return UNKNOWN + id;
    const short = forms.includes('short') ? id.replace(/^0+/, '') : id;
    return forms.includes('lower') ? short.toLowerCase() : short;
  }
}

function formsOf(odd: OddIds, name: string, id: string, isDrive: boolean) {
  if (/^[0-9A-F]{16}!/.test(id)) return ['id', 'resourceId'].includes(name) ? odd.item : undefined;
  if (!/^[0-9A-F]{16}$/.test(id)) return undefined;
  return name === 'driveId' || (isDrive && name === 'id') ? odd.drive : undefined;
}
