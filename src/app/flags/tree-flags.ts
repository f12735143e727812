import { commandFlags } from './flag-definition.ts';

const tree = ['tree'] as const;

/** Flags of `tree`, as in the original tree. */
export const TREE_FLAGS = commandFlags(tree, {
  all: { short: 'a', type: 'bool', help: 'List hidden files too (names that start with a dot)' },
  'tree-color': {
    name: 'color',
    short: 'C',
    type: 'string',
    values: ['auto', 'always', 'never', 'true', 'false'],
    default: 'auto',
    bareValue: 'always',
    help: 'Colour the output',
  },
  dirsfirst: { type: 'bool', help: 'List directories before files (-U disables)' },
  'full-path': { type: 'bool', help: 'Print the full path of each file' },
  level: {
    type: 'int',
    default: 0,
    defaultText: 'all',
    help: 'Limit the depth to this many levels',
  },
  modtime: { short: 'D', type: 'bool', help: 'Print the modification time' },
  noindent: { type: 'bool', help: 'Do not draw the lines of the tree' },
  noreport: { type: 'bool', help: 'Do not print the final count of files and directories' },
  output: {
    short: 'o',
    type: 'string',
    placeholder: 'file',
    help: 'Write to a file instead of standard output',
  },
  protections: { short: 'p', type: 'bool', help: 'Print the permissions of each file' },
  quote: { short: 'Q', type: 'bool', help: 'Quote names with double quotes' },
  'tree-size': { name: 'size', short: 's', type: 'bool', help: 'Print sizes in bytes' },
  sort: {
    type: 'string',
    default: 'name',
    values: ['name', 'version', 'size', 'mtime', 'ctime'],
    help: 'Sort order',
  },
  'sort-ctime': { type: 'bool', help: 'Sort by status change time' },
  'sort-modtime': { short: 't', type: 'bool', help: 'Sort by modification time' },
  'sort-reverse': { short: 'r', type: 'bool', help: 'Reverse the order' },
  unsorted: { short: 'U', type: 'bool', help: 'Do not sort' },
  'tree-version': { name: 'version', type: 'bool', help: 'Sort numbers in names by value' },
});
