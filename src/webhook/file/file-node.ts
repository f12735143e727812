/** A value of a hook file, with where it stands. */
export type HookFileNode = { readonly place: HookFilePlace } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly HookFileNode[] }
  | { readonly kind: 'map'; readonly members: readonly (readonly [key: string, HookFileNode])[] }
);

/** A place in a file, counted from 1. */
export interface HookFilePlace {
  readonly line: number;
  readonly column: number;
}

/** What is wrong in a hook file, and where. */
export class HookFileFault extends Error {
  /** Files that the hook file refers to, as far as it was read: when one changes it may be right. */
  references: readonly string[] = [];

  constructor(place: HookFilePlace, text: string) {
    super(`line ${place.line}, column ${place.column}: ${text}`);
  }
}
