import type { Glyphs } from './look.ts';

/** A key and what it does, for the footer and the page of all keys. */
export interface KeyHint {
  /** As it is shown: `d`, `Enter`, `↑↓`. */
  readonly keys: string;
  /** In one to three words for the footer. */
  readonly does: string;
  /** In a sentence for the page of all keys, where `does` is not enough. */
  readonly more?: string;
}

const NAMES: Readonly<Record<string, string>> = {
  '↑': 'Up',
  '↓': 'Down',
  '←': 'Left',
  '→': 'Right',
};

/** The keys of a hint as this terminal can show them. */
export function keyText({ keys }: KeyHint, glyphs: Pick<Glyphs, 'up' | 'down'>): string {
  return spelled(keys, glyphs);
}

/** A text of ours as this terminal can show it: arrows by name and `…` as dots where it has no characters for them. */
export function spelled(text: string, { up, down }: Pick<Glyphs, 'up' | 'down'>): string {
  if (up === '↑' && down === '↓') return text;
  return text
    .replace(/([↑↓←→])(?=[↑↓←→])/g, '$1/')
    .replace(/[↑↓←→]/g, (arrow) => NAMES[arrow] ?? arrow)
    .replaceAll('…', '...');
}
