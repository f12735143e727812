export { homeMount, type ListedMount, listMounts } from './list-mounts.ts';
