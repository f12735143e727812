export { compareWithSums } from './sums.ts';
