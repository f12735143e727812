/** One of the things that a webhook on this machine is known by. */
export interface FoundItem {
  readonly kind: 'folder' | 'program' | 'hooks' | 'unit' | 'mask' | 'drop-in' | 'listener';
  /** The path inside the root, or the port. */
  readonly what: string;
}

const TITLES: Readonly<Record<FoundItem['kind'], string>> = {
  folder: 'the directory',
  program: 'the program',
  hooks: 'the configuration file',
  unit: 'the service unit',
  mask: 'the mask of the service unit',
  'drop-in': 'the drop-in of the service unit',
  listener: 'a program that listens on port',
};

/** An item as notices name it. */
export function itemText({ kind, what }: FoundItem): string {
  return `${TITLES[kind]} ${what}`;
}
