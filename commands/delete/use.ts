export { deleteEmptyTree } from './delete-empty-tree.ts';
