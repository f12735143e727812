/** A value of a hook file, with where it stands. */
export type FileNode = { readonly place: Place } & (
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly FileNode[] }
  | { readonly kind: 'map'; readonly members: readonly (readonly [key: string, FileNode])[] }
);

/** A place in a file, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What is wrong in a hook file, and where. */
export class HookFileFault extends Error {
  /** Files that the hook file refers to, as far as it was read: when one changes it may be right. */
  references: readonly string[] = [];

  constructor(place: Place, text: string) {
    super(`line ${place.line}, column ${place.column}: ${text}`);
  }
}
